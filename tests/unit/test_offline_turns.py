"""Who speaks where the text does not say it."""

from __future__ import annotations

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.names import Gender
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.turns import Bond, Turn, likeliest

MARA, TOMAS, BO = (Figure(name, "character", [(name,)]) for name in ("Mara", "Tomas", "Bo"))
PEOPLE = [MARA, TOMAS, BO]
TWO = {0: 1.0, 1: 1.0}
THREE = {**TWO, 2: 1.0}


def turn(
    index: int,
    weights: Mapping[int, float] | Figure,
    *,
    to: Figure | None = None,
    bond: Bond = "answers",
    sex: Gender = "",
    goes_on: bool = False,
) -> Turn:
    known = {PEOPLE.index(weights): 9.0} if isinstance(weights, Figure) else weights
    addressed = Reference(to, 0.75) if to is not None else None
    return Turn(index, (Span(index, index + 1),), bond, "", known, addressed, sex, goes_on=goes_on)


def speakers(*turns: Turn, people: list[Figure] = PEOPLE) -> list[str]:
    return [found.figure.name if found else "?" for found in likeliest(turns, people)]


def test_two_people_take_turns() -> None:
    assert speakers(turn(0, MARA), turn(1, TOMAS), turn(2, TWO), turn(3, TWO)) == ["Mara", "Tomas", "Mara", "Tomas"]


def test_turns_are_counted_backwards_too() -> None:
    assert speakers(turn(0, TWO), turn(1, TWO), turn(2, MARA, to=TOMAS)) == ["Mara", "Tomas", "Mara"]


def test_whoever_was_spoken_to_speaks_next() -> None:
    assert speakers(turn(0, MARA, to=BO), turn(1, THREE)) == ["Mara", "Bo"]


def test_among_three_the_one_before_last_speaks_again() -> None:
    assert speakers(turn(0, BO), turn(1, MARA), turn(2, TOMAS), turn(3, THREE)) == ["Bo", "Mara", "Tomas", "Mara"]


def test_speech_that_was_left_open_is_the_same_speakers() -> None:
    assert speakers(turn(0, MARA), turn(1, TWO, bond="goes on")) == ["Mara", "Mara"]


def test_a_verb_of_going_on_keeps_the_turn() -> None:
    assert speakers(turn(0, MARA), turn(1, {0: 1.0, 1: 0.0}, goes_on=True)) == ["Mara", "Mara"]


def test_whoever_answers_a_sir_is_no_woman() -> None:
    people = [
        Figure("Mara", "character", [("Mara",)], gender="female"),
        Figure("Tomas", "character", [("Tomas",)], gender="male"),
        Figure("Ann", "character", [("Ann",)], gender="female"),
    ]
    assert speakers(turn(0, {2: 9.0}, sex="male"), turn(1, {0: 1.3, 1: 1.0}), people=people) == ["Ann", "Tomas"]


def test_without_anybody_likely_a_turn_is_nobodys() -> None:
    assert speakers(turn(0, {}), turn(1, MARA)) == ["?", "Mara"]


weights = st.dictionaries(st.integers(0, 2), st.floats(-4, 9), max_size=3)


@given(st.lists(st.tuples(weights, st.sampled_from(("apart", "answers", "beside", "goes on"))), max_size=8))
def test_every_turn_is_given_to_one_of_its_candidates_or_nobody(drawn: list[tuple[dict[int, float], Bond]]) -> None:
    turns = [turn(number, known, bond=bond) for number, (known, bond) in enumerate(drawn)]
    found = likeliest(turns, PEOPLE)
    assert len(found) == len(turns)
    for one, who in zip(turns, found, strict=True):
        assert who is None or (PEOPLE.index(who.figure) in one.weights and 0.0 < who.confidence <= 1.0 + 1e-9)
