"""A model for peers that need one, without any: what a chapter's records say stands for what a model would read in it.

A peer asks its model to extract entities and relations from a piece of text, to merge descriptions, and to pick keywords of a
question. The answers here come from the records of the chapters, of which those count that stand on the piece (the same records
that our own methods have), or where a chapter has none from its names; nothing is asked of a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final

from projections.words.verbalising import statement
from services.evaluation.retrieval import matching
from services.evaluation.retrieval.questions import Story
from services.retrieval.sentences import split
from services.retrieval.wording import FUNCTION_WORDS

_NAME: Final = re.compile(r"\b[A-Z][a-z]+(?:[ -][A-Z][a-z]+)*")
_WORD: Final = re.compile(r"[^\W_]+")
_NAMED: Final = (
    "source", "target", "entity", "character", "knower", "subject", "object", "owner", "location", "a", "b", "participants",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Entity:
    name: str
    type: str
    description: str


@dataclass(frozen=True, slots=True)
class Relation:
    source: str
    target: str
    keywords: str
    description: str


class ReadingAloud:
    """Knows what the records of a story's chapters say, and on which words of them."""

    def __init__(self, story: Story) -> None:
        self._told = [told for chapter in story.chapters for told in _records(chapter.records)]

    def extract(self, text: str) -> tuple[list[Entity], list[Relation]]:
        """The entities and relations of a piece of text, none of which stands on anything else."""
        words = matching.spelled(text)
        here = [record for record, quotes in self._told if any(quote in words for quote in quotes)]
        return _from_records(here) if here else _from_names(text)


def keywords(question: str) -> list[str]:
    """The names in a question and its other words that say something, each once."""
    found = [word for word in _WORD.findall(question) if word.casefold() not in FUNCTION_WORDS and len(word) > 2]
    return list(dict.fromkeys([*_named(question), *found]))


def _records(given: Any) -> Iterator[tuple[Mapping[str, Any], list[str]]]:
    records = given.get("records", ()) if isinstance(given, Mapping) else given or ()
    for record in records:
        quotes = [matching.spelled(e["quote"]) for e in record.get("evidence", ()) if e.get("quote")]
        if quotes:
            yield record, quotes


def _from_records(records: list[Mapping[str, Any]]) -> tuple[list[Entity], list[Relation]]:
    entities: dict[str, Entity] = {}
    relations: list[Relation] = []
    for record in records:
        kind, said = str(record["kind"]), statement(str(record["kind"]), dict(record))
        if kind == "entity":
            entities[record["name"]] = Entity(record["name"], str(record.get("type", "Other")), said)
            continue
        names = _names(record)
        for name in names:
            entities.setdefault(name, Entity(name, "Other", said))
        if len(names) > 1:
            relations.append(Relation(names[0], names[1], kind.replace("_", " "), said))
    return list(entities.values()), relations


def _names(record: Mapping[str, Any]) -> list[str]:
    found: list[str] = []
    for field in _NAMED:
        value = record.get(field)
        for each in value if isinstance(value, list) else [value]:
            name = each.get("entity") if isinstance(each, Mapping) else each
            if isinstance(name, str) and name:
                found.append(name)
    return list(dict.fromkeys(found))


def _from_names(text: str) -> tuple[list[Entity], list[Relation]]:
    entities: dict[str, Entity] = {}
    relations: list[Relation] = []
    for start, end in split(text):
        said = " ".join(text[start:end].split())
        names = _named(said)
        for name in names:
            entities.setdefault(name, Entity(name, "Other", said))
        relations += [Relation(a, b, "together", said) for a, b in pairwise(names)]
    return list(entities.values()), relations


def _named(sentence: str) -> list[str]:
    """The names in a sentence, each once. Its first word is part of one only if another capital follows it."""
    found: list[str] = []
    for match in _NAME.finditer(sentence):
        words = match.group().split(" ")
        opens = not any(map(str.isalnum, sentence[: match.start()]))
        if words[0].casefold() in FUNCTION_WORDS:
            words = words[1:]
        elif opens and len(words) == 1:
            words = []
        found.append(" ".join(words))
    return [name for name in dict.fromkeys(found) if name]
