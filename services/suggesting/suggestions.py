"""Suggestions drawn from the live records of the chapters up to a checkpoint, and from nothing else."""

from __future__ import annotations

import shlex
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, Final

from psycopg_pool import ConnectionPool

from events.domain_events import EntitiesSplit, Json
from events.names import PERSON, UNKNOWN, class_of, key_of
from projections.story_state.found import RecordRow
from services.reading.auditing import logged
from services.reading.naming import Naming
from services.reading.quoting import Quote, Texts, quoting
from services.reading.session import AsRecorded, Moment, Session, Sessions
from services.suggesting.likeness import Likeness, Pair, Person, Reason, likenesses

MOST: Final = 200
"""Suggestions in one answer at most, the likeliest."""
_KINDS: Final = ("entity", "interaction", "event")
_SAYS: Final = {
    "spelling": "both are written {0!r}, but for hyphens and accents",
    "nickname": "{0}: short forms of one given name",
    "given name": "both have the given name {0!r}",
    "surname": "both have the surname {0!r}",
    "epithet": "both are called {0!r}",
    "company": "both speak with {0} of the same people",
    "description": "both are described with {0}",
}


class Suggestions:
    """Who may be the same person, for an editor to decide. Safe in several threads."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._sessions = Sessions(pool)
        self._texts = Texts()

    def of(self, story: str, *, at: int | str | None = None, as_recorded: AsRecorded = None) -> Json:
        """Pairs with reasons, scores and evidence, likeliest first; nothing after `at` has a part in them.

        What an editor merged is one and what an editor split stays two: neither is suggested.
        Raises UnknownStory, UnknownCheckpoint, InvalidInput.
        """

        def read(session: Session) -> Json:
            moment = session.moment(story, at, as_recorded)
            return {
                "story": moment.story,
                "at": moment.at,
                "position": moment.position,
                "suggestions": _suggested(session, self._texts, moment),
            }

        return self._sessions.run(read)

    def forget_text(self, digest: str) -> None:
        """Drop an erased text from memory."""
        self._texts.forget(digest)


def _suggested(session: Session, texts: Texts, moment: Moment) -> list[Json]:
    naming = Naming(session, moment)
    records = session.state.records_of_kind(moment.story, _KINDS, moment.at, moment.believed)
    cast = _Cast(naming, records)
    found = likenesses(cast.people(), cast.apart(_cuts(session, moment)))[:MOST]
    shown = [cast.first[person.id] for like in found for person in (like.a, like.b)]
    quote = quoting(session, moment, texts, [(row.chapter, row.revision) for row in shown])
    return [_shown(moment.story, like, cast, quote) for like in found]


class _Cast:
    """The people of the records, joined as of the moment."""

    def __init__(self, naming: Naming, records: Sequence[RecordRow]) -> None:
        self._naming = naming
        self.first: dict[str, RecordRow] = {}
        self._names: defaultdict[str, dict[str, None]] = defaultdict(dict)
        self._described: defaultdict[str, list[str]] = defaultdict(list)
        self._company: defaultdict[str, set[str]] = defaultdict(set)
        self._together: set[Pair] = set()
        self._ids: defaultdict[str, set[str]] = defaultdict(set)
        for row in records:
            self._take(row)

    def _take(self, row: RecordRow) -> None:
        heads = []
        for mention in row.mentions:
            if class_of(mention.entity) not in (PERSON, UNKNOWN) or mention.slot == "location":
                continue
            head = self._naming.head(mention.entity)
            heads.append(head)
            self.first.setdefault(head, row)
            self._names[head].setdefault(mention.surface)
            self._ids[head].add(key_of(mention.entity))
            if row.kind == "entity":
                for alias in row.payload.get("aliases", ()):
                    self._names[head].setdefault(alias)
                if row.payload.get("description"):
                    self._described[head].append(str(row.payload["description"]))
        if row.kind == "interaction":
            for head in heads:
                self._company[head] |= set(heads) - {head}

    def people(self) -> list[Person]:
        self._naming.load(self.first)
        return [
            Person(
                head,
                self._naming.name(head),
                tuple(self._names[head]),
                row.chapter,
                frozenset(self._company[head]),
                tuple(self._described[head]),
            )
            for head, row in sorted(self.first.items())
        ]

    def apart(self, cuts: Iterable[tuple[str, str]]) -> set[Pair]:
        """The pairs of people that an editor told apart, from the pairs of name keys."""
        bearers: defaultdict[str, set[str]] = defaultdict(set)
        for head, keys in self._ids.items():
            for key in keys:
                bearers[key].add(head)
        return {frozenset((a, b)) for one, other in cuts for a in bearers[one] for b in bearers[other]}


def _cuts(session: Session, moment: Moment) -> list[tuple[str, str]]:
    """The pairs of name keys that editors split up to the moment's position."""
    return [
        (recorded.event.alias, name)
        for recorded in logged(session, moment.story)
        if isinstance(recorded.event, EntitiesSplit) and recorded.position <= moment.believed
        for name in recorded.event.names
    ]


def _shown(story: str, like: Likeness, cast: _Cast, quote: Quote) -> Json:
    return {
        "a": _side(like.a, cast.first[like.a.id], quote),
        "b": _side(like.b, cast.first[like.b.id], quote),
        "score": like.score,
        "reasons": [_reason(reason) for reason in like.reasons],
        "merge": shlex.join(("fabula", "merge", story, like.a.id, like.b.id)),
    }


def _side(person: Person, row: RecordRow, quote: Quote) -> Json:
    return {
        "id": person.id,
        "name": person.name,
        "since": person.since,
        "evidence": quote(row.chapter, row.revision, row.evidence[:1]),
    }


def _reason(reason: Reason) -> Json:
    says = _SAYS[reason.kind].format(reason.shared)
    if reason.bearers > 1:
        says += f", which {reason.bearers + 1} people bear"
    return {"kind": reason.kind, "says": says}
