"""What holds after a chapter, with its grounds: computed once, kept while nothing that concerns it is recorded."""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from events.domain_events import Json, Setting, Term
from events.ids import EntityId
from events.keys import render, shown_value
from events.validity import Assertion, fold_key
from projections.story_state.read import Supporting
from services.reading.naming import Naming
from services.reading.quoting import Quote, Texts, quoting
from services.reading.session import Moment, Session

_LEFT_OUT: Final = ("id", "evidence", "depends_on", "requires")
_MAX_ENTRIES: Final = 400_000


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

    `entities` are those its key and value name, `contents` what its records say, `payload` the last one's.
    """

    key: str
    functor: str
    entities: frozenset[EntityId]
    contents: list[Json]
    payload: Json
    shown: dict[str, Json]


@dataclass(frozen=True, slots=True)
class StateSlice:
    """All that holds after a chapter. `incomplete`: the chapters missing below the highest one published."""

    entries: tuple[Entry, ...]
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
        self._max_entries = max_entries
        self._kept: OrderedDict[Key, StateSlice] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def of(self, session: Session, moment: Moment) -> StateSlice:
        found = self.kept(session, moment)
        if found is not None:
            return found
        computed = compute(session, moment, self._texts)
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


def _key(session: Session, moment: Moment) -> Key:
    return (session.schemas.state, session.schemas.entities, moment.story, moment.at, moment.position)


def _weight(computed: StateSlice) -> int:
    return len(computed.entries) + 1


def compute(session: Session, moment: Moment, texts: Texts) -> StateSlice:
    """The slice from the tables."""
    naming = Naming(session, moment)
    held = [*_unjoined(session, moment, naming), *_joined(session, moment, naming)]
    naming.load(_entities(held))
    quote = quoting(session, moment, texts, {(s.chapter, s.revision) for h in held for s in h.support})
    entries = sorted((_entry(h, naming, quote) for h in held), key=lambda e: (e.key, e.shown["record"]))
    return StateSlice(tuple(entries), digest(entries), _missing(session, moment))


def digest(entries: Iterable[Entry]) -> str:
    """The SHA-256 of the canonical JSON of keys, values, valid_from and record contents, in order."""
    content = [[e.key, e.shown["value"], e.shown["valid_from"], e.contents] for e in entries]
    canonical = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


def _missing(session: Session, moment: Moment) -> list[int]:
    """Chapters never published below the highest that is; a retracted one is not missing, it was taken away."""
    rows = session.state.revisions(moment.story, moment.at, moment.believed)
    known = {row.chapter for row in rows}
    highest = max((row.chapter for row in rows if row.current and row.text_hash), default=0)
    if highest > len(rows) + 10_000:  # a story may begin at chapter 1,000,000: name the gap's end only
        return [chapter for chapter in range(highest - 10_000, highest) if chapter not in known]
    return [chapter for chapter in range(1, highest) if chapter not in known]


# --- keys of entities that are nobody else: their intervals are in the tables ---


def _unjoined(session: Session, moment: Moment, naming: Naming) -> list[Held]:
    joined = session.state.keys_of_entities(moment.story, naming.joined) if naming.joined else set()
    by_key: dict[str, tuple[int, list[Supporting]]] = {}
    for valid_from, supporting in session.state.holding(moment.story, moment.at, moment.believed, joined):
        by_key.setdefault(supporting.node_key, (valid_from, []))[1].append(supporting)
    worded = [key for key, (_, support) in by_key.items() if any(not t.entity for t in support[0].setting.args)]
    first = session.state.first_settings(moment.story, moment.believed, worded)
    return [
        _held(first.get(key, support[0].setting), support[0].setting.value, valid_from, support)
        for key, (valid_from, support) in by_key.items()
    ]


def _held(setting: Setting, value: Term | None, valid_from: int, support: Sequence[Supporting]) -> Held:
    assert value is not None, "an interval has a value"
    return Held(setting, value, valid_from, tuple(support))


# --- keys of entities that are one with others: folded anew, under those they go by ---


def _joined(session: Session, moment: Moment, naming: Naming) -> list[Held]:
    if not naming.joined:
        return []
    keys = session.state.keys_of_entities(moment.story, naming.joined)
    by_key: dict[str, list[Supporting]] = {}
    for supporting in session.state.supporting(moment.story, moment.at, moment.believed, keys):
        by_key.setdefault(naming.canonical(supporting.setting).node_key, []).append(supporting)
    return [held for key, assertions in by_key.items() for held in _last_held(key, assertions, naming)]


def _last_held(key: str, assertions: Sequence[Supporting], naming: Naming) -> list[Held]:
    """The key's last interval, if it has not ended: what holds after the moment's chapter."""
    by_uid = {a.uid: a for a in assertions}
    words = [Assertion(a.order, key, _value_key(naming, a.setting.value), a.uid) for a in assertions]
    last = [interval for interval in fold_key(words) if interval.valid_to is None]
    supports = [(interval, [by_uid[uid] for uid in interval.support]) for interval in last]
    return [_held(assertions[0].setting, s[0].setting.value, interval.valid_from, s) for interval, s in supports]


def _value_key(naming: Naming, value: Term | None) -> str | None:
    if value is None:
        return None
    return f"@{naming.head(value.key)}" if value.entity else f"={value.key}"


# --- as it is shown ---


def _entities(held: Iterable[Held]) -> set[str]:
    named = {t.key for h in held for t in (*h.setting.args, h.value) if t.entity}
    return named | {m.entity for h in held for s in h.support for m in s.mentions}


def _entry(held: Held, naming: Naming, quote: Quote) -> Entry:
    name_of: Callable[[EntityId], str] = naming.name
    first = held.support[0]
    terms = (*held.setting.args, held.value)
    key = render(held.setting, name_of)
    shown: dict[str, Json] = {
        "key": key,
        "value": shown_value(held.value, name_of),
        "valid_from": held.valid_from,
        "record": first.record,
        "confidence": max(float(s.payload.get("confidence", 1.0)) for s in held.support),
        "evidence": [span for s in held.support for span in quote(s.chapter, s.revision, s.evidence)],
    }
    return Entry(
        key=key,
        functor=held.setting.functor,
        entities=frozenset(naming.head(t.key) for t in terms if t.entity),
        contents=[content(s, naming) for s in held.support],
        payload=held.support[-1].payload,
        shown=shown,
    )


def content(supporting: Supporting, naming: Naming) -> Json:
    """What the record says, in canonical names: without its local id, its evidence and what it rests on."""
    payload = {field: value for field, value in supporting.payload.items() if field not in _LEFT_OUT}
    return naming.renamed(payload, supporting.mentions)
