"""The blast radius of an edit: what publishing it would invalidate, reinstate and change. Nothing is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg_pool import ConnectionPool

from events.domain_events import (
    EntityLinkEvent,
    EntityUnlinked,
    Json,
    RecordAsserted,
    RecordCarried,
    RecordEvent,
    RecordInvalidated,
    RecordRebound,
    RecordReinstated,
    StoryEvent,
)
from events.ids import Chapter, RecordUid, Revision
from events.ledger import Ledger
from events.revisions import Entry
from events.story_index import StoryIndex
from events.trying import Stretch, Stretches, Trial, differing, namer, stretches, touched_keys
from services.auditing import citing
from services.auditing.planning import Plan
from services.documents import Document

_CHECKPOINTS: Final = """SELECT DISTINCT ON (body->'decision'->>'name') body->'decision'->>'name', (body->'decision'->>'at')::int
    FROM ledger.publications WHERE story = %s AND action = 'checkpoint' AND status = 'appended'
    ORDER BY body->'decision'->>'name', sequence DESC"""


@dataclass(frozen=True, slots=True)
class Impact:
    """What a publication would do: its events and what is told of them.

    `after` has the records that it touches, by uid, as they would be stated; None: it would not be live. `texts` has the
    texts that those of other chapters rest on, under `<chapter>/<revision>`.
    """

    plan: Plan
    events: list[StoryEvent]
    told: Document
    after: Mapping[str, RecordAsserted | None]
    texts: Mapping[str, str]


def impact(ledger: Ledger, plan: Plan) -> Impact:
    """Works out what publishing the plan would do. Raises `LogUnavailable`."""
    p = plan.publication
    head: Document = {
        "story": p.story,
        "chapter": p.chapter,
        "action": p.action,
        "revision": p.revision,
        "unchanged": plan.unchanged,
    }
    if plan.unchanged:
        return Impact(plan, [], head | _said_of_nothing(), {}, {})
    with ledger.trial(p, plan.records, plan.extractor, text=plan.text, provenance=plan.provenance) as trial:
        found = _Compared(trial, checkpoints(ledger.pool, p.story))
        told = head | {"rejected": trial.rejected, "warnings": trial.warnings} | found.told()
        return Impact(plan, trial.events, told, found.stated_after, found.texts)


def _said_of_nothing() -> Document:
    records: Document = {name: [] for name in ("invalidated", "reinstated", "asserted", "rebound")} | {"kept": 0}
    empty: Document = {"intervals": [], "threads": [], "checkpoints": [], "links": []}
    return {"rejected": [], "warnings": [], "events": {}, "records": records, **empty}


class _Compared:
    """A trial looked at while it is taken in, and again once it is taken back."""

    def __init__(self, trial: Trial, checkpoints: Sequence[tuple[str, int]]) -> None:
        index, self._events = trial.index, trial.events
        touched = trial.touched()
        chapters_touched = sorted({entry.chapter for entry in touched})
        stated = {entry.uid: entry for c in chapters_touched for entry in _entries(index, c)}
        self.stated_after = {e.uid: _stated(stated.get(e.uid), self._events[0]) for e in touched}
        own = trial.publication.chapter
        elsewhere = {f"{e.chapter}/{e.revision}": e for e in touched if e.chapter != own}
        self.texts = {name: index.text_of(entry) or "" for name, entry in elsewhere.items()}
        keys = touched_keys(trial)
        chapters = index.chapters
        last = max([*chapters, trial.publication.chapter])
        ends = [(name, at) for name, at in checkpoints if at >= trial.publication.chapter]
        self._after = _Side(index, keys, last, [at for _, at in ends], own)
        self._cited_after = {uid: citing.cited(index, stated[uid]) for uid in self._shown_uids() if uid in stated}
        self._links = [_link(index, last, e) for e in self._events if isinstance(e, EntityLinkEvent)]
        trial.take_back()
        before = {entry.uid: entry for c in chapters_touched for entry in _entries(index, c)}
        self._before = _Side(index, keys, last, [at for _, at in ends], own)
        self._cited_before = {uid: citing.cited(index, before[uid]) for uid in self._shown_uids() if uid in before}
        self._ends = ends

    def told(self) -> Document:
        changed = differing(self._before.whole, self._after.whole)
        intervals: list[Document] = [
            {"key": key, "before": self._before.shown(key), "after": self._after.shown(key)} for key in changed
        ]
        return {
            "events": dict(sorted(Counter(type(event).__name__ for event in self._events).items())),
            "records": self._records(),
            "intervals": intervals,
            "threads": [_thread(each) for each in intervals if each["key"].startswith("thread(")],
            "checkpoints": [self._checkpoint(name, at) for name, at in self._ends],
            "links": self._links,
        }

    def _shown_uids(self) -> set[str]:
        return {e.uid for e in self._events if isinstance(e, RecordEvent) and not isinstance(e, RecordCarried)}

    def _records(self) -> Document:
        fell = {e.uid: e for e in self._events if isinstance(e, RecordInvalidated)}
        by_id = {e.id: e for e in self._events}
        fresh = [e for e in self._events if isinstance(e, RecordAsserted)]
        born = {e.uid for e in fresh}
        return {
            "invalidated": [self._fallen(e, by_id) for e in fell.values() if e.uid not in born],
            "reinstated": [self._risen(e, by_id) for e in self._events if isinstance(e, RecordReinstated)],
            "asserted": [
                {
                    **self._cited(e.uid, e.record, later=True),
                    "live": e.uid not in fell,
                    "reason": fell[e.uid].reason if e.uid in fell else None,
                }
                for e in fresh
            ],
            "rebound": [self._cited(e.uid, e.record, later=True) for e in self._events if isinstance(e, RecordRebound)],
            "kept": sum(isinstance(e, RecordCarried) for e in self._events),
        }

    def _fallen(self, event: RecordInvalidated, by_id: Mapping[Any, StoryEvent]) -> Json:
        return {
            **self._cited(event.uid, event.record, later=False),
            "reason": event.reason,
            "because": _because(event, by_id),
        }

    def _risen(self, event: RecordReinstated, by_id: Mapping[Any, StoryEvent]) -> Json:
        return {**self._cited(event.uid, event.record, later=True), "because": _because(event, by_id)}

    def _cited(self, uid: str, name: str, *, later: bool) -> Json:
        first, second = self._cited_after, self._cited_before
        found = (first.get(uid) or second.get(uid)) if later else (second.get(uid) or first.get(uid))
        return found or {"record": name, "kind": None, "chapter": None, "says": None, "evidence": []}

    def _checkpoint(self, name: str, at: int) -> Json:
        old, new = self._before.held(at), self._after.held(at)
        keys = sorted(key for key in old.keys() | new.keys() if old.get(key) != new.get(key))
        return {
            "name": name,
            "at": at,
            "changed": bool(keys),
            "keys": [{"key": key, "before": old.get(key), "after": new.get(key)} for key in keys],
        }


class _Side:
    """The keys' intervals over the whole story, and what holds of them at some chapters, with quotes.

    The edited chapter is quoted at once, since its text is another one on the other side; of the others only what is shown
    is: a key may have changed in every chapter, and a text is a query.
    """

    def __init__(self, index: StoryIndex, keys: Iterable[str], last: int, ends: Iterable[int], edited: int) -> None:
        self._index = index
        wanted = sorted(keys)
        self.whole: Stretches = stretches(index, wanted, last)
        self._held = {at: _holding(stretches(index, wanted, at)) for at in set(ends)}
        supports = (entry for of in self.whole.values() for stretch in of for entry in stretch.support)
        self._quoted = {e.uid: citing.evidence(index, e) for e in supports if e.chapter == edited}

    def held(self, at: int) -> Mapping[str, str]:
        return self._held[at]

    def shown(self, key: str) -> list[Json]:
        return [self._stretch(stretch) for stretch in self.whole.get(key, ())]

    def _stretch(self, stretch: Stretch) -> Json:
        return {
            "value": stretch.value,
            "valid_from": stretch.valid_from,
            "valid_to": stretch.valid_to,
            "record": stretch.support[0].name,
            "evidence": [span for entry in stretch.support for span in self._quote(entry)],
        }

    def _quote(self, entry: Entry) -> list[Json]:
        if entry.uid not in self._quoted:
            self._quoted[entry.uid] = citing.evidence(self._index, entry)
        return self._quoted[entry.uid]


def _holding(found: Stretches) -> dict[str, str]:
    return {key: of[-1].value for key, of in found.items() if of and of[-1].valid_to is None}


def _entries(index: StoryIndex, chapter: int) -> list[Entry]:
    current = index.current(chapter)
    return current.entries if current else []


def _stated(entry: Entry | None, root: StoryEvent) -> RecordAsserted | None:
    """The record as an event would state it; None where it is not live."""
    if entry is None or not entry.live:
        return None
    return RecordAsserted(
        story=root.story, version=root.version, recorded_at=root.recorded_at, correlation=root.correlation,
        caused_by=None, chapter=Chapter(entry.chapter), uid=RecordUid(entry.uid), record=entry.name,
        revision=Revision(entry.revision), kind=entry.kind, payload=entry.payload, evidence=entry.evidence,
        order=entry.order, content=entry.content, mentions=entry.mentions, settings=entry.settings,
    )  # fmt: skip


def _because(event: StoryEvent, by_id: Mapping[Any, StoryEvent]) -> str | None:
    """The record whose fall or rise brought it about; None where the edit itself did."""
    cause = by_id.get(event.caused_by)
    return cause.record if isinstance(cause, RecordEvent) else None


def _thread(interval: Json) -> Json:
    before, after = (interval[side][-1]["value"] if interval[side] else None for side in ("before", "after"))
    return {"thread": interval["key"][len("thread(") : -1], "before": before, "after": after}


def _link(index: StoryIndex, last: int, event: EntityLinkEvent) -> Json:
    name_of: Callable[[Any], str] = namer(index, 0 if last < event.chapter else event.chapter - 1)
    joined = not isinstance(event, EntityUnlinked)
    return {"a": name_of(event.a), "b": name_of(event.b), "chapter": event.chapter, "joined": joined}


def checkpoints(pool: ConnectionPool[Any], story: str) -> list[tuple[str, int]]:
    """The named checkpoints of the story as they are now."""
    with pool.connection() as connection:
        rows = connection.execute(_CHECKPOINTS, (story,)).fetchall()
    return sorted(((str(name), int(at)) for name, at in rows), key=lambda each: (each[1], each[0]))
