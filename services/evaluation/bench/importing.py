"""A back catalogue coming in: a folder of chapters that are read by the offline extractor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from services.composition import Application
from services.evaluation.bench.child import measured
from services.evaluation.bench.measures import Measure, at_least, skipped
from services.evaluation.bench.place import Place
from services.settings import Settings

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
                "peak_rss_mb": round(took["peak_rss_mb"]), "records": took["records"],
            },
        )
    ]  # fmt: skip


def import_here(dsn: str, path: str, home: str) -> dict[str, Any]:
    """Import the folder in this process."""
    from services.cli.importing import publish_all
    from services.publishing.importing import examine

    source = examine(Path(path))
    usual = Settings.from_env({})
    chosen = Settings(home=Path(home), cache=usual.cache, postgres=dsn)
    with Application(chosen) as application:
        reply = publish_all(application, "novel", source, "en")
        with application.pool.connection() as conn:
            row = conn.execute("SELECT count(*) FROM ledger.stored_events").fetchone()
    words = sum(len(chapter.text.split()) for chapter in source.chapters)
    events = 0 if row is None else int(row[0])
    return {"words": words, "chapters": reply["published"], "records": events - reply["published"]}
