"""The slice of a story after chapter n: what a packet may know, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from operator import itemgetter
from typing import Final

import numpy as np
import numpy.typing as npt

from events.ids import EntityId
from projections.embedding import Vectors
from projections.passages.read import LinkRow, PassageRow, RecordRow
from services.retrieval.annotated import annotated
from services.retrieval.cast import Cast
from services.retrieval.edges import Edges
from services.retrieval.entries import Entry, entries
from services.retrieval.lexicon import Block, Lexicon, Vocabulary, joined
from services.retrieval.names import Names
from services.retrieval.past import Past
from services.retrieval.provenance import Provenance
from services.retrieval.sentences import Sentences
from services.retrieval.weave.layers import Layers

SURE: Final = 0.75
"""The confidence from which a record counts as sure."""


@dataclass(frozen=True, slots=True)
class Told:
    """The live records of a slice in story order, their vectors row by row, and the links between entities."""

    records: Sequence[RecordRow]
    vectors: Vectors
    links: Sequence[LinkRow]


class Slice:
    """Passages and live records of chapters up to `at`, in story order, with vectors, and the links up to there.

    Records are read when the first method needs them. Whatever else is known (document frequencies, lengths, names, state)
    is computed from these alone, on first use.
    """

    def __init__(
        self,
        at: int,
        passages: Sequence[PassageRow],
        passage_vectors: Vectors,
        told: Callable[[], Told],
        vocabulary: Vocabulary | None = None,
    ) -> None:
        self.at = at
        self.passages = passages
        self.passage_vectors = passage_vectors
        self.vocabulary = Vocabulary() if vocabulary is None else vocabulary
        self._read_told = told

    @property
    def size(self) -> int:
        """The rows that are held in memory."""
        told = self.__dict__.get("told")
        return len(self.passages) + (0 if told is None else len(told.records))

    @cached_property
    def told(self) -> Told:
        return self._read_told()

    @property
    def records(self) -> Sequence[RecordRow]:
        return self.told.records

    @property
    def record_vectors(self) -> Vectors:
        return self.told.vectors

    @cached_property
    def passage_lexicon(self) -> Lexicon:
        return Lexicon(self.vocabulary, self._blocks(self.passages))

    @cached_property
    def annotated_lexicon(self) -> Lexicon:
        """Documents for BM25: the passages, each with what sure records that stand in it say."""
        if not self.sure.any():
            return self.passage_lexicon
        return Lexicon(self.vocabulary, annotated(self.vocabulary, self.passages, self.records, self.sure))

    @cached_property
    def sentences(self) -> Sentences:
        return Sentences(self.passages, self.vocabulary)

    @cached_property
    def edges(self) -> Edges:
        return Edges(self.records, self.record_by_name)

    @cached_property
    def layers(self) -> Layers:
        return Layers(self.records, self.cast, self.entries_by_key)

    @cached_property
    def provenance(self) -> Provenance:
        return Provenance(self.sentences, self.records)

    @cached_property
    def cast(self) -> Cast:
        return Cast(self.records, self.told.links, self.at)

    @cached_property
    def names(self) -> Names:
        return Names(self.cast, self.vocabulary)

    @cached_property
    def node_lexicon(self) -> Lexicon:
        """Documents for BM25 over the nodes of the graph: the figures in order of first mention, then the records."""
        figures = self.vocabulary.analysed([self._called(index) for index in range(len(self.cast.ordered))])
        return Lexicon(self.vocabulary, [joined(figures), *self._blocks(self.records)])

    @cached_property
    def entries(self) -> list[Entry]:
        return entries(self.records, self.cast, self.vocabulary)

    @cached_property
    def entries_of_record(self) -> dict[int, list[Entry]]:
        """The entries each record supports."""
        found: dict[int, list[Entry]] = {}
        for entry in self.entries:
            for index in entry.support:
                found.setdefault(index, []).append(entry)
        return found

    @cached_property
    def entries_by_key(self) -> dict[str, list[Entry]]:
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            found.setdefault(entry.key, []).append(entry)
        return found

    @cached_property
    def entries_of_subject(self) -> dict[EntityId, list[Entry]]:
        """What holds of each figure, by key."""
        found: dict[EntityId, list[Entry]] = {}
        for entry in self.entries:
            for subject in dict.fromkeys(entry.subjects if entry.holds else ()):
                found.setdefault(subject, []).append(entry)
        return found

    @cached_property
    def past(self) -> Past:
        return Past(self.records, self.cast, self.entries_of_record, self.entries)

    @cached_property
    def record_kinds(self) -> npt.NDArray[np.int64]:
        """A number for each record's kind, in the alphabetical order of the kinds; shape (records,)."""
        numbers = {kind: number for number, kind in enumerate(self._kinds)}
        return np.array([numbers[record.kind] for record in self.records], dtype=np.int64)

    def is_of(self, kinds: Collection[str]) -> npt.NDArray[np.bool_]:
        """Whether each record is of one of the kinds; shape (records,)."""
        return np.array([kind in kinds for kind in self._kinds], dtype=bool)[self.record_kinds]

    @cached_property
    def introduced(self) -> npt.NDArray[np.int64]:
        """The number of a figure, and a record that introduces it, in two rows; shape (2, introductions)."""
        pairs = [(number, index) for number, figure in enumerate(self.cast.ordered) for index in figure.introduced_in]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2).T

    @cached_property
    def confidence(self) -> npt.NDArray[np.float64]:
        """The extractor's own estimate for each record; shape (records,)."""
        return np.array([float(r.payload.get("confidence", 1.0)) for r in self.records], dtype=np.float64)

    @cached_property
    def trust(self) -> float:
        """What the slice's records count for against its text: the mean of their confidence, 1 without records."""
        return float(np.mean(self.confidence)) if len(self.records) else 1.0

    @cached_property
    def sure(self) -> npt.NDArray[np.bool_]:
        """Whether each record may speak for the text it stands on: it is sure, and so are the slice's on the whole; shape (records,)."""
        return (self.confidence >= SURE) & (self.trust >= SURE)

    @cached_property
    def figure_numbers(self) -> dict[EntityId, int]:
        """The place of each figure in `cast.ordered`."""
        return {figure.id: number for number, figure in enumerate(self.cast.ordered)}

    @cached_property
    def record_by_name(self) -> dict[str, int]:
        return {record.name: index for index, record in enumerate(self.records)}

    @cached_property
    def _kinds(self) -> list[str]:
        return sorted({record.kind for record in self.records})

    def _blocks(self, rows: Sequence[PassageRow] | Sequence[RecordRow]) -> list[Block]:
        """The terms of rows, chapter by chapter: those of a chapter that has not changed are there already."""
        chapters = groupby(((row.chapter, row.text_hash, row.text) for row in rows), itemgetter(0))
        return [self.vocabulary.block([(key, text) for _, key, text in of]) for _, of in chapters]

    def _called(self, figure_index: int) -> str:
        figure = self.cast.ordered[figure_index]
        described = [self.records[index].payload.get("description") or "" for index in figure.introduced_in]
        return " ".join([self.cast.name(figure.id), *self.cast.aliases(figure), *described])
