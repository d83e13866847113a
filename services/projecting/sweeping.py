"""The digests of a story's checkpoints one after the other: what two checkpoints have in common is read and made once.

Equal, checkpoint by checkpoint, to the digest of `services.reading.slices.compute`, which reads one by itself.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from events.domain_events import Json
from events.registry import Links
from projections.story_state.found import Holding, Pair, Supporting
from services.projecting.held_rows import HeldRows
from services.reading.entries import Entry, Held, entities_of, entry, held_by
from services.reading.naming import Naming
from services.reading.quoting import Spans
from services.reading.session import Moment, Session
from services.reading.slices import digest, last_held, sorted_entries


@dataclass(frozen=True, slots=True)
class _Place:
    """Where entries are kept: a key before any two entities are joined, or one (`joint`) of those that are."""

    key: str
    joint: bool = False


class Sweep:
    """What holds after each chapter, in ascending order, as believed at the moment's position."""

    def __init__(self, session: Session, moment: Moment, rows: HeldRows) -> None:
        self._session = session
        self._moment = moment
        self._rows = rows
        self._links = Links()
        self._entries: dict[_Place, list[Entry]] = {}
        self._read: dict[_Place, dict[Pair, Supporting]] = {}
        self._names: dict[_Place, frozenset[str]] = {}
        self._naming: dict[str, set[_Place]] = defaultdict(set)
        self._joined = _Joined(session, rows)

    def digests(self, points: Iterable[int]) -> Iterator[str]:
        """The digest after each of the chapters, which ascend."""
        own = sorted(self._rows.points)
        done, found = 0, ""
        for at in points:
            before = done
            while done < len(own) and own[done] <= at:
                self._advance(own[done])
                done += 1
            if done > before or not found:
                found = digest(sorted_entries(chain.from_iterable(self._entries.values())))
            yield found

    def _advance(self, at: int) -> None:
        """Take in what a chapter changes, and those before it that have nothing new."""
        rows, moment = self._rows, replace(self._moment, at=at)
        changed = set(rows.changed.get(at, ()))
        linked = rows.linked.get(at, [])
        for link in linked:
            self._links.add(link)
        naming = Naming(self._session, moment, self._links)
        renamed = naming.groups(rows.renamed.get(at, ()))
        if linked:
            one = naming.groups(end for link in linked for end in (link.a, link.b))
            changed |= self._joined.join(moment.story, one)
            renamed |= one
        places = {place for entity in renamed for place in self._naming.get(entity, ())}
        places |= {_Place(key) for key in changed}
        places |= {_Place(key, joint=True) for key in self._joined.take(changed, naming, at)}
        self._show(places, naming, at)

    def _show(self, places: set[_Place], naming: Naming, at: int) -> None:
        """Make the entries of the places anew."""
        plain = {p: self._rows.holding(p.key, at) for p in places if not p.joint and p.key not in self._joined}
        read = self._supporting(plain)
        worded = self._session.state.settings_of([h.worded for holdings in plain.values() for h in holdings])
        held = {p: [held_by(h, worded[h.worded], read) for h in holdings] for p, holdings in plain.items()}
        held |= {p: last_held(p.key, self._joined.of(p.key), naming) for p in places if p.joint}
        names = {p: frozenset(chain.from_iterable(map(_entities, of))) for p, of in held.items()}
        naming.load(chain.from_iterable(names.values()))
        for place in places:
            self._forget(place)
            if held.get(place):
                self._entries[place] = [entry(each, naming, _unquoted) for each in held[place]]
                self._names[place] = names[place]
                for entity in names[place]:
                    self._naming[entity].add(place)
                self._read[place] = {pair: read[pair] for h in plain.get(place, ()) for pair in h.support}

    def _supporting(self, plain: dict[_Place, list[Holding]]) -> dict[Pair, Supporting]:
        """The rows that support what holds; only those are read that did not before."""
        read = {pair: s for place in plain for pair, s in self._read.get(place, {}).items()}
        wanted = {pair for holdings in plain.values() for h in holdings for pair in h.support}
        return read | self._session.state.supporting_of(list(wanted - read.keys()))

    def _forget(self, place: _Place) -> None:
        self._entries.pop(place, None)
        self._read.pop(place, None)
        for entity in self._names.pop(place, ()):
            self._naming[entity].discard(place)


class _Joined:
    """The assertions of keys whose entities are one with others, under the keys that they go by."""

    def __init__(self, session: Session, rows: HeldRows) -> None:
        self._session = session
        self._rows = rows
        self._asserted: dict[str, list[tuple[str, Supporting]]] = {}
        self._until: dict[str, int] = {}
        self._parts: dict[str, set[str]] = defaultdict(set)

    def __contains__(self, key: str) -> bool:
        return key in self._asserted

    def join(self, story: str, entities: Iterable[str]) -> set[str]:
        """The keys that name one of the entities, which are joined from now on."""
        keys = self._session.state.keys_of_entities(story, sorted(entities))
        for key in keys:
            self._asserted.setdefault(key, [])
        return keys

    def take(self, keys: set[str], naming: Naming, at: int) -> set[str]:
        """Take in what is new of those of the keys that are joined; the keys under which something is another by it."""
        touched: set[str] = set()
        mine = [key for key in keys if key in self._asserted]
        fresh = {key: self._rows.supports(key, self._until.get(key), at) for key in mine}
        read = self._session.state.supporting_of([pair for pairs in fresh.values() for pair in pairs])
        for key in mine:
            self._until[key] = at
            said = [supporting for _, supporting in self._asserted[key]] + [read[pair] for pair in fresh[key]]
            before = {canonical for canonical, _ in self._asserted[key]}
            self._asserted[key] = [(naming.canonical(s.setting).node_key, s) for s in said]
            after = {canonical for canonical, _ in self._asserted[key]}
            for canonical in before - after:
                self._parts[canonical].discard(key)
            for canonical in after:
                self._parts[canonical].add(key)
            touched |= before | after
        return touched

    def of(self, canonical: str) -> list[Supporting]:
        """The assertions of a key, in story order."""
        found = [s for key in self._parts.get(canonical, ()) for own, s in self._asserted[key] if own == canonical]
        return sorted(found, key=lambda s: s.order)


def _entities(held: Held) -> set[str]:
    return {entity for supporting in held.support for entity in entities_of(supporting)}


def _unquoted(_chapter: int, _revision: int, _spans: Spans) -> list[Json]:
    """No evidence: a digest has none."""
    return []
