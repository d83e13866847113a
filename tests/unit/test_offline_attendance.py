"""Who is taken to be there in a scene."""

from __future__ import annotations

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.antecedents import Reference
from services.extraction.offline.attendance import Attendance
from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mention, Mentions
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.speakers import Utterance

MARA, TOMAS = (Figure(name, "character", [(name,)]) for name in ("Mara", "Tomas"))
MILL = Figure("Mill", "location", [("Mill",)])
BOTH = Figure("Voss", "character", [("Voss",)], ambiguous=("Mara", "Tomas"))
SCENE = Span(0, 100)


def told(figure: Figure, *places: int, narrated: bool = True) -> list[Mention]:
    return [Mention(Span(place, place + 4), figure, narrated) for place in places]


def there(
    *mentions: Mention, acting: tuple[tuple[int, Figure], ...] = (), said: tuple[Utterance, ...] = ()
) -> list[tuple[int, str]]:
    ordered = Mentions(sorted(mentions, key=lambda mention: mention.span))
    return [(offset, figure.name) for offset, figure in Attendance(acting, said, ordered).of(SCENE)]


def speech(confidence: float, hearer: float) -> Utterance:
    return Utterance((Span(10, 20),), Reference(MARA, confidence), Reference(TOMAS, hearer), "say")


def test_whoever_acts_or_speaks_is_there_however_unsure_it_is_who_speaks() -> None:
    assert there(acting=((5, TOMAS), (120, MARA))) == [(5, "Tomas")]
    assert there(said=(speech(0.3, 0.3),)) == [(10, "Mara")]


def test_whoever_is_surely_spoken_to_is_there() -> None:
    assert there(said=(speech(0.9, 0.75),)) == [(10, "Mara"), (10, "Tomas")]


def test_whoever_is_named_again_and_again_is_there_once() -> None:
    assert there(*told(TOMAS, 3, 30, 50, 60)) == [(3, "Tomas")]
    assert there(*told(TOMAS, 3, 30, 60)) == []
    assert there(*told(TOMAS, 3, 30, 60, 160)) == []
    assert there(*told(TOMAS, 3, 30, 50, 60), acting=((50, TOMAS),)) == [(50, "Tomas")]


def test_whoever_is_only_spoken_of_is_not_there() -> None:
    assert there(*told(TOMAS, 3, 30, 50, 60, narrated=False)) == []


def test_a_place_or_a_name_of_several_is_nobody_who_is_there() -> None:
    assert there(*told(MILL, 3, 30, 50, 60), *told(BOTH, 4, 31, 51, 61)) == []


def test_each_scene_has_its_own_people() -> None:
    text = (
        "Mary opened the door of the mill. “It is late,” said Mary.\n\n* * *\n\n"
        "Henry walked to the river. The boat stood near Mary’s house. “It is late,” said Henry."
    )
    records = OfflineExtractor().extract(text, chapter=1)
    assert [r.get("participants") for r in records if r["kind"] == "situation"] == [["Mary"], ["Henry"]]
