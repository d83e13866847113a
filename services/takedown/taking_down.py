"""The takedown: one service over the ledger, the read models, Elasticsearch and what is kept in memory.

It may be interrupted at any point: asked for again, it does what is left. What the records say is story state, not text,
and stays in the log, where no text ever was: events hold spans and hashes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any, Final

import structlog
from psycopg import Connection, sql
from psycopg.types.json import Jsonb

from events.errors import Conflict, InvalidInput, UnknownChapter
from projections import progress, versions
from projections.passages.projection import read_model
from projections.passages.vectors import VectorCache
from projections.search.projection import PATIENT, READ_MODEL
from projections.words import erasing
from services.publishing import validation
from services.takedown.selecting import Published, Selection, Use, select

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

    from events.ledger import Ledger
    from projections.embedding import Embedder
    from projections.search.index import ElasticsearchIndices
    from services.documents import Document

MAX_REASON: Final = 1_000
_log = structlog.get_logger(__name__)
_ERASE_TEXTS: Final = "UPDATE ledger.texts SET body = NULL WHERE hash = ANY(%s) AND body IS NOT NULL"
_NOTE: Final = """
INSERT INTO ledger.takedowns (story, chapter, everything, revisions, asked_by, reason)
VALUES (%s, %s, %s, %s, %s, %s) RETURNING id, asked_at
"""


class Takedown:
    """Erases texts. `wait` returns when the read models include a position; `embedder` gives one by its name.

    `forget` drops every text that this process has in memory; other processes look at `ledger.takedowns` (see `watching`).
    """

    def __init__(
        self,
        ledger: Ledger,
        pool: ConnectionPool[Any],
        embedder: Callable[[str], Embedder],
        *,
        wait: Callable[[int], None] = lambda _: None,
        indices: ElasticsearchIndices | None = None,
        forget: Callable[[Iterable[str]], None] = lambda _: None,
    ) -> None:
        self._ledger = ledger
        self._pool = pool
        self._embedder = embedder
        self._wait = wait
        self._indices = indices
        self._forget = forget

    def preview(self, story: str, chapter: int | None = None, *, everything: bool = False) -> Document:
        """What a takedown would erase; nothing is. Raises as `take_down` before anything is written."""
        self._checked(story, chapter, everything)
        with self._pool.connection() as conn:
            return {"story": story, **_told(select(conn, story, chapter, everything=everything))}

    def take_down(
        self, story: str, chapter: int | None = None, *, everything: bool = False, by: str = "", reason: str = ""
    ) -> Document:
        """Erase the texts of revisions that are not current any more, or (`everything`) of all revisions of one chapter.

        Replies {"story", "takedown", "asked_at", "erased": [{"chapter", "revision"}], "kept": [{…, "same_text_as"}]}.
        Raises `UnknownStory`, `UnknownChapter`, `InvalidInput`, `Conflict` (also while a rebuild goes on) before anything
        is written; afterwards `Unavailable`, and then the same has to be asked for again.
        """
        self._checked(story, chapter, everything)
        by, reason = (_line(value, name) for value, name in ((by, "by"), (reason, "reason")))
        with self._pool.connection() as conn:
            found = select(conn, story, chapter, everything=everything)
        self._include(found)
        with ExitStack() as stack:
            schemas = self._words(stack)
            number, asked_at, found = self._erase_texts(story, chapter, everything, by, reason)
            self._include(found)
            self._erase_words(schemas, story, found.revisions)
            self._forget_replies(story, found.chapters)
            self._refresh_statistics(schemas)
        self._forget(found.hashes)
        with self._pool.connection() as conn:
            conn.execute("UPDATE ledger.takedowns SET done_at = now() WHERE id = %s", (number,))
        _log.info("texts taken down", story=story, chapter=chapter, takedown=number, revisions=len(found.erased))
        return {"story": story, "takedown": number, "asked_at": asked_at.isoformat(), **_told(found)}

    def _include(self, found: Selection) -> None:
        """Return once the read models include what is to be erased: nothing may be on its way to them. Raises `ReadModelBehind`."""
        if position := max((each.position for each in found.erased), default=0):
            self._wait(position)

    def _checked(self, story: str, chapter: int | None, everything: bool) -> None:
        self._ledger.require(validation.story_id(story))
        if chapter is None and everything:
            raise InvalidInput("Every text is erased for one chapter at a time; name the chapter.")
        if chapter is None:
            return
        number = validation.chapter_number(chapter)
        with self._pool.connection() as conn:
            known = conn.execute(
                "SELECT 1 FROM ledger.publications WHERE story = %s AND chapter = %s LIMIT 1", (story, number)
            ).fetchone()
        if known is None:
            raise UnknownChapter(
                f"{story} has no chapter {number}; look at its chapters with `fabula timeline {story}`."
            )

    def _words(self, stack: ExitStack) -> list[progress.Progress]:
        """Every version of a read model that has words; no rebuild of one begins until the stack is left.

        Raises `RebuildRunning`, and `Conflict` where documents lie in an Elasticsearch that is not configured.
        """
        guard = stack.enter_context(self._pool.connection())
        found = [each for each in progress.all_versions(guard) if erasing.has_words(guard, each.schema)]
        if self._indices is None and any(each.name == READ_MODEL for each in found):
            raise Conflict(
                "This database has documents in Elasticsearch as well; set FABULA_ELASTICSEARCH to its address, "
                "so that they are erased too, then ask for the takedown again."
            )
        for name in dict.fromkeys(each.name for each in found):
            stack.enter_context(versions.rebuild_lock(guard, name))
        return found

    def _erase_texts(
        self, story: str, chapter: int | None, everything: bool, by: str, reason: str
    ) -> tuple[int, Any, Selection]:
        """Erase the texts and the quotes of records that were handed in, in one transaction with the note of it."""
        with self._pool.connection() as conn, conn.transaction():
            conn.execute("SELECT FROM ledger.stories WHERE story = %s FOR UPDATE", (story,))
            wanted = select(conn, story, chapter, everything=everything)
            # whoever publishes one of these texts just now comes before or after, never in between
            conn.execute("SELECT FROM ledger.texts WHERE hash = ANY(%s) ORDER BY hash FOR UPDATE", (wanted.hashes,))
            found = select(conn, story, chapter, everything=everything)
            conn.execute(_ERASE_TEXTS, (found.hashes,))
            for each in found.erased:
                _erase_quotes(conn, story, each)
            revisions = [list(each) for each in found.revisions]
            row = conn.execute(_NOTE, (story, chapter, everything, Jsonb(revisions), by, reason)).fetchone()
            assert row is not None, "an insert returns its row"
            return row[0], row[1], found

    def _erase_words(self, schemas: list[progress.Progress], story: str, revisions: list[tuple[int, int]]) -> None:
        """Erase the words in every read model, then the vectors of texts that no row has any more."""
        if not revisions:
            return
        gone: set[bytes] = set()
        for each in schemas:
            gone |= self._erase_in(each, story, revisions)
        with self._pool.connection() as conn:
            for each in schemas:
                with conn.transaction():
                    progress.use_schema(conn, each.schema)
                    gone -= erasing.still_there(conn, gone)
            if gone and _exists(conn, "embeddings.vectors"):
                conn.execute("DELETE FROM embeddings.vectors WHERE text_hash = ANY(%s)", (list(gone),))

    def _erase_in(self, version: progress.Progress, story: str, revisions: list[tuple[int, int]]) -> set[bytes]:
        embedder = self._embedder_of(version.name)
        with self._pool.connection() as conn:
            with conn.transaction():
                progress.use_schema(conn, version.schema)
                texts = erasing.without_quotes(conn, story, revisions)
            if embedder is not None:
                VectorCache(self._pool, embedder).ensure(texts)
            with conn.transaction():
                progress.lock(conn, version.schema)  # after the batch that a runner is at
                progress.use_schema(conn, version.schema)
                if version.name == READ_MODEL and self._indices is not None:
                    from projections.search.erasing import erase

                    return erase(conn, version.schema, self._indices, story, revisions, PATIENT)
                return erasing.erase(conn, story, revisions, embedder.name if embedder else None)

    def _embedder_of(self, name: str) -> Embedder | None:
        from projections.embedding import EMBEDDERS

        known = {read_model(each): each for each in EMBEDDERS}
        return self._embedder(known[name]) if name in known else None

    def _forget_replies(self, story: str, chapters: list[int]) -> None:
        """What a model replied about the chapters goes too: it quotes them."""
        with self._pool.connection() as conn:
            if not _exists(conn, "claude.uses"):
                return
        from services.extraction.claude.account import PostgresAccount

        for chapter in chapters:
            PostgresAccount(self._pool).forget_story(story, chapter)

    def _refresh_statistics(self, schemas: list[progress.Progress]) -> None:
        """PostgreSQL keeps samples of what is in its columns: take them anew, without the words."""
        tables = [("ledger", "texts"), ("ledger", "publications")]
        tables += [(each.schema, table) for each in schemas for table in ("passages", "records")]
        with self._pool.connection() as conn:
            for table in tables:
                conn.execute(sql.SQL("ANALYZE {}").format(sql.Identifier(*table)))


def _erase_quotes(conn: Connection[Any], story: str, each: Published) -> None:
    """Take the quotes out of the records that were handed in with a publication. One that failed is given up."""
    conn.execute(
        "UPDATE ledger.publications SET status = 'discarded' WHERE story = %s AND sequence = %s AND status = 'dead'",
        (story, each.sequence),
    )
    row = conn.execute(
        "SELECT body FROM ledger.publications WHERE story = %s AND sequence = %s", (story, each.sequence)
    ).fetchone()
    if row is None or not row[0].get("records"):
        return
    records = [_without_quotes(record) for record in row[0]["records"]]
    conn.execute(
        "UPDATE ledger.publications SET body = %s WHERE story = %s AND sequence = %s",
        (Jsonb({**row[0], "records": records}), story, each.sequence),
    )


def _without_quotes(record: dict[str, Any]) -> dict[str, Any]:
    spans = [{name: span[name] for name in ("start", "end") if name in span} for span in record.get("evidence", ())]
    return {**record, "evidence": spans}


def _exists(conn: Connection[Any], table: str) -> bool:
    row = conn.execute("SELECT to_regclass(%s)", (table,)).fetchone()
    return row is not None and row[0] is not None


def _told(found: Selection) -> Document:
    return {
        "erased": [{"chapter": each.chapter, "revision": each.revision} for each in found.erased],
        "kept": [
            {"chapter": each.chapter, "revision": each.revision, "same_text_as": _place(use)}
            for each, use in found.kept
        ],
    }


def _place(use: Use) -> Document:
    return {"story": use.story, "chapter": use.chapter, "revision": use.revision}


def _line(value: str, name: str) -> str:
    if len(value) > MAX_REASON or not value.isprintable():
        raise InvalidInput(f"`{name}` is one line of at most {MAX_REASON} characters.")
    return value
