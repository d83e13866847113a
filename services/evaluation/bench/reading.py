"""How soon what was published is read, and how long reading a large state takes."""

from __future__ import annotations

import time
from pathlib import Path

from services.composition import Application
from services.evaluation.bench.measures import MS, Measure, at_most, median, percentile
from services.evaluation.bench.place import Place
from services.evaluation.bench.serial import Chapter, Serial
from services.evaluation.bench.sizes import Sizes
from services.settings import Settings


def settings(place: Place, dsn: str, *, embedder: str = "hash", extractor: str = "none") -> Settings:
    """An embedded application on a database of the benchmark's; the embedder's model is kept where it always is."""
    usual = Settings.from_env({})
    home: Path = place.directory / "home"
    return Settings(home=home, cache=usual.cache, postgres=dsn, embedder=embedder, extractor=extractor)


def publish_until_visible(place: Place, sizes: Sizes) -> list[Measure]:
    """From handing in a chapter with 20 records until the state as of it is answered, every read model included."""
    found = []
    for embedder in sizes.embedders:
        serial = Serial(records=20, words=1_000)
        seconds, count = [], sizes.waited_chapters
        with Application(settings(place, place.database(f"visible_{embedder}"), embedder=embedder)) as application:
            for chapter in serial.chapters(2 * count):
                started = time.perf_counter()
                _publish(application, chapter)
                reply = application.reading().state("serial", at=chapter.number)
                seconds.append(time.perf_counter() - started)
                assert reply["state"], "what was published is visible"
        measured = seconds[count:]
        found.append(
            Measure(
                name=f"from publishing to the state, p95 ({embedder} embedder)",
                value=round(percentile(measured, 0.95) * MS, 1),
                unit="ms",
                target=at_most(500),
                n=count,
                detail={"p50_ms": round(median(measured) * MS, 1), "chapters_before": count},
            )
        )
    return found


def state(place: Place, sizes: Sizes) -> list[Measure]:
    """The state as of a chapter in which so many entries hold."""
    with Application(settings(place, place.database("state"))) as application:
        for chapter in entries(sizes.live_entries):
            _publish(application, chapter, wait=False)
        application.settle()
        reader = application.reader
        cold, warm = [], []
        last = 10
        for at in range(last - 4, last + 1):
            started = time.perf_counter()
            reader.state("serial", at=at)
            cold.append(time.perf_counter() - started)
        for _ in range(sizes.state_reads):
            started = time.perf_counter()
            reply = reader.state("serial", at=last)
            warm.append(time.perf_counter() - started)
        count = len(reply["state"])
    return [
        Measure(
            name="the state as of a chapter, p95", value=round(percentile(warm, 0.95) * MS, 2), unit="ms",
            target=at_most(10), n=len(warm),
            detail={
                "entries": count, "p50_ms": round(median(warm) * MS, 2), "first_ms": round(median(cold) * MS, 1),
            },
        )
    ]  # fmt: skip


def entries(count: int, chapters: int = 10) -> list[Chapter]:
    """Chapters that together set so many keys, none of them twice."""
    each = count // chapters
    found = []
    for number in range(1, chapters + 1):
        sentences, records = [], []
        for item in range(each):
            thing = f"crate {number}-{item}"
            sentence = f"The {thing} stood in the vault."
            record = {"kind": "object_delta", "object": thing, "state": "sealed"}
            records.append({"id": f"r{item}", **record, "evidence": [{"quote": sentence}]})
            sentences.append(sentence)
        found.append(Chapter(number, "\n".join(sentences), records))
    return found


def _publish(application: Application, chapter: Chapter, *, wait: bool = True) -> None:
    application.publisher.publish("serial", chapter.number, chapter.text, records=chapter.records, wait=wait)
