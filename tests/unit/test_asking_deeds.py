"""Who did what to whom, asked by full and by given names: the right way round it is so, turned it is not told; nor is a dream."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from services.answering.naming import Names
from services.answering.occurrences.agreeing import agreement
from services.answering.occurrences.word_order import sides
from services.answering.readers.offline import document
from services.retrieval.cast import Cast
from tests.asking import ask
from tests.storytelling import Telling, told

MARA, TOMAS = "Mara Voss", "Tomas Hale"


def story(text: str, people: Sequence[str] = (MARA, TOMAS), records: Sequence[dict[str, Any]] = ()) -> Telling:
    telling = Telling()
    text = f"{text} There were {' and '.join(people)}."
    figures = [told(f"n{n}", "entity", name, name=name, type="character", aliases=[]) for n, name in enumerate(people)]
    telling.publish(1, text, [*figures, *records])
    return telling


def answer(telling: Telling, question: str) -> str:
    return ask(telling, question)["answer"] or ""


ROBBED = f"{MARA} robbed {TOMAS}. “Come,” said {MARA} to {TOMAS}."
BETRAYED = f"In the morning {MARA} betrayed {TOMAS} at the mill. “Come,” said {TOMAS} to {MARA}."
STABBED = f"{TOMAS} was stabbed by {MARA} in the garden."
POISONED = "Wick poisoned Odran with bitter wine. Odran cursed Wick."
ANIMALS = "The crow robbed the fox by the river. Then the fox went home."


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (ROBBED, f"Did {MARA} rob {TOMAS}?"),
        (ROBBED, "Did Mara rob Tomas?"),
        (ROBBED, "did mara rob tomas?"),
        (ROBBED, "Has Mara robbed Tomas?"),
        (ROBBED, "Was Tomas robbed by Mara?"),
        (BETRAYED, f"Did {MARA} betray {TOMAS} at the mill?"),
        (BETRAYED, "Did Mara betray Tomas?"),
        (STABBED, "Did Mara stab Tomas?"),
        (STABBED, "Was Tomas stabbed by Mara?"),
        (POISONED, "Does Wick poison Odran?"),
        (POISONED, "Did Odran curse Wick?"),
        (ANIMALS, "Did the crow rob the fox?"),
        (f"{MARA} married {TOMAS} in spring.", "Did Tomas marry Mara?"),
        (f"{MARA} married {TOMAS} in spring.", f"Did {TOMAS} marry {MARA}?"),
    ],
)
def test_a_deed_is_affirmed_of_whoever_did_it(text: str, question: str) -> None:
    people = ("Wick", "Odran") if text == POISONED else (MARA, TOMAS)
    assert answer(story(text, people), question).startswith("Yes")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (ROBBED, f"Did {TOMAS} rob {MARA}?"),
        (ROBBED, "Did Tomas rob Mara?"),
        (ROBBED, "did tomas rob mara?"),
        (ROBBED, "Has Tomas robbed Mara?"),
        (ROBBED, "Was Mara robbed by Tomas?"),
        (ROBBED, "Was Mara robbed?"),
        (ROBBED, f"Did old {TOMAS} of the mill rob Mara?"),
        (BETRAYED, f"Did {TOMAS} betray {MARA} at the mill?"),
        (BETRAYED, "Did Tomas betray Mara at the mill?"),
        (STABBED, "Did Tomas stab Mara?"),
        (STABBED, "Was Mara stabbed by Tomas?"),
        (POISONED, "Did Odran poison Wick?"),
        (POISONED, "Did Wick curse Odran?"),
        (ANIMALS, "Did the fox rob the crow by the river?"),
    ],
)
def test_nobody_did_what_was_done_to_him(text: str, question: str) -> None:
    people = ("Wick", "Odran") if text == POISONED else (MARA, TOMAS)
    assert not answer(story(text, people), question).startswith("Yes")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Who robbed Tomas?", MARA),
        ("Whom did Mara rob?", TOMAS),
        ("Who robbed Mara?", ""),
        ("Whom did Tomas rob?", ""),
    ],
)
def test_who_did_it_and_to_whom_are_not_exchanged(question: str, said: str) -> None:
    assert answer(story(ROBBED), question) == said


DREAM = told(
    "e1", "event", "killed Ewart", summary="Mara kills Ewart.", modality="dream",
    participants=[{"entity": MARA, "role": "killer"}, {"entity": "Ewart", "role": "victim"}],
)  # fmt: skip


@pytest.mark.parametrize("text", ["{} killed Ewart with the brass key.", "{} killed Ewart in a dream."])
@pytest.mark.parametrize("question", ["Did Mara kill Ewart?", f"Did {MARA} kill Ewart?", "Who killed Ewart?"])
def test_what_a_record_says_is_dreamt_is_not_told_from_its_passage(text: str, question: str) -> None:
    told_ = story(text.format(MARA) + " In the morning Ewart came down.", (MARA, "Ewart"), [DREAM])
    assert answer(told_, question) == ""


def test_a_dream_is_told_to_whoever_asks_for_it() -> None:
    dreamt = story(f"{MARA} killed Ewart in a dream.", (MARA, "Ewart"), [DREAM])
    assert answer(dreamt, "Did Mara kill Ewart in a dream?").startswith("Yes")
    assert answer(dreamt, "Whom did Mara kill in the dream?") == "Ewart"


def test_another_record_of_the_sentence_that_is_a_fact_does_not_make_the_dream_one() -> None:
    woke = told(
        "e2", "event", "woke at dawn", summary="Mara wakes at dawn.", participants=[{"entity": MARA, "role": "sleeper"}]
    )
    both = story(f"{MARA} killed Ewart with the brass key and woke at dawn.", (MARA, "Ewart"), [DREAM, woke])
    assert answer(both, "Did Mara kill Ewart with the brass key?") == ""
    assert answer(both, "Did Mara wake at dawn?").startswith("Yes")


def test_a_fact_on_the_same_sentence_stands_beside_what_is_only_reported_of_it() -> None:
    fact = {**DREAM, "id": "e2", "modality": "actual"}
    both = story(f"{MARA} killed Ewart.", (MARA, "Ewart"), [DREAM, fact])
    assert answer(both, "Did Mara kill Ewart?").startswith("Yes")


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (f"{MARA} promised to rob {TOMAS}.", "Did Mara rob Tomas?"),
        (f"{MARA} promised to rob {TOMAS}.", f"Did {MARA} rob {TOMAS}?"),
        (f"{MARA} dreamed that she stabbed {TOMAS}.", "Did Mara stab Tomas?"),
        (f"{MARA} pretended to have robbed {TOMAS}.", "Has Mara robbed Tomas?"),
        (f"{MARA} robbed {TOMAS} in a bad dream.", "Did Mara rob Tomas?"),
    ],
)
def test_what_is_promised_or_dreamt_in_so_many_words_is_not_done(text: str, question: str) -> None:
    assert not answer(story(text), question).startswith("Yes")


def test_sides_are_told_by_the_words_around_the_verb() -> None:
    sentence = document("The old miller cheated his neighbour.")
    assert sides(document("Did the miller cheat his neighbour?"), sentence) == "as asked"
    assert sides(document("Did the neighbour cheat the miller?"), sentence) == "turned"
    assert sides(document("Did the miller greet his neighbour?"), sentence) == "not told"


def test_who_is_no_figure_agrees_by_words() -> None:
    nobody = Names(Cast([], [], 1))
    assert agreement(nobody, "Did the crow rob the fox?", "The crow robbed the fox.") == "agrees"
    assert agreement(nobody, "Did the fox rob the crow?", "The crow robbed the fox.") == "of others"


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        ("Who was the youngest of the sons and bore a curious name?", "The youngest of the sons bore a curious name."),
        ("Who agreed to work for the men to become his son?", "There was a son of the men who agreed to work."),
        ("What did the fox do when the crow robbed the king?", "The king robbed the crow."),
    ],
)
def test_of_a_verb_of_another_clause_nothing_is_said(question: str, sentence: str) -> None:
    assert sides(document(question), document(sentence)) != "turned"
