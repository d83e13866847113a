"""Yes or no by single clauses: what has all of a question in its place says it, and nothing else does."""

from __future__ import annotations

import pytest

from services.answering.naming import Names
from services.answering.occurrences.entailing import Entailing
from services.retrieval.cast import Cast

NOBODY = Names(Cast([], [], 1))

PEOPLE = ("Ines Dahl was a pilot.", "Rolf Kern was a priest.", "Rolf Kern was in the church with Emil Kern, a spy.")
COMPARED = (
    "Agnes Moor was older than Clara.",
    "Ivo Marr was afraid of the priest.",
    "The hat of Karl Weiss was red and the coat of Ivo Marr was blue.",
)
RELATED = (
    "Viktor reminded Agnes Moor of her dead husband.",
    "Peter Lund's sister Clara loved Count Brandt's son Viktor.",
)
SEEMING = (
    "Janus seemed dead.",
    "Janus was said to be a count.",
    "It was rumoured that Hanna Wolff had a child.",
    "Hanna Wolff pretended to be asleep.",
)
GIVEN = (
    "Zoë Lee gave the emerald to Captain O’Hara.",
    "Nell Ashe sold the silver horn to Brom Tarn.",
    "Jory gave Nell the horn.",
)
ALIKE = ("The young captain stabbed the old captain.", "The captain wept.", "The dog bit the son of Count Brandt.")
COUNTED = (
    "Everybody in the house but Inge Holm drank the wine.",
    "Lars Bo danced with every sister except Inge Holm.",
    "Only Lars Bo could swim.",
    "Greta Holm had two horses.",
    "Few of the guests danced with Greta Holm.",
)
DENIED = (
    "Margaret Hale married Dr. Fenn.",
    "Mara Voss did not sell the mill.",
    "Nobody saw Ivo Marr at the fair that evening.",
    "Ivo Marr was not the husband of Mara Voss but her cousin.",
    "Neither Greta Holm nor Inge Holm wept.",
)
KILLED = ("Tom Gale went quietly into the dark garden and killed Bo Lind with an axe.",)


def over(text: tuple[str, ...], question: str) -> set[str]:
    return {found for sentence in text if (found := Entailing(NOBODY, question).of(sentence))}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (PEOPLE, "Is Ines a pilot?"),
        (PEOPLE, "Was Rolf in the church?"),
        (PEOPLE, "Is Emil Kern a spy?"),
        (COMPARED, "Is Agnes older than Clara?"),
        (COMPARED, "Is Ivo afraid of the priest?"),
        (COMPARED, "Was the hat of Karl red?"),
        (RELATED, "Did Clara love Viktor?"),
        (GIVEN, "Did Zoë give the emerald to Captain O’Hara?"),
        (GIVEN, "Did Nell sell the silver horn?"),
        (GIVEN, "Did Jory give Nell the horn?"),
        (GIVEN, "Was the horn sold by Nell?"),
        (ALIKE, "Did the young captain stab the old captain?"),
        (ALIKE, "Was the old captain stabbed?"),
        (ALIKE, "Did the captain weep?"),
        (COUNTED, "Could Lars Bo swim?"),
        (COUNTED, "Did Greta Holm have two horses?"),
        (DENIED, "Did Dr. Fenn marry Margaret?"),
        (KILLED, "Did Tom kill Bo with an axe?"),
        (KILLED, "Did Tom go into the garden?"),
        (KILLED, "Was Bo Lind killed by Tom Gale?"),
        (("Tom Gale nearly killed Bo Lind.",), "Did Tom nearly kill Bo?"),
        (("The letter, which was stolen by Tom, lay there.",), "Did Tom steal the letter?"),
        (("Bo was seized and killed by Tom.",), "Was Bo killed?"),
    ],
)
def test_a_clause_with_all_of_it_affirms_it(text: tuple[str, ...], question: str) -> None:
    assert over(text, question) == {"affirmed"}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (DENIED, "Did Mara sell the mill?"),
        (DENIED, "Didn't Mara Voss sell the mill?"),
        (DENIED, "Is Ivo the husband of Mara?"),
        (DENIED, "Did Greta weep?"),
        (("Janus was not a priest.",), "Isn't Janus a priest?"),
    ],
)
def test_a_clause_that_denies_it_denies_it(text: tuple[str, ...], question: str) -> None:
    assert over(text, question) == {"denied"}


@pytest.mark.parametrize(
    ("text", "question"),
    [
        (PEOPLE, "Is Ines a priest?"),
        (PEOPLE, "Is Emil Kern a priest?"),
        (PEOPLE, "Is Ines in the church?"),
        (PEOPLE, "Is Rolf a spy?"),
        (COMPARED, "Is Clara older than Agnes?"),
        (COMPARED, "Is the priest afraid of Ivo?"),
        (COMPARED, "Is the coat of Ivo Marr red?"),
        (RELATED, "Is Agnes dead?"),
        (RELATED, "Is Viktor dead?"),
        (RELATED, "Is Viktor the husband of Agnes?"),
        (RELATED, "Is Clara the sister of Count Brandt?"),
        (RELATED, "Is Viktor the son of Peter Lund?"),
        (SEEMING, "Is Janus dead?"),
        (SEEMING, "Is Janus a count?"),
        (SEEMING, "Does Hanna have a child?"),
        (SEEMING, "Was Hanna asleep?"),
        (GIVEN, "Did Captain O’Hara give the emerald to Zoë Lee?"),
        (GIVEN, "Did Brom sell the horn to Nell?"),
        (GIVEN, "Did Nell give Jory the horn?"),
        (GIVEN, "Was the horn sold by Brom?"),
        (ALIKE, "Did the old captain stab the young captain?"),
        (ALIKE, "Was the young captain stabbed?"),
        (ALIKE, "Did the old captain weep?"),
        (ALIKE, "Did the dog bite Count Brandt?"),
        (COUNTED, "Did Inge Holm drink the wine?"),
        (COUNTED, "Did Lars Bo dance with Inge Holm?"),
        (COUNTED, "Could Greta swim?"),
        (COUNTED, "Did Greta Holm have three horses?"),
        (COUNTED, "Did many guests dance with Greta Holm?"),
        (DENIED, "Did Margaret marry Edmund?"),
        (DENIED, "Was Ivo at the fair?"),
        (DENIED, "Is Ivo Mara's cousin?"),
        (DENIED, "Did Mara not sell the mill?"),
        (KILLED, "Did Tom kill Bo with a knife?"),
        (KILLED, "Did Bo go into the garden?"),
        (KILLED, "Did Tom kill Bo again?"),
        (KILLED, "Did only Tom kill Bo?"),
        (("Tom Gale nearly killed Bo Lind.",), "Did Tom kill Bo?"),
    ],
)
def test_less_than_all_of_it_in_one_clause_says_nothing(text: tuple[str, ...], question: str) -> None:
    assert over(text, question) == set()


def test_what_somebody_says_is_so_need_not_be() -> None:
    sentence = "“Erik was a thief,” said Janus."
    assert Entailing(NOBODY, "Was Erik a thief?").of(sentence, [range(18)]) == ""
