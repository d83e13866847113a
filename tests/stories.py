"""A story in memory: publish into it and read the state as of a chapter by folding everything from scratch.

It is the plain reading of the rules, without any of the incremental machinery but the index that decides what is live,
and the read models are held against it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from events.contributions import Taken
from events.domain_events import Setting, Term
from events.evidence import TextIndex
from events.ids import EntityId
from events.keys import render, shown_value
from events.revisions import Entry, RevisionState, entry_of
from events.sidecar import validate
from events.story_index import StoryIndex
from events.validity import Assertion, Interval, as_of, fold


class Story:
    """Chapters go in with `publish`, in any order; `sequence` may be given to let one overtake another."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        self.index = StoryIndex("story", self._texts.get)
        self._sequence = 0
        self._revisions: dict[int, int] = {}

    def publish(self, chapter: int, *records: Mapping[str, Any], text: str = "", sequence: int | None = None) -> Taken:
        number = self._number(sequence)
        self._revisions[chapter] = self._revisions.get(chapter, 0) + 1
        body = text or " ".join(f"Line {n}." for n in range(len(records) + 1))
        digest = f"hash of {number}"
        self._texts[digest] = body
        at = (chapter, number, self._revisions[chapter])
        entries = [
            entry_of(record, _spans(record, body, n), n, at)
            for n, record in enumerate(validate([_named(r, n) for n, r in enumerate(records)], chapter=chapter))
        ]
        entries.sort(key=lambda e: e.place)
        return self.index.take(chapter, RevisionState(number, self._revisions[chapter], digest, entries))

    def retract(self, chapter: int) -> Taken:
        self._revisions[chapter] = self._revisions.get(chapter, 0) + 1
        revision = RevisionState(self._number(None), self._revisions[chapter], None, retracted=True)
        return self.index.take(chapter, revision)

    def merge(self, a: str, b: str, since: int = 0) -> Taken:
        return self.index.decide(self._number(None), {"merge": [a, b], "since": since})

    def split(self, alias: str, *names: str) -> Taken:
        return self.index.decide(self._number(None), {"split": alias, "names": list(names)})

    def _number(self, sequence: int | None) -> int:
        self._sequence = max(self._sequence + 1, sequence or 0)
        return sequence or self._sequence

    def live(self, name: str) -> bool:
        chapter, _, local = name.partition(":")
        current = self.index.current(int(chapter))
        entry = current.by_local(local) if current else None
        return entry is not None and entry.live

    def state(self, at: int) -> dict[str, str]:
        """Key and value of everything that holds after chapter `at`."""
        return {i.key: i.value for i in self.intervals(at) if i.holds_after(at)}

    def since(self, at: int) -> dict[str, int]:
        return {i.key: i.valid_from for i in as_of(self.intervals(at), at).values()}

    def intervals(self, at: int) -> list[Interval]:
        """What is to be read as of chapter `at`: nothing of a later chapter has a part in it."""
        reading = Reading(self.index, at)
        return fold(reading.assertions())


class Reading:
    """Names and assertions of a story as of a chapter, from scratch."""

    def __init__(self, index: StoryIndex, at: int) -> None:
        self._index, self._at = index, at
        self._entries = [e for e in _live(index) if e.chapter <= at]
        self._shown: dict[tuple[str, int, str], str] = {}

    def assertions(self) -> list[Assertion]:
        return [
            Assertion(
                (*e.place, f"{e.uid}/{n}"), self._key(s), shown_value(self._first(s, -1, s.value), self.name), e.uid
            )
            for e in self._entries
            for n, s in enumerate(e.settings)
        ]

    def name(self, entity: EntityId) -> str:
        links = self._index.registry.links
        head = links.representative(entity, self._at)
        for one in (head, *sorted(links.group(head, self._at))):
            surfaces = [
                (m.slot != "name" or e.kind != "entity", e.place, m.surface)
                for e in self._entries
                for m in e.mentions
                if m.entity == one
            ]
            if surfaces:
                return min(surfaces)[2]
        return head.partition("/")[2]

    def _key(self, setting: Setting) -> str:
        args = tuple(self._first(setting, n, t) or t for n, t in enumerate(setting.args))
        return render(Setting(setting.functor, args, None, setting.arrow), self.name)

    def _first(self, setting: Setting, place: int, term: Term | None) -> Term | None:
        """A literal as it was written first in its place of the key, or as its value (-1)."""
        if term is None or term.entity:
            return term
        return Term(term.key, self._shown.setdefault((setting.node_key, place, term.key), term.text))


def _live(index: StoryIndex) -> Iterable[Entry]:
    for chapter in index.chapters:
        current = index.current(chapter)
        yield from (e for e in (current.entries if current else ()) if e.live)


def _named(record: Mapping[str, Any], number: int) -> dict[str, Any]:
    return {"id": f"r{number + 1}", "evidence": [{"start": 0, "end": 4}], **record}


def _spans(record: Mapping[str, Any], text: str, number: int) -> tuple[tuple[int, int], ...]:
    quotes = [e["quote"] for e in record["evidence"] if "quote" in e]
    if not quotes:
        return ((number, number + 4),)
    found = TextIndex(text).locate(quote=quotes[0], start=None, end=None)
    assert found is not None, f"{quotes[0]!r} is not in the text"
    return ((found.start, found.end),)


def person(name: str, *aliases: str, **more: Any) -> dict[str, Any]:
    return {"kind": "entity", "type": "character", "name": name, "aliases": list(aliases), **more}


def owns(owner: str, thing: str = "brass key", **more: Any) -> dict[str, Any]:
    return {"kind": "object_delta", "object": thing, "owner": owner, **more}


def is_at(entity: str, location: str, **more: Any) -> dict[str, Any]:
    return {"kind": "presence", "entity": entity, "location": location, **more}


def has(character: str, attribute: str, value: str, **more: Any) -> dict[str, Any]:
    return {"kind": "character_delta", "character": character, "attribute": attribute, "value": value, **more}


def knows(knower: str, fact: str, **more: Any) -> dict[str, Any]:
    return {"kind": "knowledge", "knower": knower, "fact": fact, **more}


def reveal(a: str, b: str, **more: Any) -> dict[str, Any]:
    return {"kind": "identity", "a": a, "b": b, **more}
