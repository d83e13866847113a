"""A model for peers that need one, without any: what a chapter's records say stands for what a model would read in it.

A peer asks its model to extract entities and relations from a piece of text, to merge descriptions, to tell which names are one and
which facts hold no more, and to pick keywords of a question. The answers here come from the records of the chapters, of which those
count that stand on the piece (the same records that our own methods have), or where a chapter has none from its names; nothing is
asked of a network.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final

from events.references import settings
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
        here = self._here(text)
        return _from_records(here) if here else _from_names(text)

    def facts(self, text: str, names: Iterable[str]) -> list[Relation]:
        """The relations of a piece, and what it says of one thing or none beside another of the names that it says it with."""
        here = self._here(text)
        if not here:
            return _from_names(text)[1]
        spelled = {name: matching.spelled(name) for name in names}
        return [fact for record in here if (fact := _fact(record, spelled))]

    def about(self, text: str) -> Mapping[str, list[str]]:
        """What a piece says of each name, in its order, each once."""
        found: dict[str, dict[str, None]] = {}
        here = [(_said(record), _of(record)) for record in self._here(text)]
        for said, names in here or [(r.description, [r.source, r.target]) for r in _from_names(text)[1]]:
            for name in names:
                found.setdefault(name, {})[said] = None
        return {name: list(said) for name, said in found.items()}

    def one(self, text: str) -> list[frozenset[str]]:
        """The names, without case, that a piece says belong to one bearer."""
        found = []
        for record in self._here(text):
            if record["kind"] == "entity":
                found.append({record["name"], *(record.get("aliases") or ())})
            elif record["kind"] == "identity":
                found.append({record["a"], record["b"]})
        return [frozenset(map(str.casefold, names)) for names in found if len(names) > 1]

    def replaced(self, new: str, old: Iterable[str]) -> list[int]:
        """The places of those old facts that cannot hold beside the new one: of one key their records say another thing."""
        sets = self._set.get(new, {})
        return [
            place
            for place, fact in enumerate(old)
            if any(sets.get(k, v) != v for k, v in self._set.get(fact, {}).items())
        ]

    @cached_property
    def _set(self) -> Mapping[str, Mapping[str, str | None]]:
        found: dict[str, dict[str, str | None]] = {}
        for record, _ in self._told:
            if record.get("modality", "actual") == "actual":
                for each in settings(record, {}, None):
                    found.setdefault(_said(record), {})[each.node_key] = each.value.compared if each.value else None
        return found

    def _here(self, text: str) -> list[Mapping[str, Any]]:
        words = matching.spelled(text)
        return [record for record, quotes in self._told if any(quote in words for quote in quotes)]


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
        said = _said(record)
        if record["kind"] == "entity":
            entities[record["name"]] = Entity(record["name"], str(record.get("type", "Other")), said)
            continue
        names = _names(record)
        for name in names:
            entities.setdefault(name, Entity(name, "Other", said))
        if len(names) > 1:
            relations.append(Relation(names[0], names[1], _kind(record), said))
    return list(entities.values()), relations


def _fact(record: Mapping[str, Any], spelled: Mapping[str, str]) -> Relation | None:
    """Between the two things that a record is about, or those of the names that its words have first."""
    said, names = _said(record), _of(record)
    if len(names) < 2:
        words = matching.spelled(said)
        beside = sorted((words.find(name), other) for other, name in spelled.items() if name in words)
        names = list(dict.fromkeys([*names, *(other for _, other in beside)]))
    return Relation(names[0], names[1], _kind(record), said) if len(names) > 1 else None


def _of(record: Mapping[str, Any]) -> list[str]:
    return [str(record["name"])] if record["kind"] == "entity" else _names(record)


def _kind(record: Mapping[str, Any]) -> str:
    return str(record["kind"]).replace("_", " ")


def _said(record: Mapping[str, Any]) -> str:
    return statement(str(record["kind"]), dict(record))


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
