"""Entries of the state: a key that holds, its value, and the records that say so, as they are shown and digested."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from events.domain_events import Json, Setting, Term
from events.ids import EntityId
from events.keys import render, shown_value
from events.records import plainly
from projections.story_state.found import Holding, Pair, Supporting
from services.reading.naming import Naming
from services.reading.quoting import Quote, Texts, quoting
from services.reading.session import Moment, Session

_LEFT_OUT: Final = ("id", "evidence", "depends_on", "requires")
_MAX_ENTRIES: Final = 100_000


@dataclass(frozen=True, slots=True)
class Held:
    """A key that holds, its value and the records that say so, first first. `setting` has the wording to show."""

    setting: Setting
    value: Term
    valid_from: int
    support: tuple[Supporting, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """A `Held` as it is shown.

    `entities` are those its key and value name, `canonical` is its part of the digest, `payload` the last record's.
    """

    key: str
    functor: str
    entities: tuple[EntityId, ...]
    canonical: str
    payload: Json
    shown: dict[str, Json]


Signature: TypeAlias = tuple[str, Holding, tuple[str, ...]]


class Entries:
    """Entries from the rows that support them. One that was made before is not made again: chapters share most of theirs.

    An entry is settled by the rows it is made of, which never change, and the names its records show.
    """

    def __init__(self, texts: Texts, max_entries: int = _MAX_ENTRIES) -> None:
        self._texts = texts
        self._max_entries = max_entries
        self._named: dict[tuple[str, Pair], tuple[str, ...]] = {}
        self._made: dict[Signature, Entry] = {}
        self._lock = threading.Lock()

    def of_rows(self, session: Session, moment: Moment, naming: Naming, held: Sequence[Holding]) -> list[Entry]:
        """The entries of keys whose entities are nobody else."""
        read: dict[Pair, Supporting] = {}
        named = self._entities(session, held, read)
        naming.load({entity for h in held for pair in h.support for entity in named[pair]})
        signatures = [self._signature(session, naming, h, named) for h in held]
        with self._lock:
            found = [self._made.get(signature) for signature in signatures]
        missing = [h for h, entry in zip(held, found, strict=True) if entry is None]
        made = iter(self._make(session, moment, naming, missing, read))
        entries = [entry or next(made) for entry in found]
        self._keep(signatures, entries)
        return entries

    def of_held(self, session: Session, moment: Moment, naming: Naming, held: Sequence[Held]) -> list[Entry]:
        """The entries of keys that have been folded."""
        terms = {t.key for h in held for t in (*h.setting.args, h.value) if t.entity}
        naming.load(terms | {m.entity for h in held for s in h.support for m in s.mentions})
        quote = quoting(session, moment, self._texts, {(s.chapter, s.revision) for h in held for s in h.support})
        return [entry(h, naming, quote) for h in held]

    def clear(self) -> None:
        with self._lock:
            self._made.clear()
            self._named.clear()

    def _entities(
        self, session: Session, held: Sequence[Holding], read: dict[Pair, Supporting]
    ) -> dict[Pair, tuple[str, ...]]:
        """The entities that each supporting row names. What had to be read for it is added to `read`."""
        schema = session.schemas.state
        pairs = {pair for h in held for pair in h.support}
        with self._lock:
            known = {pair: entities for pair in pairs if (entities := self._named.get((schema, pair))) is not None}
        fresh = list(pairs - known.keys())
        if not fresh:
            return known
        read.update(session.state.supporting_of(fresh))
        found = {pair: entities_of(read[pair]) for pair in fresh}
        with self._lock:
            if len(self._named) > 5 * self._max_entries:
                self._named.clear()
            self._named.update({(schema, pair): entities for pair, entities in found.items()})
        return known | found

    def _signature(
        self, session: Session, naming: Naming, held: Holding, named: dict[Pair, tuple[str, ...]]
    ) -> Signature:
        names = tuple([naming.name(entity) for pair in held.support for entity in named[pair]])
        return (session.schemas.state, held, names)

    def _make(
        self,
        session: Session,
        moment: Moment,
        naming: Naming,
        held: Sequence[Holding],
        read: dict[Pair, Supporting],
    ) -> list[Entry]:
        if not held:
            return []
        unread = [pair for h in held for pair in h.support if pair not in read]
        if unread:
            read.update(session.state.supporting_of(unread))
        worded = session.state.settings_of([h.worded for h in held])
        return self.of_held(session, moment, naming, [held_by(h, worded[h.worded], read) for h in held])

    def _keep(self, signatures: Sequence[Signature], entries: Sequence[Entry]) -> None:
        with self._lock:
            if len(self._made) > self._max_entries:
                self._made.clear()
            self._made.update(zip(signatures, entries, strict=True))


def entities_of(supporting: Supporting) -> tuple[str, ...]:
    """The entities that an assertion and its record name."""
    setting = supporting.setting
    terms = [t.key for t in (*setting.args, setting.value) if t is not None and t.entity]
    return tuple(dict.fromkeys([*terms, *(m.entity for m in supporting.mentions)]))


def held_by(held: Holding, worded: Setting, read: dict[Pair, Supporting]) -> Held:
    """What the rows of a holding say, that have been read."""
    support = tuple(read[pair] for pair in held.support)
    value = support[0].setting.value
    assert value is not None, "an interval has a value"
    return Held(worded, value, held.valid_from, support)


def entry(held: Held, naming: Naming, quote: Quote) -> Entry:
    """A key that holds, as it is shown."""
    name_of: Callable[[EntityId], str] = naming.name
    terms = (*held.setting.args, held.value)
    key, value = render(held.setting, name_of), shown_value(held.value, name_of)
    contents = [_content(s, naming) for s in held.support]
    return Entry(
        key=key,
        functor=held.setting.functor,
        entities=tuple(dict.fromkeys(naming.head(t.key) for t in terms if t.entity)),
        canonical=canonical([key, value, held.valid_from, contents]),
        payload=held.support[-1].payload if held.setting.functor == "relationship" else None,
        shown={
            "key": key,
            "value": value,
            "valid_from": held.valid_from,
            "record": held.support[0].record,
            "confidence": max(float(s.payload.get("confidence", 1.0)) for s in held.support),
            "evidence": [span for s in held.support for span in quote(s.chapter, s.revision, s.evidence)],
        },
    )


def canonical(content: Json) -> str:
    """JSON with sorted keys, nothing between its tokens, and every character as itself."""
    return json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def joined(entries: Iterable[Entry]) -> str:
    """The canonical JSON of the list of all entries: key, value, valid_from and record contents of each."""
    return "[" + ",".join(entry.canonical for entry in entries) + "]"


def _content(supporting: Supporting, naming: Naming) -> Json:
    """What the record says, in canonical names: without its local id, its evidence and what it rests on.

    The same digest on any machine needs one way to write it, whether or not an annotator spells defaults out.
    """
    payload = {field: value for field, value in plainly(supporting.payload).items() if field not in _LEFT_OUT}
    if supporting.setting.functor == "knowledge":  # its fact may be a record's name, and names are no content
        payload["fact"] = supporting.setting.args[1].text
    return naming.renamed(payload, supporting.mentions)
