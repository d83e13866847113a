"""The evaluation of answers as one call, from packets that are saved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.answering.readers import Reader
from services.evaluation.extraction.intervals import Estimate
from services.evaluation.qa import measuring, reporting
from services.evaluation.qa.running import Read, read_all
from services.evaluation.reporting.blocks import save
from services.evaluation.retrieval import saved
from services.evaluation.retrieval.saved import Saved


@dataclass(frozen=True, slots=True)
class Report:
    """What a reader's answers are worth, and the files of the report."""

    measures: list[Estimate]
    files: list[Path]

    def to_json(self) -> dict[str, Any]:
        return {"measures": [measure.to_json() for measure in self.measures]}


def measure(directory: Path, reader: Reader, *, times: int = 1, told: Callable[[str], None] = lambda _: None) -> Report:
    """Let the reader answer from the packets saved in a directory, and report beside them. Raises `NoPackets`.

    The first answers are measured; asked several `times`, also how far the answers agree.
    """
    kept = saved.read(directory)
    reads = [read_all(kept, reader, directory, time=time, told=told) for time in range(1, times + 1)]
    return report(directory, kept, reader.name, reads)


def report(directory: Path, kept: Saved, name: str, reads: Sequence[Sequence[Read]]) -> Report:
    """Measure answers that were given, once or several times, and write the report beside the packets."""
    asked = [measuring.marked(kept, each) for each in reads]
    cells = asked[0]
    measures = [*measuring.measures(cells), *measuring.agreement(asked)]
    comparisons = list(measuring.comparisons(cells))
    title = f"Answers from packets, read by {name}"
    blocks = list(reporting.blocks(name, cells, measures, comparisons))
    files = save(directory / f"qa-{name}", title, blocks)
    return Report([*measures, *(c.to_estimate() for c in comparisons)], files)
