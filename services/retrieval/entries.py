"""The state after a chapter: the fold of the slice's live assertions, under the names that hold there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from events.domain_events import Setting, Term
from events.ids import EntityId
from events.keys import render, shown_value
from events.validity import Assertion, fold
from projections.passages.read import RecordRow
from projections.wire import setting_from
from services.retrieval.cast import Cast
from services.retrieval.lexicon import Vocabulary


@dataclass(frozen=True, slots=True)
class Entry:
    """A state key had this value from a chapter on; `valid_to` None: it holds. `support` are indices of records, first first."""

    key: str
    value: str
    valid_from: int
    valid_to: int | None
    support: tuple[int, ...]
    subjects: tuple[EntityId, ...]
    """The entities among the key's arguments."""

    @property
    def holds(self) -> bool:
        return self.valid_to is None


def entries(records: Sequence[RecordRow], cast: Cast, vocabulary: Vocabulary) -> list[Entry]:
    """What held and what holds, ordered by (key, valid_from). `records` are those of one slice, so nothing ends after it.

    Settings are read once for all slices of the story that share a vocabulary.
    """
    assertions: list[Assertion] = []
    settings: dict[tuple[str, str], Setting] = {}
    wording: dict[str, Setting] = {}
    index_of = {record.uid: index for index, record in enumerate(records)}
    for record in records:
        if not record.settings:
            continue
        for stated, key in vocabulary.kept(("settings", repr(record.settings)), partial(_read, record)):
            setting = _joined(stated, cast)
            key = key if setting is stated else setting.node_key
            wording.setdefault(key, setting)
            settings[record.uid, key] = setting
            assertions.append(
                Assertion((record.chapter, *record.order, record.uid), key, _comparable(setting.value), record.uid)
            )
    found = []
    for interval in fold(assertions):
        shown = shown_value(settings[interval.first.uid, interval.key].value, cast.name)
        key, subjects = render(wording[interval.key], cast.name), _subjects(wording[interval.key])
        support = tuple(index_of[uid] for uid in interval.support)
        found.append(Entry(key, shown or "", interval.valid_from, interval.valid_to, support, subjects))
    return sorted(found, key=lambda e: (e.key, e.valid_from, e.support))


def _read(record: RecordRow) -> list[tuple[Setting, str]]:
    """The settings of a record and their keys, before entities are joined."""
    return [(setting, setting.node_key) for setting in map(setting_from, record.settings)]


def _joined(setting: Setting, cast: Cast) -> Setting:
    terms = setting.args if setting.value is None else (*setting.args, setting.value)
    if all(cast.of(term.key) == term.key for term in terms if term.entity):
        return setting
    return replace(
        setting,
        args=tuple(_under_head(t, cast) for t in setting.args),
        value=None if setting.value is None else _under_head(setting.value, cast),
    )


def _under_head(term: Term, cast: Cast) -> Term:
    return Term(cast.of(term.key), term.text, True) if term.entity else term


def _comparable(value: Term | None) -> str | None:
    return None if value is None else ("@" if value.entity else "=") + value.key


def _subjects(setting: Setting) -> tuple[EntityId, ...]:
    return tuple(EntityId(t.key) for t in setting.args if t.entity)
