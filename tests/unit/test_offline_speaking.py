"""Whom the words before and after a quotation mean where the sentence is long, or the name is short."""

from __future__ import annotations

from typing import Any

import pytest

from services.extraction.offline import OfflineExtractor
from services.extraction.offline.cues import Cues
from services.extraction.offline.drafts import People
from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mention, Mentions
from services.extraction.offline.names import Name
from services.extraction.offline.observations import Observations, Pronoun, Votes
from services.extraction.offline.paragraphs import Span

COMPANY = "Mara Voss came in. Tomas Reed followed Mara. Mara nodded to Tomas, and Tomas sat down.\n\n"


def speakers(text: str) -> list[str]:
    found: list[tuple[int, Any]] = []
    for record in OfflineExtractor().extract(text, chapter=1):
        place = record["evidence"][0]["start"]
        if record["kind"] == "interaction":
            found.append((place, record["source"]))
        elif record["kind"] == "event":
            found += [(place, one["entity"]) for one in record.get("participants", ()) if one["role"] == "speaker"]
    return [name for _, name in sorted(found)]


@pytest.mark.parametrize(
    "sentence",
    [
        "Tomas played a lively air; and soon afterwards Mara, drawing near the window, said to him, “It is late.”",
        "Tomas had waited long enough, and Mara, always hasty and often rude, loudly exclaimed, “It is late.”",
        "Tomas looked out; but Mara refused to go to the window, and then rising up, said, “It is late.”",
        "Mara was satisfied; and with a solemn smile replied, “It is late.”",
        "Tomas hurried to the door and met Mara there, who, breathless with running, cried out, “It is late.”",
        "The letter was read to Mara, who heard it with a grave face, and then remarked, “It is late.”",
        "Mara told the boys that Tomas had gone, adding with a smile, “It is late.”",
        "Mara, far more troubled than if he had thrown the box at the mirror, or sunk down, shut it, and cried, “It is late.”",
        "Tomas had hardly begun when he was interrupted by Mara, “It is late.”",
    ],
)
def test_whoever_begins_the_clause_speaks(sentence: str) -> None:
    assert speakers(COMPANY + sentence) == ["Mara Voss"]


def test_words_that_are_somebodys_are_spoken_by_him() -> None:
    assert speakers(COMPANY + "“It is late,” were Tomas’s words.") == ["Tomas Reed"]
    assert speakers(COMPANY + "“It is late,” was Mara’s cool reply.") == ["Mara Voss"]


@pytest.mark.parametrize("tag", ["said the Captain", "said the captain", "cried the Captain, rising"])
def test_a_title_alone_is_the_one_who_bears_it(tag: str) -> None:
    text = f"Captain Reed came in. Mara Voss nodded to Captain Reed.\n\n“The ferry is late,” {tag}."
    assert speakers(text) == ["Captain Reed"]


def test_a_title_that_two_bear_is_neither() -> None:
    text = (
        "Captain Reed came in. Captain Orlov followed. Mara Voss nodded to Captain Orlov and Captain Reed.\n\n"
        "“The ferry is late,” said the Captain."
    )
    assert all(name != "Captain Reed" for name in speakers(text))


def test_an_adjective_before_a_name_does_not_hide_it() -> None:
    assert speakers(COMPANY + "“It is late,” returned the obstinate Tomas.") == ["Tomas Reed"]


def test_a_surname_of_two_is_whichever_may_be_meant_by_it() -> None:
    people = [_called("Mr. Voss", "mr"), _called("Mrs. Voss", "mrs"), _called("John Voss", "")]
    surname = Figure("Voss", "character", [("Voss",)], ambiguous=("John Voss", "Mr. Voss", "Mrs. Voss"))
    known = People(Mentions([Mention(Span(n, n + 1), figure, True) for n, figure in enumerate([*people, surname])]))
    assert known.bearers(surname) == (0, 2)
    assert known.bearers(people[0]) == ()


def _called(text: str, title: str) -> Figure:
    tokens = tuple(text.split())
    rest = tokens[1:] if title else tokens
    name = Name(tokens, (title,) if title else (), rest, "character", Votes())
    return Figure(text, "character", [tokens], [name])


def test_a_surname_of_several_speaks_as_one_of_them() -> None:
    text = (
        "Mr. Voss stood in the hall with Josiah Voss and Tom Voss. Mr. Voss looked at Josiah Voss. "
        "Mr. Voss shook his head. Tom Voss spoke to Mr. Voss.\n\n“The ferry is late,” said Voss."
    )
    assert set(speakers(text)) <= {"Mr. Voss", "Josiah Voss", "Tom Voss"}
    assert len(speakers(text)) == 1


def test_the_subject_of_a_clause_inside_another_does_not_speak() -> None:
    text = "Tomas, more troubled than if she had lost it, shut the box, and cried, “It is late.”"
    tomas = Figure("Tomas", "character", [("Tomas",)])
    seen = Observations(subjects=[0], references=[Pronoun(text.index("she"), "she", True, False)])
    quote = Span(text.index("“"), len(text))
    cues = Cues(text, seen, Mentions([Mention(Span(0, 5), tomas, True)]))
    (spoken,) = cues.of(Span(0, len(text)), [quote], None)
    assert spoken.cue is not None
    assert (spoken.cue.verb, spoken.cue.subject) == ("cry", 0)


WALK = "Ida came in. Mara Voss looked at Ida. Then Mara sat down, and Ida smiled at Mara."


@pytest.mark.parametrize(
    "text",
    [
        WALK + "\n\n“The ferry is late,” was Mara’s only observation.",
        WALK + "\n\n“The ferry is late,” was Mara Voss’s final summing up of it.",
        WALK + " Mara’s conclusion was this:\n\n“The ferry is late.”",
        WALK + " Mara’s first question was—“Is the ferry late?”",
    ],
)
def test_whose_remark_it_was_has_said_it(text: str) -> None:
    assert speakers(text) == ["Mara Voss"]


def test_a_chapter_s_number_is_no_part_of_a_name() -> None:
    text = "Chapter XIV. Mara’s Confession\n\nMara came in. “I took the key,” said Mara. “I know,” said Ida."
    assert set(speakers(text)) == {"Mara", "Ida"}
