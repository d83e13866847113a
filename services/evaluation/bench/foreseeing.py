"""What it costs to foresee an edit: in proportion to what rests on it, not to the length of the story."""

from __future__ import annotations

import time

from events.ledger import Ledger
from services.auditing import planning
from services.auditing.impact import impact
from services.evaluation.bench.editing import CountingExtractor, resting
from services.evaluation.bench.measures import MS, Measure, median
from services.evaluation.bench.place import Place
from services.evaluation.bench.serial import Serial
from services.evaluation.bench.sizes import Sizes
from services.extraction.handling import Handler
from services.publishing.gateway import Publisher
from services.publishing.transport import Embedded

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
    with Ledger(place.database(f"foreseen_{name}")) as ledger:
        publisher = Publisher(ledger, Embedded(Handler(ledger, extractor)))
        for chapter in Serial(records=20).chapters(chapters):
            based = resting(chapter) if 1 < chapter.number <= dependants + 1 else chapter
            publisher.publish("serial", based.number, based.text, records=based.records)
        first = Serial(records=20).chapter(1)
        text = first.text + "\n\nAnd that was how it began."
        plan = planning.edit(ledger, extractor, "serial", 1, text, records=first.records[:-1])
        impact(ledger, plan)  # the story's index is in memory from here on, as while somebody writes
        wall: list[float] = []
        cpu: list[float] = []
        for _ in range(TIMES):
            started, worked = time.perf_counter(), time.process_time()
            impact(ledger, plan)
            wall.append(time.perf_counter() - started)
            cpu.append(time.process_time() - worked)
        found = impact(ledger, plan)
    return Measure(
        name=f"foreseeing an edit of chapter 1 of {chapters}, {min(dependants, chapters - 1)} dependants",
        value=round(median(wall) * MS, 1), unit="ms", n=TIMES,
        detail={"cpu_ms": round(median(cpu) * MS, 1), "events": len(found.events), "intervals": len(found.told["intervals"])},
    )  # fmt: skip
