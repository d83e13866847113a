"""Yes or no from the text of a packet: by single clauses that say it, or deny it, and by nothing less."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.answering.naming import Names
from services.answering.occurrences.entailing import Entailing, Verdict
from services.answering.readers.asking import is_composite, kind_of
from services.answering.readers.reader import ABSTAINED, Answer
from services.answering.readers.sentences import bounds, described, is_entry, terms
from services.extraction.offline.language import parsed_language

Json = Any
_OPENING: Final = "“«"
_CLOSING: Final = "”»"
_PLAIN: Final = '"'
SHORT: Final = 12
"""Words of a question or a claim that a single clause may tell."""
_PLACES: Final = ("in", "on", "under", "near", "behind", "with")
LOOKED_AT: Final = 60
"""Sentences that are parsed for a question."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence of an item that affirms or denies what is asked."""

    item: str
    chapter: int
    start: int
    verdict: Verdict


def is_plain(question: str) -> bool:
    """Whether a question is one that a single English clause can answer by yes or no."""
    return kind_of(question) == "polar" and not is_composite(question) and parsed_language(question, "en") is not None


def sayings(names: Names, question: str, packet: Mapping[str, Json]) -> list[Saying]:
    """The sentences of the packet's passages that say or deny it, in its order."""
    return list(_sayings(Entailing(names, question), packet))


def _sayings(asked: Entailing, packet: Mapping[str, Json]) -> Iterator[Saying]:
    content, looked_at = asked.content, 0
    for item in packet["items"]:
        text = item["text"]
        if item.get("type") == "entity":
            text = " ".join(each for each in described(text) if not is_entry(each))
        elif "passage" not in item:
            continue
        spoken = list(quoted(text))
        for start, end in bounds(text):
            sentence = text[start:end]
            # all but its verb, which another word may tell
            if len(content - set(terms(sentence))) > 1:
                continue
            looked_at += 1
            if looked_at > LOOKED_AT:
                return
            inside = [range(low - start, high - start) for low, high in spoken]
            found = asked.of(re.sub(r"\s", " ", sentence), inside)
            if found:
                yield Saying(item["id"], item["chapter"], start, found)


def from_passages(names: Names, question: str, packet: Mapping[str, Json]) -> Answer:
    """What has been done once, has been done, whatever else is denied; of how things are, what is told last counts."""
    found = sayings(names, question, packet)
    if not found:
        return ABSTAINED
    last = max(found, key=lambda each: (each.chapter, each.start))
    done = [each for each in found if each.verdict == "affirmed"]
    if done and re.match(r"\s*(?:did|has|have|had)\b", question, re.IGNORECASE):
        last = done[-1]
    return Answer("Yes" if last.verdict == "affirmed" else "No", False, (last.item,))


def quoted(text: str) -> Iterator[tuple[int, int]]:
    """Where somebody speaks, as code points [start, end); a passage may begin or end within what is said."""
    opened: int | None = None
    told = 0
    for at, c in enumerate(text):
        if c in _OPENING or (c == _PLAIN and opened is None):
            opened = at if opened is None else opened
        elif c in _CLOSING or c == _PLAIN:
            yield (opened if opened is not None else told), at + 1
            opened, told = None, at + 1
    if opened is not None:
        yield opened, len(text)


def is_affirmed(names: Names, statements: Sequence[str], packet: Mapping[str, Json]) -> bool:
    """Whether the text of a packet says one of the statements in so many words."""
    return any(each.verdict == "affirmed" for said in statements for each in sayings(names, said, packet))


def as_statements(question: str, option: str) -> list[str]:
    """What an option for `Who robbed Tomas?` or `Where is Tomas?` says, in each wording; a claim as it is; none where it would have
    to be put in other words."""
    asked = question.strip().rstrip("?.! ")
    if len(asked.split()) > SHORT:
        return []
    if option.casefold() == "true":
        return [asked]
    who = re.match(r"who\s+(?!(?:did|does|do|is|are|was|were|has|have|had|else)\b)", asked, re.IGNORECASE)
    if who:
        return [f"{option} {asked[who.end() :]}"]
    where = re.match(r"where\s+(is|are|was|were)\s+", asked, re.IGNORECASE)
    if where:
        return [f"{asked[where.end() :]} {where[1]} {place} {option}" for place in ("", *_PLACES)]
    return []
