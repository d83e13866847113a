"""What the product remembers of a story: its records taken in chapter by chapter, as the ledger takes them in."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from events.evidence import TextIndex
from events.ids import EntityId
from events.names import AMBIGUOUS, PERSON, UNKNOWN, class_of, name_key
from events.registry import NO_NAMES
from events.revisions import Entry, RevisionState, entry_of
from events.sidecar import validate
from events.story_index import StoryIndex

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Attribution:
    """Speech and the entity it is given to, in code points of the chapter."""

    chapter: int
    start: int
    end: int
    speaker: str


class Memory:
    """A story after its last chapter: entities by what they are called, who speaks, who is present.

    Entities are those that are left when names, aliases and links of all chapters are known.
    """

    def __init__(self, records: Mapping[int, Sequence[Record]], texts: Mapping[int, str]) -> None:
        self._texts = {str(chapter): text for chapter, text in texts.items()}
        self._index = StoryIndex("story", self._texts.get)
        for sequence, chapter in enumerate(sorted(records), start=1):
            self._take(chapter, sequence, records[chapter])
        self._last = max(records, default=0)
        self.names = self._names()
        """What each person is called: names, aliases, and the words for whoever has no record."""

    def _take(self, chapter: int, sequence: int, records: Sequence[Record]) -> None:
        text = TextIndex(self._texts[str(chapter)])
        entries = []
        for number, record in enumerate(validate(list(records), chapter=chapter)):
            found = [
                text.locate(quote=e.get("quote"), start=e.get("start"), end=e.get("end")) for e in record["evidence"]
            ]
            spans = tuple((span.start, span.end) for span in found if span is not None)
            if spans:
                entries.append(entry_of(record, spans, number, (chapter, sequence, 1)))
        entries.sort(key=lambda entry: entry.place)
        self._index.take(chapter, RevisionState(sequence, 1, str(chapter), entries))

    def _names(self) -> dict[str, frozenset[str]]:
        names: defaultdict[str, set[str]] = defaultdict(set)
        for entry in self._index.live_entries():
            for mention in entry.mentions:
                if class_of(mention.entity) in (PERSON, UNKNOWN):
                    names[self._head(mention.entity)].add(mention.surface)
                    if entry.kind == "entity" and mention.slot == "name":
                        names[self._head(mention.entity)] |= set(entry.payload.get("aliases", ()))
        return {entity: frozenset(called) for entity, called in names.items()}

    def _head(self, entity: EntityId) -> EntityId:
        return self._index.registry.links.representative(entity, self._last)

    def introduced(self) -> set[str]:
        """The people that have a record of their own."""
        return {
            str(self._head(entity))
            for entry in self._index.live_entries()
            if entry.kind == "entity" and (entity := _named(entry, "name")) and class_of(entity) == PERSON
        }

    def meant(self, chapter: int, name: str) -> str | None:
        """Whom a chapter means by a name that its records use; None where that is open between several."""
        revision = self._index.current(chapter)
        local = revision.local if revision is not None else NO_NAMES
        entity = self._index.registry.resolve(name_key(name), (PERSON,), chapter, local)
        return None if class_of(entity) == AMBIGUOUS else str(self._head(entity))

    def attributions(self) -> list[Attribution]:
        """All speech that is given to somebody."""
        return [
            Attribution(entry.chapter, start, end, self._head(speaker))
            for entry in self._index.live_entries()
            if (speaker := _speaker(entry)) is not None
            for start, end in entry.evidence
        ]

    def present(self) -> dict[int, frozenset[str]]:
        """Who acts or speaks in a scene of each chapter, or arrives somewhere in it."""
        found: defaultdict[int, set[str]] = defaultdict(set)
        for entry in self._index.live_entries():
            found[entry.chapter] |= {self._head(entity) for entity in _present(entry)}
        return {chapter: frozenset(people) for chapter, people in found.items()}


def _speaker(entry: Entry) -> EntityId | None:
    if entry.kind == "interaction":
        return _named(entry, "source")
    if entry.kind != "event":
        return None
    roles = [p.get("role") for p in entry.payload.get("participants", ()) if isinstance(p, dict)]
    return _named(entry, f"participants.{roles.index('speaker')}") if "speaker" in roles else None


def _named(entry: Entry, slot: str) -> EntityId | None:
    return next((mention.entity for mention in entry.mentions if mention.slot == slot), None)


def _present(entry: Entry) -> Iterator[EntityId]:
    for mention in entry.mentions:
        if (entry.kind == "situation" and mention.slot.startswith("participants.")) or (
            entry.kind == "presence" and mention.slot == "entity"
        ):
            yield mention.entity


def folded(text: str) -> tuple[str, list[int]]:
    """A text as `comparable` names are looked for in it, and the offset in the text of each of its characters."""
    parts = [_folded_character(c) for c in text]
    return "".join(parts), [offset for offset, part in enumerate(parts) for _ in part]


@lru_cache(maxsize=10_000)
def _folded_character(character: str) -> str:
    return "" if unicodedata.combining(character) else comparable(character) or " "


def comparable(name: str) -> str:
    """A name as it is compared with people's: without case, points, accents and article."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(name_key(plain.replace(".", " ").replace("_", " ")).split())
