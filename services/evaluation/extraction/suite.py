"""All measures of extraction over a folder of labelled texts.

What is measured is what a user gets: the product's offline extractor reads chapter by chapter, knowing of no other chapter, and
the registry of the story joins what the chapters have in common. References and events of excerpts are held against what the
extractor notes on its way to records.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from services.evaluation.extraction import attending, corpora, excerpts, naming, pacing, speaking
from services.evaluation.extraction.clustering import conll
from services.evaluation.extraction.corpora import ATTENDANCE, LITBANK, PDNC, Attendance, Chapter, Novel
from services.evaluation.extraction.intervals import Estimate, Tally, count, f1_of, resampled, share
from services.evaluation.extraction.memory import Memory
from services.evaluation.extraction.pacing import Pace
from services.extraction.offline.reading import Reading

PROCESSES: Final = 2


@dataclass(frozen=True, slots=True)
class Report:
    """The measures, and the parts of the folder that were not there."""

    measures: list[Estimate]
    missing: list[str]

    def to_json(self) -> dict[str, Any]:
        return {"measures": [measure.to_json() for measure in self.measures], "missing": self.missing}


@dataclass(slots=True)
class _Run:
    """The readers at work, and how fast they were."""

    pool: ProcessPoolExecutor
    told: Callable[[str], None]
    paces: list[Pace] = field(default_factory=list)

    def remember(self, slug: str, chapters: Sequence[Chapter]) -> Memory:
        self.told(slug)
        records = {}
        for chapter, (found, pace) in zip(chapters, self.pool.map(pacing.timed, chapters), strict=True):
            records[chapter.number] = found
            self.paces.append(pace)
        return Memory(records, {chapter.number: chapter.text for chapter in chapters})


def measure(data: Path, *, limit: int | None = None, told: Callable[[str], None] = lambda _: None) -> Report:
    """Measures with what the folder has; `limit` reads so many chapters of each novel and so many excerpts only."""
    estimates: list[Estimate] = []
    with _running(told) as run:
        estimates += _novels(corpora.novels(data, limit), run)
        if (data / LITBANK).is_dir():
            told(LITBANK)
            estimates += _excerpts(corpora.excerpts(data, limit), run)
        estimates += _attendances(corpora.attendances(data, limit), run)
    estimates += pacing.paces(run.paces, _processes())
    return Report(estimates, corpora.missing(data))


@contextmanager
def _running(told: Callable[[str], None]) -> Iterator[_Run]:
    # processes of their own: the parser holds the interpreter, and the machine has two cores
    with ProcessPoolExecutor(_processes()) as pool:
        yield _Run(pool, told)


def _processes() -> int:
    return min(PROCESSES, os.cpu_count() or 1)


def _read(text: str) -> Reading:
    return pacing.extractor().read(text)


def _novels(novels: Sequence[Novel], run: _Run) -> list[Estimate]:
    often: list[bool] = []
    merged: list[bool] = []
    pairs: list[Tally] = []
    spoken: list[speaking.Attributed] = []
    for novel in novels:
        memory = run.remember(f"{PDNC}/{novel.slug}", novel.chapters)
        people = memory.introduced()
        names = naming.compared({entity: called for entity, called in memory.names.items() if entity in people})
        often += naming.found_often(novel, names)
        merged += naming.merged_foremost(novel, names)
        pairs += naming.alias_tallies(novel, names)
        characters = naming.aligned(novel, naming.compared(memory.names))
        spoken += speaking.attributed(novel, memory.attributions(), characters)
    explicit = [quotation for quotation in spoken if quotation.kind == "explicit"]
    found = []
    if often:
        found.append(share("pdnc.recall10", sum(often), len(often)))
    if pairs:
        found.append(f1_of("pdnc.alias_f1", pairs))
    if merged:
        found.append(count("pdnc.merged10", sum(merged), len(merged)))
    if explicit:
        found.append(share("pdnc.speaker_explicit", sum(q.right for q in explicit), len(explicit)))
    if spoken:
        found.append(share("pdnc.speaker", sum(q.right for q in spoken), len(spoken)))
    return found


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
        memory = run.remember(f"{ATTENDANCE}/{attendance.slug}", attendance.chapters)
        found += attending.tallies(attendance, memory.names, memory.present())
    return [f1_of("presence.f1", found)] if found else []
