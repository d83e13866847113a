"""What holds after a chapter, with its grounds: computed once, kept while nothing that concerns it is recorded."""

from __future__ import annotations

import hashlib
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from events.domain_events import Json, Term
from events.validity import Assertion, fold_key
from projections.story_state.found import Supporting
from services.reading.entries import Entries, Entry, Held
from services.reading.entries import joined as in_canonical_json
from services.reading.naming import Naming
from services.reading.quoting import Texts
from services.reading.session import Moment, Session

_MAX_ENTRIES: Final = 200_000
"""Entries of all slices kept together; most are shared between the slices of a story."""


@dataclass(frozen=True, slots=True)
class StateSlice:
    """All that holds after a chapter. `incomplete`: the chapters missing below the highest one published."""

    entries: tuple[Entry, ...]
    shown: list[Json]
    digest: str
    incomplete: list[int]


Key: TypeAlias = tuple[str, str, str, int, int]


class Slices:
    """Computes slices and keeps the most recently used. A key has the versions of the read models, the story, the
    chapter and the relevant position.

    The relevant position is that of the last event of chapters up to the slice's, so a slice stays good while later
    chapters come, and nothing of them can be in it.
    """

    def __init__(self, texts: Texts, max_entries: int = _MAX_ENTRIES) -> None:
        self._texts = texts
        self._entries = Entries(texts)
        self._max_entries = max_entries
        self._kept: OrderedDict[Key, StateSlice] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def of(self, session: Session, moment: Moment) -> StateSlice:
        found = self.kept(session, moment)
        if found is not None:
            return found
        computed = compute(session, moment, self._texts, self._entries)
        key = _key(session, moment)
        with self._lock:
            if key not in self._kept:
                self._kept[key] = computed
                self._size += _weight(computed)
            while self._size > self._max_entries and len(self._kept) > 1:
                self._size -= _weight(self._kept.popitem(last=False)[1])
        return computed

    def kept(self, session: Session, moment: Moment) -> StateSlice | None:
        """The slice if it is in memory."""
        key = _key(session, moment)
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def clear(self) -> None:
        """Forget everything, as when a text is erased."""
        with self._lock:
            self._kept.clear()
            self._size = 0
        self._entries.clear()


def _key(session: Session, moment: Moment) -> Key:
    return (session.schemas.state, session.schemas.entities, moment.story, moment.at, moment.position)


def _weight(computed: StateSlice) -> int:
    return len(computed.entries) + 1


def compute(session: Session, moment: Moment, texts: Texts, entries: Entries | None = None) -> StateSlice:
    """The slice from the tables."""
    entries = entries or Entries(texts)
    naming = Naming(session, moment)
    joined = session.state.keys_of_entities(moment.story, naming.joined) if naming.joined else set()
    rows = session.state.holding(moment.story, moment.at, moment.believed, joined)
    found = entries.of_rows(session, moment, naming, rows)
    if joined:
        found += entries.of_held(session, moment, naming, _folded(session, moment, naming, joined))
    found = sorted_entries(found)
    return StateSlice(tuple(found), [entry.shown for entry in found], digest(found), _missing(session, moment))


def sorted_entries(entries: Iterable[Entry]) -> list[Entry]:
    """By key; of one key, which several entities of one name may have, by the record that says so."""
    return sorted(entries, key=lambda e: (e.key, e.shown["record"], e.canonical))


def digest(entries: Iterable[Entry]) -> str:
    """The SHA-256 of the canonical JSON of keys, values, valid_from and record contents, in order."""
    return "sha256:" + hashlib.sha256(in_canonical_json(entries).encode("utf-8", "surrogatepass")).hexdigest()


def _missing(session: Session, moment: Moment) -> list[int]:
    """Chapters never published below the highest that is; a retracted one is not missing, it was taken away."""
    rows = session.state.revisions(moment.story, moment.at, moment.believed)
    known = {row.chapter for row in rows}
    highest = max((row.chapter for row in rows if row.current and row.text_hash), default=0)
    if highest > len(rows) + 10_000:  # a story may begin at chapter 1,000,000: name the gap's end only
        return [chapter for chapter in range(highest - 10_000, highest) if chapter not in known]
    return [chapter for chapter in range(1, highest) if chapter not in known]


# --- keys of entities that are one with others: folded anew, under those they go by ---


def _folded(session: Session, moment: Moment, naming: Naming, keys: set[str]) -> list[Held]:
    by_key: dict[str, list[Supporting]] = {}
    for supporting in session.state.supporting(moment.story, moment.at, moment.believed, keys):
        by_key.setdefault(naming.canonical(supporting.setting).node_key, []).append(supporting)
    return [held for key, assertions in by_key.items() for held in last_held(key, assertions, naming)]


def last_held(key: str, assertions: Sequence[Supporting], naming: Naming) -> list[Held]:
    """The key's last interval, if it has not ended: what holds after the moment's chapter."""
    by_uid = {a.uid: a for a in assertions}
    words = [Assertion(a.order, key, _value_key(naming, a.setting.value), a.uid) for a in assertions]
    last = [interval for interval in fold_key(words) if interval.valid_to is None]
    supports = [(interval, [by_uid[uid] for uid in interval.support]) for interval in last]
    return [
        Held(assertions[0].setting, value, interval.valid_from, tuple(support))
        for interval, support in supports
        if (value := support[0].setting.value) is not None
    ]


def _value_key(naming: Naming, value: Term | None) -> str | None:
    if value is None:
        return None
    return f"@{naming.head(value.key)}" if value.entity else f"={value.key}"
