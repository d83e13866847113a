"""All measures of extraction over a folder of labelled texts.

What is measured is what a user gets: the product's offline extractor reads chapter by chapter, knowing of no other chapter, and
the registry of the story joins what the chapters have in common. References and events of excerpts are held against what the
extractor notes on its way to records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from services.evaluation.extraction import attending, corpora, excerpts, meaning, naming, pacing, speaking
from services.evaluation.extraction.clustering import conll
from services.evaluation.extraction.corpora import ATTENDANCE, LITBANK, PDNC, Attendance, Chapter, Novel
from services.evaluation.extraction.intervals import Estimate, Tally, count, f1_of, resampled, share
from services.evaluation.extraction.memory import Memory
from services.evaluation.extraction.naming import Apart
from services.evaluation.extraction.pacing import Pace
from services.extraction.offline.reading import Reading

PROCESSES: Final = 2


@dataclass(frozen=True, slots=True)
class Report:
    """The measures, and the parts of the folder that were not there."""

    measures: list[Estimate]
    missing: list[str]
    apart: list[Apart]
    """The pairs of names that `pdnc.alias_f1` misses."""

    def to_json(self) -> dict[str, Any]:
        return {
            "measures": [measure.to_json() for measure in self.measures],
            "missing": self.missing,
            "apart": [pair.to_json() for pair in self.apart],
        }


@dataclass(slots=True)
class _Run:
    """The readers at work, and how fast they were."""

    pool: ProcessPoolExecutor
    told: Callable[[str], None]
    paces: list[Pace] = field(default_factory=list)

    def remember(self, slug: str, chapters: Sequence[Chapter]) -> tuple[Memory, dict[int, Reading]]:
        """The story as it is remembered, and the references of each chapter."""
        self.told(slug)
        records, readings = {}, {}
        for chapter, timed in zip(chapters, self.pool.map(pacing.timed, chapters), strict=True):
            records[chapter.number] = timed.records
            readings[chapter.number] = timed.reading
            self.paces.append(timed.pace)
        return Memory(records, {chapter.number: chapter.text for chapter in chapters}), readings


def measure(data: Path, *, limit: int | None = None, told: Callable[[str], None] = lambda _: None) -> Report:
    """Measures with what the folder has; `limit` reads so many chapters of each novel and so many excerpts only."""
    estimates: list[Estimate] = []
    with _running(told) as run:
        found, apart = _novels(corpora.novels(data, limit), run)
        estimates += found
        if (data / LITBANK).is_dir():
            told(LITBANK)
            estimates += _excerpts(corpora.excerpts(data, limit), run)
        estimates += _attendances(corpora.attendances(data, limit), run)
    estimates += pacing.paces(run.paces, _processes())
    return Report(estimates, corpora.missing(data), apart)


@contextmanager
def _running(told: Callable[[str], None]) -> Iterator[_Run]:
    # processes of their own: the parser holds the interpreter, and the machine has two cores
    with ProcessPoolExecutor(_processes()) as pool:
        yield _Run(pool, told)


def _processes() -> int:
    return min(PROCESSES, os.cpu_count() or 1)


def _read(text: str) -> Reading:
    return pacing.extractor().read(text)


@dataclass(slots=True)
class _Names:
    """What is counted of names and speakers, novel by novel."""

    often: list[bool] = field(default_factory=list)
    merged: list[bool] = field(default_factory=list)
    merged_carried: list[bool] = field(default_factory=list)
    pairs: list[Tally] = field(default_factory=list)
    pairs_alone: list[Tally] = field(default_factory=list)
    pairs_listed: list[Tally] = field(default_factory=list)
    pairs_carried: list[Tally] = field(default_factory=list)
    spoken: list[speaking.Attributed] = field(default_factory=list)

    def count(self, novel: Novel, memory: Memory, readings: Mapping[int, Reading]) -> list[Apart]:
        """Counts a novel; returns the pairs that are missed of it."""
        people = memory.introduced()
        names = naming.compared({entity: called for entity, called in memory.names.items() if entity in people})
        self.often += naming.found_often(novel, names)
        self.merged_carried += naming.merged_foremost(novel, names)
        self.pairs_carried += naming.alias_tallies(naming.carried(novel, names))
        ask = meaning.understood(readings, memory.meant)
        named = meaning.places(novel, naming.own_names(novel.characters))
        meant = meaning.taken_for(named, ask, names)
        self.pairs += naming.alias_tallies(meant)
        self.pairs_alone += naming.alias_tallies(meaning.taken_for(meaning.alone(named), ask, names))
        listed = meaning.places(replace(novel, marks=()), naming.own_names(novel.characters))
        self.pairs_listed += naming.alias_tallies(meaning.taken_for(listed, ask, names))
        foremost = meaning.places(novel, naming.own_names(naming.foremost(novel)))
        self.merged += naming.merged_in_the_text(novel, meaning.shares(foremost, ask))
        characters = naming.aligned(novel, naming.compared(memory.names))
        self.spoken += speaking.attributed(novel, memory.attributions(), characters)
        return naming.apart(novel, meant)

    def estimates(self) -> Iterator[Estimate]:
        if self.often:
            yield share("pdnc.recall10", sum(self.often), len(self.often))
        if self.pairs:
            yield f1_of("pdnc.alias_f1", self.pairs)
        if self.pairs_alone:
            yield f1_of("pdnc.alias_f1_alone", self.pairs_alone)
        if self.pairs_listed:
            yield f1_of("pdnc.alias_f1_listed", self.pairs_listed)
        if self.pairs_carried:
            yield f1_of("pdnc.alias_f1_carried", self.pairs_carried)
        if self.merged:
            yield count("pdnc.merged10", sum(self.merged), len(self.merged))
            yield count("pdnc.merged10_carried", sum(self.merged_carried), len(self.merged))
        explicit = [quotation for quotation in self.spoken if quotation.kind == "explicit"]
        if explicit:
            yield share("pdnc.speaker_explicit", sum(q.right for q in explicit), len(explicit))
        if self.spoken:
            yield share("pdnc.speaker", sum(q.right for q in self.spoken), len(self.spoken))


def _novels(novels: Sequence[Novel], run: _Run) -> tuple[list[Estimate], list[Apart]]:
    found = _Names()
    missed: list[Apart] = []
    for novel in novels:
        missed += found.count(novel, *run.remember(f"{PDNC}/{novel.slug}", novel.chapters))
    return list(found.estimates()), missed


def _excerpts(lines: Sequence[dict[str, Any]], run: _Run) -> list[Estimate]:
    gold = [excerpts.excerpt(line) for line in lines]
    readings = list(run.pool.map(_read, [each.text for each in gold]))
    if not gold:
        return []
    both = list(zip(gold, readings, strict=True))
    mentions = sum(len(cluster) for each in gold for cluster in each.clusters)
    return [
        f1_of("litbank.entities_f1", [excerpts.entities(*pair) for pair in both]),
        resampled("litbank.coref_conll", [excerpts.coreference(*pair) for pair in both], conll, mentions),
        f1_of("litbank.events_f1", [excerpts.triggers(*pair) for pair in both]),
    ]


def _attendances(attendances: Sequence[Attendance], run: _Run) -> list[Estimate]:
    found: list[Tally] = []
    for attendance in attendances:
        memory, _ = run.remember(f"{ATTENDANCE}/{attendance.slug}", attendance.chapters)
        found += attending.tallies(attendance, memory.names, memory.present())
    return [f1_of("presence.f1", found)] if found else []
