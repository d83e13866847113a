"""Stories in the product itself: published, extracted and projected once, then kept in a PostgreSQL under the cache directory.

A story's database is named for its texts and records and for the embedder, so a second run starts at once. It remembers the code
that made it; where the code is another one now, that is told, and `fresh` makes it anew.
"""

from __future__ import annotations

import fcntl
import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

import psycopg
from psycopg import sql

from services.composition import Application
from services.composition.in_order import publish_in_order
from services.evaluation.retrieval.questions import Story
from services.local.postgres import DATABASE, LocalPostgres
from services.observing.logs import configure
from services.settings import Settings

_READS: Final = ("events", "projections/words", "projections/passages", "services/extraction/offline")
"""The packages whose code decides which rows a story becomes."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What it took to index a story: seconds of publishing and extracting, of projecting and embedding; its size."""

    chapters: int
    words: int
    records: int
    extract_seconds: float
    project_seconds: float
    megabytes: float
    code: str

    @property
    def seconds(self) -> float:
        return self.extract_seconds + self.project_seconds


class Library:
    """Ingested stories, each in a database of its own on one server."""

    def __init__(self, dsn: str, settings: Settings, locks: Path, told: Callable[[str], None], fresh: bool) -> None:
        self._dsn = dsn
        self._settings = settings
        self._locks = locks
        self._told = told
        self._fresh = fresh

    @contextmanager
    def opened(self, story: Story) -> Iterator[tuple[Application, Cost]]:
        """The application over the story, ingested before if it was not."""
        name = self._name(story)
        with _held(self._locks / f"{name}.lock", fcntl.LOCK_EX):
            cost = None if self._fresh else self._kept(name)
            if cost is None:
                cost = self._ingest(name, story)
        if cost.code != _code():
            self._told(f"{story.name} was ingested by other code than that of today; --fresh ingests it anew")
        with Application(self._over(name), configure) as application:
            yield application, cost

    def _name(self, story: Story) -> str:
        made_of = f"{story.digest()} {self._settings.embedder}"
        return "eval_" + blake2b(made_of.encode(), digest_size=10).hexdigest()

    def _over(self, name: str) -> Settings:
        return Settings(
            home=self._settings.home,
            cache=self._settings.cache,
            postgres=self._dsn.replace(f"/{DATABASE}", f"/{name}"),
            embedder=self._settings.embedder,
        )

    def _kept(self, name: str) -> Cost | None:
        """The cost that the database's comment tells, written once all is in; None where there is no whole one."""
        query = "SELECT shobj_description(oid, 'pg_database') FROM pg_database WHERE datname = %s"
        with self._administration() as conn:
            row = conn.execute(query, (name,)).fetchone()
        return Cost(**json.loads(row[0])) if row and row[0] else None

    def _ingest(self, name: str, story: Story) -> Cost:
        self._told(f"ingesting {story.name}: {len(story.chapters)} chapters, {story.words:,} words")
        with self._administration() as conn:
            conn.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
            template = sql.Identifier(DATABASE)
            conn.execute(sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(sql.Identifier(name), template))
        with Application(self._over(name), configure) as application:
            started = time.perf_counter()
            for _ in publish_in_order(application, story.name, story.chapters):
                pass
            extracted = time.perf_counter()
            application.settle()
            projected = time.perf_counter()
            records = _records(application)
        with self._administration() as conn:
            size = conn.execute("SELECT pg_database_size(%s)", (name,)).fetchone()
            cost = Cost(
                chapters=len(story.chapters),
                words=story.words,
                records=records,
                extract_seconds=round(extracted - started, 3),
                project_seconds=round(projected - extracted, 3),
                megabytes=round((size[0] if size else 0) / 2**20, 1),
                code=_code(),
            )
            note = sql.Literal(json.dumps(asdict(cost)))
            conn.execute(sql.SQL("COMMENT ON DATABASE {} IS {}").format(sql.Identifier(name), note))
        return cost

    def _administration(self) -> psycopg.Connection[Any]:
        return psycopg.connect(self._dsn.replace(f"/{DATABASE}", "/postgres"), autocommit=True)


@contextmanager
def library(
    settings: Settings, *, fresh: bool = False, told: Callable[[str], None] = lambda _: None
) -> Iterator[Library]:
    """The stories kept under the cache directory; the server is stopped when the last run that uses it ends."""
    place = settings.cache / "eval"
    place.mkdir(parents=True, exist_ok=True)
    server = LocalPostgres(place / "postgres")
    with ExitStack() as stack:
        lock = stack.enter_context(_held(place / "lock", fcntl.LOCK_SH))
        try:
            yield Library(server.start(), settings, place, told, fresh)
        finally:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                pass  # somebody else is at work
            else:
                server.stop()


@contextmanager
def _held(path: Path, how: int) -> Iterator[IO[str]]:
    with path.open("w") as file:
        fcntl.flock(file, how)
        yield file


@lru_cache(maxsize=1)
def _code() -> str:
    """A hash of the sources that decide the rows."""
    root = Path(__file__).resolve().parents[3]
    found = blake2b(digest_size=16)
    for file in sorted(file for package in _READS for file in (root / package).glob("*.*") if file.suffix in _SOURCES):
        found.update(file.name.encode() + file.read_bytes())
    return found.hexdigest()


_SOURCES: Final = (".py", ".sql")


def _records(application: Application) -> int:
    with application.pool.connection() as conn:
        row = conn.execute(
            "SELECT count(*) FROM ledger.stored_events WHERE topic = 'fabula.record-asserted'"
        ).fetchone()
    return int(row[0]) if row else 0
