"""The evaluation of retrieval as one call."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from services.evaluation.extraction.intervals import Estimate
from services.evaluation.retrieval import comparing, measuring, saved
from services.evaluation.retrieval.ingesting import library
from services.evaluation.retrieval.questions import Suite
from services.evaluation.retrieval.running import Plan, run
from services.settings import Settings


@dataclass(frozen=True, slots=True)
class Report:
    """What a run showed."""

    measures: list[Estimate]
    table: measuring.Table
    comparisons: list[comparing.Comparison]

    def to_json(self) -> dict[str, Any]:
        return {"measures": [measure.to_json() for measure in self.measures]}


def measure(
    suites: Sequence[Suite],
    plan: Plan,
    settings: Settings,
    *,
    directory: Path | None = None,
    fresh: bool = False,
    told: Callable[[str], None] = lambda _: None,
) -> Report:
    """Run and measure; packets are kept in `directory` if one is given. `fresh`: ingest stories that are kept anew."""
    with ExitStack() as stack:
        place = directory or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="fabula-eval-")))
        with library(settings, fresh=fresh, told=told) as kept:
            run(suites, kept, plan, place, {"embedder": settings.embedder})
        return reported(place)


def reported(directory: Path) -> Report:
    """The measures of the packets saved in a directory. Raises `NoPackets`."""
    table = measuring.table(saved.read(directory))
    comparisons = list(comparing.comparisons(table))
    estimates = measuring.measures(table) + [comparison.to_estimate() for comparison in comparisons]
    return Report(estimates, table, comparisons)
