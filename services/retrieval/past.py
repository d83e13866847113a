"""The values of a slice that hold no more, and which of them a piece of text gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from events.ids import EntityId
from projections.passages.read import RecordRow
from services.retrieval.cast import Cast
from services.retrieval.entries import Entry
from services.retrieval.wording import content_terms

HALF: Final = 0.5
"""The share of a value's words that text gives where a record of it stands."""
BY_WORDS: Final = 4
"""The words of a value that give it in text about its subject, by a record or by name, that no record of it stands on: the same look, seen
again in passing."""


class Past:
    """Superseded entries by the records that set them and by the words of their values."""

    def __init__(
        self,
        records: Sequence[RecordRow],
        cast: Cast,
        entries_of_record: Mapping[int, Sequence[Entry]],
        entries: Sequence[Entry],
    ) -> None:
        self._records = records
        self._cast = cast
        self._of_record = entries_of_record
        self._long: list[Entry] = []
        self._by_term: dict[str, list[int]] = {}
        for entry in entries:
            words = set() if entry.holds else set(content_terms(entry.value))
            if len(words) >= BY_WORDS:
                for word in words:
                    self._by_term.setdefault(word, []).append(len(self._long))
                self._long.append(entry)

    def set_by(self, record: int) -> frozenset[str]:
        """The keys that a record set to a value that holds no more."""
        return frozenset(entry.key for entry in self._of_record.get(record, ()) if not entry.holds)

    def given_by(self, text: str, records: Collection[int]) -> frozenset[str]:
        """The keys of which a text gives a past value, where `records` stand on it."""
        words = frozenset(content_terms(text))
        found = {
            entry.key
            for record in records
            for entry in self._of_record.get(record, ())
            if not entry.holds and _share(entry.value, words) >= HALF
        }
        shared = Counter(number for word in words for number in self._by_term.get(word, ()))
        close = [self._long[number] for number, count in shared.items() if count >= BY_WORDS]
        if close:
            there = self._figures(records)
            found.update(
                entry.key for entry in close if any(who in there or self._names(who, words) for who in entry.subjects)
            )
        return frozenset(found)

    def told_by(self, text: str, records: Collection[int]) -> frozenset[str]:
        """The keys of which a text gives the value that holds, where a record of it stands on the text."""
        words = frozenset(content_terms(text))
        standing = (entry for record in records for entry in self._of_record.get(record, ()) if entry.holds)
        return frozenset(entry.key for entry in standing if _share(entry.value, words) >= HALF)

    def _names(self, who: EntityId, words: frozenset[str]) -> bool:
        """Whether a figure's name, or another that it goes by, is among the words, whole."""
        figure = self._cast.figures.get(self._cast.of(who))
        names = [self._cast.name(who), *(self._cast.aliases(figure) if figure else ())]
        return any(words.issuperset(content_terms(name)) for name in names)

    def _figures(self, records: Iterable[int]) -> set[EntityId]:
        return {self._cast.of(entity) for record in records for _, entity, _ in self._records[record].mentions}


def _share(value: str, words: Collection[str]) -> float:
    """The share of a value's words that are among `words`; 1 for a value without any, which all text about it gives."""
    wanted = set(content_terms(value))
    return len(wanted.intersection(words)) / len(wanted) if wanted else 1.0
