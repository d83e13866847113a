"""A back catalogue coming in: a folder of chapters that are read by the offline extractor."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from services.composition import Application
from services.evaluation.bench.child import measured, peak_rss_mb
from services.evaluation.bench.measures import Measure, at_least, skipped
from services.evaluation.bench.place import Place
from services.settings import Settings

_LOOK_SECONDS: Final = 0.2
NAME = "importing a novel, offline extractor"


def measure(place: Place, novel: Path | None) -> list[Measure]:
    """The import of a folder by the command, embedder and read models included."""
    if novel is None:
        return [skipped(NAME, "words/s", "no folder of chapters was given (--novel DIR)", at_least(1_000))]
    took = measured(
        "services.evaluation.bench.importing:import_here", dsn=place.database("importing"), path=str(novel.absolute()),
        home=str(place.directory / "home"),
    )  # fmt: skip
    return [
        Measure(
            name=NAME, value=round(took["words"] / took["seconds"]), unit="words/s", target=at_least(1_000), n=took["chapters"],
            detail={
                "words": took["words"], "seconds": round(took["seconds"], 1), "cpu_seconds": round(took["cpu_seconds"], 1),
                "peak_rss_mb": round(took["peak_together_mb"]), "records": took["records"],
                "words_per_cpu_second": round(took["words"] / took["cpu_seconds"]),
                "publishing_seconds": round(took["publishing_seconds"], 1),
            },
        )
    ]  # fmt: skip


def import_here(dsn: str, path: str, home: str) -> dict[str, Any]:
    """Import the folder in this process."""
    from services.composition.in_order import publish_in_order
    from services.publishing.importing import examine

    source = examine(Path(path))
    usual = Settings.from_env({})
    chosen = Settings(home=Path(home), cache=usual.cache, postgres=dsn)
    started = time.perf_counter()
    with Application(chosen) as application, _watching() as peak:
        published = sum(not reply["unchanged"] for reply in publish_in_order(application, "novel", source.chapters))
        publishing = time.perf_counter() - started
        application.settle()
        with application.pool.connection() as conn:
            row = conn.execute("SELECT count(*) FROM ledger.stored_events").fetchone()
    words = sum(len(chapter.text.split()) for chapter in source.chapters)
    events = 0 if row is None else int(row[0])
    return {
        "words": words, "chapters": published, "records": events - published,
        "publishing_seconds": publishing, "peak_together_mb": max(peak),
    }  # fmt: skip


@contextmanager
def _watching() -> Iterator[list[float]]:
    """Looks now and then how much memory this process and those it started have together, in MB."""
    seen = [peak_rss_mb()]
    stop = threading.Event()

    def look() -> None:
        while not stop.wait(_LOOK_SECONDS):
            children = Path("/proc/self/task").glob("*/children")
            pids = ["self", *(pid for listed in children for pid in listed.read_text().split())]
            seen.append(sum(map(_resident_mb, pids)))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    try:
        yield seen
    finally:
        stop.set()
        thread.join()


def _resident_mb(pid: str) -> float:
    """What a process holds in memory now; 0 where it has ended."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return sum(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS:"))
