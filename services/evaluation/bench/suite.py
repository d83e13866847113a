"""The benchmarks of the ledger and of what is built on it, one after the other in one run."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from services.evaluation.bench import appending, chapters, editing, foreseeing, importing, packets, projecting, reading
from services.evaluation.bench.measures import MS, Measure
from services.evaluation.bench.place import Place, place
from services.evaluation.bench.sizes import Sizes

Taking = Callable[[Place, Sizes], Sequence[Measure]]


def ledger(
    sizes: Sizes,
    *,
    novel: Path | None = None,
    only: Sequence[str] = (),
    told: Callable[[str], None] = lambda _: None,
) -> list[Measure]:
    """Every measure (or those of the groups in `only`). `novel` is a folder of chapters to import; `told` hears what is next."""
    groups: dict[str, Taking] = {
        "append": appending.measure,
        "projections": projecting.follow,
        "rebuild": projecting.rebuild,
        "publish": reading.publish_until_visible,
        "state": reading.state,
        "packet": packets.measure,
        "curve": editing.curve,
        "edit": editing.edits,
        "impact": foreseeing.measure,
        "long-chapter": chapters.measure,
        "import": lambda where, _: importing.measure(where, novel),
    }
    found: list[Measure] = []
    with place() as where:
        for name, take in groups.items():
            if not only or name in only:
                told(name)
                found.extend(take(where, sizes))
    return [yardstick(), *found]


def yardstick() -> Measure:
    """How fast this machine is just now, for comparing runs: a million additions in Python, the wall time beside the CPU time."""
    started, worked = time.perf_counter(), time.process_time()
    for _ in range(5):
        sum(range(1_000_000))
    wall, cpu = (time.perf_counter() - started) / 5, (time.process_time() - worked) / 5
    return Measure(
        name="yardstick: a million additions in Python", value=round(wall * MS, 1), unit="ms", n=5,
        detail={"cpu_ms": round(cpu * MS, 1), "cores": os.cpu_count(), "load": [round(each, 1) for each in os.getloadavg()]},
    )  # fmt: skip


GROUPS = (
    "append",
    "projections",
    "rebuild",
    "publish",
    "state",
    "packet",
    "curve",
    "edit",
    "impact",
    "long-chapter",
    "import",
)
