"""Who speaks where the text does not say it."""

from __future__ import annotations

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.turns import Turn, with_inferred_speakers

MARA, TOMAS, BO = (Figure(name, "character", [(name,)]) for name in ("Mara", "Tomas", "Bo"))


def turn(index: int, speaker: Figure | None = None, to: Figure | None = None, *, open_turn: bool = True) -> Turn:
    said = Reference(speaker, 0.9) if speaker is not None else None
    addressed = Reference(to, 0.75) if to is not None else None
    return Turn(index, (Span(index, index + 1),), said, addressed, "say" if speaker else "", open_turn and not speaker)


def speakers(*turns: Turn) -> list[str]:
    return [t.speaker.figure.name if t.speaker else "?" for t in with_inferred_speakers(turns)]


def test_two_people_take_turns() -> None:
    assert speakers(turn(0, MARA), turn(1, TOMAS), turn(2), turn(3)) == ["Mara", "Tomas", "Mara", "Tomas"]


def test_turns_are_counted_backwards_too() -> None:
    assert speakers(turn(0), turn(1), turn(2, MARA, TOMAS)) == ["Mara", "Tomas", "Mara"]


def test_whoever_is_addressed_does_not_speak() -> None:
    assert speakers(turn(0, MARA, TOMAS), turn(1), turn(2, None, MARA)) == ["Mara", "Tomas", "Tomas"]


def test_known_turns_that_contradict_each_other_leave_the_turn_between_open() -> None:
    assert speakers(turn(0, MARA), turn(1), turn(2, TOMAS)) == ["Mara", "?", "Tomas"]


def test_a_paragraph_between_ends_the_conversation() -> None:
    assert speakers(turn(0, MARA), turn(1, TOMAS), turn(3)) == ["Mara", "Tomas", "?"]


def test_a_turn_whose_paragraph_tells_of_somebody_unknown_is_not_inferred() -> None:
    assert speakers(turn(0, MARA), turn(1, TOMAS), turn(2, open_turn=False)) == ["Mara", "Tomas", "?"]


def test_among_three_the_one_before_last_speaks_again() -> None:
    assert speakers(turn(0, BO), turn(1, MARA), turn(2, TOMAS), turn(3)) == ["Bo", "Mara", "Tomas", "Mara"]


def test_one_speaker_alone_tells_nothing_of_the_other() -> None:
    assert speakers(turn(0, MARA), turn(1), turn(2)) == ["Mara", "?", "?"]


def test_what_is_inferred_is_at_most_three_fifths_certain() -> None:
    inferred = with_inferred_speakers([turn(0, MARA), turn(1, TOMAS), turn(2), turn(3, None, MARA)])[2:]
    assert all(t.speaker is not None and t.speaker.confidence <= 0.6 for t in inferred)
