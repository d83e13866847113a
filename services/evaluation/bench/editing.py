"""What publishing costs as a story grows, and what an edit of its first chapter brings about."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from events.ledger import Ledger
from events.replaying import replay
from events.story_index import StoryIndex
from services.composition import Application
from services.evaluation.bench.measures import MS, Measure, median
from services.evaluation.bench.place import Place
from services.evaluation.bench.reading import settings
from services.evaluation.bench.serial import Chapter, Serial
from services.evaluation.bench.sizes import Sizes
from services.extraction.handling import Handler
from services.publishing.gateway import Publisher
from services.publishing.transport import Embedded

WINDOW = 10
"""Chapters whose median is a point of the curve."""


def curve(place: Place, sizes: Sizes) -> list[Measure]:
    """The time to publish chapter n of a story, 20 records a chapter, every read model (hash embedder) included."""
    wall: list[float] = []
    cpu: list[float] = []
    spent: list[dict[str, float]] = []
    with Application(settings(place, place.database("curve"))) as application:
        phases = Phases(application)
        for chapter in Serial(records=20, words=300).chapters(sizes.curve_chapters):
            started, worked = time.perf_counter(), time.process_time()
            application.publisher.publish("serial", chapter.number, chapter.text, records=chapter.records)
            wall.append(time.perf_counter() - started)
            cpu.append(time.process_time() - worked)
            spent.append(phases.since())
    marks = [n for n in (10, 20, 50, 100, 200, 500, 1_000, 2_000) if n < sizes.curve_chapters] + [sizes.curve_chapters]
    points = [{"chapter": n, "ms": _at(wall, n), "cpu_ms": _at(cpu, n)} for n in marks]
    return [
        Measure(
            name=f"publishing chapter {marks[-1]} beside chapter {marks[0]}",
            value=round(points[-1]["cpu_ms"] / points[0]["cpu_ms"], 2), unit="x CPU time", n=len(wall),
            detail={
                "curve": points, "wall_ratio": round(points[-1]["ms"] / points[0]["ms"], 2),
                "worst": _worst(wall, cpu, spent),
            },
        )
    ]  # fmt: skip


class Phases:
    """How long the parts of publishing take in an application, in seconds: where a slow one lost its time."""

    def __init__(self, application: Application) -> None:
        self._spent: dict[str, float] = {}
        for owner, method in (
            (application.ledger, "register"),
            (application.ledger, "append"),
            (application.runner, "catch_up"),
        ):
            setattr(owner, method, self._timed(getattr(owner, method), method))

    def since(self) -> dict[str, float]:
        """By part, what was spent since this was asked last."""
        spent, self._spent = self._spent, {}
        return spent

    def _timed(self, call: Callable[..., Any], part: str) -> Callable[..., Any]:
        def timed(*args: Any, **kwargs: Any) -> Any:
            started = time.perf_counter()
            try:
                return call(*args, **kwargs)
            finally:
                self._spent[part] = self._spent.get(part, 0.0) + time.perf_counter() - started

        return timed


def _worst(wall: list[float], cpu: list[float], spent: list[dict[str, float]]) -> dict[str, Any]:
    """The slowest publication after the first, which prepares everything, and how its time divides."""
    at = max(range(min(1, len(wall) - 1), len(wall)), key=wall.__getitem__)
    parts = {part: round(seconds * MS, 1) for part, seconds in spent[at].items()}
    return {"chapter": at + 1, "ms": round(wall[at] * MS, 1), "cpu_ms": round(cpu[at] * MS, 1), **parts}


def _at(seconds: list[float], chapter: int) -> float:
    """The median over the chapters up to this one, in ms."""
    return round(median(seconds[max(0, chapter - WINDOW) : chapter]) * MS, 2)


class CountingExtractor:
    """Reads nothing, and counts how often it is asked to."""

    name = "counting"

    def __init__(self) -> None:
        self.calls = 0

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        self.calls += 1
        return []


def edits(place: Place, sizes: Sizes) -> list[Measure]:
    """The first chapter of a long story published anew: where three chapters rest on it, and where all do."""
    return [
        _edit(place, sizes.edited_chapters, few, name) for few, name in ((3, "few"), (sizes.edited_chapters, "many"))
    ]


@contextmanager
def told(
    place: Place, database: str, chapters: int, dependants: int, extractor: CountingExtractor
) -> Iterator[tuple[Ledger, Publisher]]:
    """The story "serial" in a database of its own, so many of its chapters resting on the first."""
    with Ledger(place.database(database)) as ledger:
        publisher = Publisher(ledger, Embedded(Handler(ledger, extractor)))
        for chapter in Serial(records=20).chapters(chapters):
            based = _resting(chapter) if 1 < chapter.number <= dependants + 1 else chapter
            publisher.publish("serial", based.number, based.text, records=based.records)
        yield ledger, publisher


def edited() -> tuple[str, list[Any]]:
    """The first chapter as it is edited: a sentence more, and without its last record."""
    first = Serial(records=20).chapter(1)
    return first.text + "\n\nAnd that was how it began.", first.records[:-1]


def _edit(place: Place, chapters: int, dependants: int, name: str) -> Measure:
    extractor = CountingExtractor()
    with told(place, f"edits_{name}", chapters, dependants, extractor) as (ledger, publisher):
        index = ledger.index_of("serial")
        weighed = _Weighed(index)
        text, records = edited()
        before = extractor.calls
        started, worked = time.perf_counter(), time.process_time()
        reply = publisher.publish("serial", 1, text, records=records)
        seconds, working = time.perf_counter() - started, time.process_time() - worked
        row = ledger.publication("serial", chapters + 1)
        assert row is not None
        assert row.last_position == reply["position"]
        replay(index, (r.event for r in ledger.story_events("serial", index.version)))
    return Measure(
        name=f"publishing chapter 1 of {chapters} anew, {name} dependants", value=round(seconds * MS, 1), unit="ms", n=1,
        detail={
            "cpu_ms": round(working * MS, 1),
            "dependants": min(dependants, chapters - 1), "events": row.events, "chapters_weighed": weighed.count,
            "other_chapters_extracted": extractor.calls - before,
        },
    )  # fmt: skip


def _resting(chapter: Chapter) -> Chapter:
    """The chapter with a record that rests on the last record of chapter 1, which the edit takes away."""
    *rest, last = chapter.records
    return Chapter(chapter.number, chapter.text, [*rest, {**last, "depends_on": ["1:r20"]}])


class _Weighed:
    """Counts the chapters that an index weighs from now on."""

    def __init__(self, index: StoryIndex) -> None:
        self.count = 0
        weigh = index._weigh_chapter

        def counted(chapter: int) -> None:
            self.count += 1
            weigh(chapter)

        index._weigh_chapter = counted  # type: ignore[method-assign]
