"""What it costs to foresee an edit: in proportion to what rests on it, not to the length of the story."""

from __future__ import annotations

import time

from services.auditing import planning
from services.auditing.impact import impact
from services.evaluation.bench.editing import CountingExtractor, edited, told
from services.evaluation.bench.measures import MS, Measure, median
from services.evaluation.bench.place import Place
from services.evaluation.bench.sizes import Sizes

FEW = 3
TIMES = 7


def measure(place: Place, sizes: Sizes) -> list[Measure]:
    """An edit of chapter 1 foreseen: three chapters rest on it in a story and in one of half its length, then all do."""
    length = sizes.edited_chapters
    return [
        _foreseen(place, max(FEW + 1, length // 2), FEW, "half"),
        _foreseen(place, length, FEW, "few"),
        _foreseen(place, length, length, "many"),
    ]


def _foreseen(place: Place, chapters: int, dependants: int, name: str) -> Measure:
    extractor = CountingExtractor()
    with told(place, f"foreseen_{name}", chapters, dependants, extractor) as (ledger, _):
        text, records = edited()
        plan = planning.edit(ledger, extractor, "serial", 1, text, records=records)
        found = impact(ledger, plan)  # the story's index is in memory from here on, as while somebody writes
        wall: list[float] = []
        cpu: list[float] = []
        for _ in range(TIMES):
            started, worked = time.perf_counter(), time.process_time()
            impact(ledger, plan)
            wall.append(time.perf_counter() - started)
            cpu.append(time.process_time() - worked)
    return Measure(
        name=f"foreseeing an edit of chapter 1 of {chapters}, {min(dependants, chapters - 1)} dependants",
        value=round(median(wall) * MS, 1), unit="ms", n=TIMES,
        detail={"cpu_ms": round(median(cpu) * MS, 1), "events": len(found.events), "intervals": len(found.told["intervals"])},
    )  # fmt: skip
