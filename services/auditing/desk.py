"""The editor's desk: what is asked before something is published. One entry point for the command line and the HTTP API."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from events.errors import InvalidInput
from events.ledger import Ledger
from projections.embedding import Embedder
from projections.passages.projection import read_model
from services.auditing import planning
from services.auditing.impact import Impact, impact
from services.auditing.questions import Saved, SavedQuestions
from services.documents import Document
from services.extraction.extractors import Extractor
from services.retrieval.source import PostgresSlices


class Desk:
    """Safe in several threads. Nothing is written but questions that are to be kept.

    `embedder` is built when a question is asked; it is the one with which the read models were built.
    """

    def __init__(
        self, ledger: Ledger, pool: ConnectionPool[Any], extractor: Extractor, embedder: Callable[[], Embedder]
    ) -> None:
        self._ledger = ledger
        self._pool = pool
        self._extractor = extractor
        self._embedder = embedder
        self.questions = SavedQuestions(pool)

    def impact(
        self,
        story: str,
        chapter: int,
        text: str | None,
        *,
        records: Json = None,
        title: str | None = None,
        language: str = "en",
        questions: Sequence[Saved] | None = None,
    ) -> Document:
        """What publishing `text` as the chapter would do; None: what withdrawing the chapter would.

        `questions` None: those that are kept for the story. Raises as `publish` before anything is written, `UnknownStory`,
        `UnknownChapter`, `UnknownCheckpoint`, `ReadModelBehind`.
        """
        if text is None:
            if records is not None:
                raise InvalidInput("A chapter that is withdrawn has no records; leave them out.")
            plan = planning.retraction(self._ledger, story, chapter)
        else:
            plan = planning.edit(
                self._ledger, self._extractor, story, chapter, text, records=records, title=title, language=language
            )
        found = impact(self._ledger, plan)
        asked = self.questions.of(plan.publication.story) if questions is None else list(questions)
        return {**found.told, "questions": self._asked_again(found, asked)}

    def _asked_again(self, found: Impact, asked: Sequence[Saved]) -> list[Json]:
        if not asked:
            return []
        from services.auditing.asked_again import asked_again

        embedder = self._embedder()
        return asked_again(found, PostgresSlices(self._pool, read_model(embedder.name)), embedder, asked)
