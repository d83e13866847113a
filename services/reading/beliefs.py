"""What was believed when: the intervals of keys at every position at which the belief changed."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from events.domain_events import Setting, Term
from events.ids import EntityId
from events.registry import Link, Links
from events.validity import Assertion, fold_key
from projections.entities.read import LinkSpan
from projections.story_state.assertions import value_key
from projections.story_state.found import Asserted

Row: TypeAlias = tuple[str, str, int, int | None, int, int | None]
"""Key, value key, valid from and to, recorded from and to."""


@dataclass(frozen=True, slots=True)
class Believed:
    """That a key had a value on an interval of chapters, and in which positions that was believed (None: still)."""

    setting: Setting
    value: Term
    valid_from: int
    valid_to: int | None
    support: tuple[str, ...]
    recorded_from: int
    recorded_to: int | None


@dataclass(frozen=True, slots=True)
class _Interval:
    key: str
    value_key: str
    valid_from: int
    valid_to: int | None


@dataclass(frozen=True, slots=True)
class _Said:
    """An assertion under the names its entities went by: as a setting, and as a word to be folded."""

    asserted: Asserted
    setting: Setting
    word: Assertion

    @classmethod
    def of(cls, asserted: Asserted, setting: Setting) -> _Said:
        word = Assertion(asserted.order, setting.node_key, value_key(setting.value), asserted.uid)
        return cls(asserted, setting, word)


class Beliefs:
    """Assertions and links with their recorded ranges, foldable at any position; links are read as of chapter `at`."""

    def __init__(self, asserted: Sequence[Asserted], links: Sequence[LinkSpan], at: int) -> None:
        self._asserted = asserted
        self._links = links
        self._at = at
        self._under: dict[tuple[Link, ...], list[_Said]] = {}

    @property
    def has_links(self) -> bool:
        return bool(self._links)

    def recorded(self, rows: Iterable[Row], at: int) -> list[Believed]:
        """The beliefs about one key, from its intervals as they were recorded; nothing of chapters after `at` shows.

        Good only where there are no links.
        """
        said = sorted(self._asserted, key=lambda asserted: asserted.order)
        chapters = [asserted.order[0] for asserted in said]
        found = []
        for _, value, start, end, low, high in rows:
            until = at if end is None else min(end - 1, at)
            spoken = said[bisect_left(chapters, start) : bisect_right(chapters, until)]
            support = [a for a in spoken if value_key(a.setting.value) == value and _held(a, low, high)]
            support = [a for a in support if _outlasts(a, high)] or support
            shown = support[0].setting.value
            assert shown is not None, "an interval has a value"
            uids = tuple(dict.fromkeys(a.uid for a in support))
            valid_to = end if end is not None and end <= at else None
            found.append(Believed(said[0].setting, shown, start, valid_to, uids, low, high))
        return sorted(found, key=lambda b: b.recorded_to is None)

    def positions(self) -> list[int]:
        """Where the belief changed, in order."""
        ranges = [(a.recorded_from, a.recorded_to) for a in self._asserted]
        ranges += [(link.recorded_from, link.recorded_to) for link in self._links]
        return sorted({end for pair in ranges for end in pair if end is not None})

    def at(self, position: int) -> dict[_Interval, Believed]:
        """Every interval believed at a position."""
        by_key: dict[str, list[_Said]] = {}
        for said in self._said(position):
            if _holds(said.asserted.recorded_from, said.asserted.recorded_to, position):
                by_key.setdefault(said.word.key, []).append(said)
        return {k: b for key, group in by_key.items() for k, b in _folded(key, group, position)}

    def _said(self, position: int) -> list[_Said]:
        """All assertions in story order, under the names that the links believed at a position give them."""
        held = tuple(s.link for s in self._links if _holds(s.recorded_from, s.recorded_to, position))
        if held not in self._under:
            links, heads = Links(held), dict[str, EntityId]()
            said = (_Said.of(a, _canonical(a.setting, links, heads, self._at)) for a in self._asserted)
            self._under[held] = sorted(said, key=lambda s: s.asserted.order)
        return self._under[held]

    def history(self, key: str | None = None) -> list[Believed]:
        """Every interval ever believed, of one canonical node key or of all; those no longer believed first."""
        done: list[Believed] = []
        current: dict[_Interval, Believed] = {}
        for position in self.positions():
            found = {k: b for k, b in self.at(position).items() if key is None or k.key == key}
            done += [_until(belief, position) for k, belief in current.items() if k not in found]
            current = {k: _since(belief, current.get(k)) for k, belief in found.items()}
        return done + list(current.values())


def _outlasts(asserted: Asserted, high: int | None) -> bool:
    """Whether the assertion was believed to the end of what was believed until a position (None: is still)."""
    return asserted.recorded_to is None or (high is not None and high <= asserted.recorded_to)


def _held(asserted: Asserted, low: int, high: int | None) -> bool:
    """Whether the assertion was believed at some time between two positions."""
    begins = high is None or asserted.recorded_from < high
    return begins and (asserted.recorded_to is None or asserted.recorded_to > low)


def _holds(low: int, high: int | None, position: int) -> bool:
    return low <= position and (high is None or position < high)


def _canonical(setting: Setting, links: Links, heads: dict[str, EntityId], at: int) -> Setting:
    def head(term: Term) -> Term:
        if not term.entity:
            return term
        if term.key not in heads:
            heads[term.key] = links.representative(EntityId(term.key), at)
        return Term(heads[term.key], term.text, entity=True)

    value = None if setting.value is None else head(setting.value)
    return Setting(setting.functor, tuple(head(t) for t in setting.args), value, setting.arrow)


def _folded(key: str, group: Sequence[_Said], position: int) -> list[tuple[_Interval, Believed]]:
    """The intervals of one key; `group` is in story order."""
    by_uid = {said.asserted.uid: said.setting.value for said in group}
    found = []
    for i in fold_key(said.word for said in group):
        value = by_uid[i.support[0]]
        assert value is not None, "an interval has a value"
        belief = Believed(group[0].setting, value, i.valid_from, i.valid_to, i.support, position, None)
        found.append((_Interval(key, i.value, i.valid_from, i.valid_to), belief))
    return found


def _since(belief: Believed, before: Believed | None) -> Believed:
    since = belief.recorded_from if before is None else before.recorded_from
    return _recorded(belief, since, None)


def _until(belief: Believed, position: int) -> Believed:
    return _recorded(belief, belief.recorded_from, position)


def _recorded(b: Believed, low: int, high: int | None) -> Believed:
    return Believed(b.setting, b.value, b.valid_from, b.valid_to, b.support, low, high)
