"""What answers: state, packets, answers, audits and drafts held against the state."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from services.composition.stores import Stores
from services.extraction.when_needed import WhenNeeded
from services.projecting.read_models import STORY
from services.settings import VARIABLES, InvalidSetting

if TYPE_CHECKING:
    from services.answering.answering import Answering
    from services.auditing.asking import Adviser
    from services.auditing.auditor import Auditor
    from services.auditing.desk import Desk
    from services.reading.reader import Reader
    from services.retrieval.planning.advice import Planning
    from services.retrieval.retriever import Retriever


class Answers(Stores):
    """Each is there by itself, and by a method that brings its read models up to date first."""

    @property
    def reader(self) -> Reader:
        return self._part("reader", self._reading)

    @property
    def retriever(self) -> Retriever:
        return self._part("retriever", self._retrieval)

    @property
    def auditor(self) -> Auditor:
        return self._part("auditor", self._auditing)

    @property
    def answering(self) -> Answering:
        return self._part("answering", self._answers)

    @property
    def desk(self) -> Desk:
        return self._part("desk", self._auditing_drafts)

    def reading(self) -> Reader:
        """The reader, once its read models include all that was published (embedded; else as far as they are)."""
        if self.settings.embedded and not self._follows and not self.catalogue.is_current(STORY):
            self.settle()
        return self.reader

    def auditing(self) -> Auditor:
        """The auditor, once its read models include all that was published (embedded; else as far as they are)."""
        self.reading()
        return self.auditor

    def asking(self) -> Retriever:
        """The retriever, once its read models include all that was published (embedded; else as far as they are)."""
        self.settle()
        return self.retriever

    def answers(self) -> Answering:
        """What answers questions, once its read models include all that was published (embedded; else as far as they are)."""
        self.settle()
        return self.answering

    def forget_texts(self, hashes: Iterable[str]) -> None:
        """Drop erased texts from this process's memory."""
        with self._lock:
            parts = dict(self._parts)
        hashes = list(hashes)
        if "reader" in parts:
            for digest in hashes:
                self.reader.forget_text(digest)
        if "auditor" in parts:
            for digest in hashes:
                self.auditor.forget_text(digest)
        if "retriever" in parts:
            self.retriever.forget()

    @property
    def _extractor(self) -> WhenNeeded:
        return self._part("extractor", lambda: WhenNeeded(self.settings.extractor, lambda: self.pool))

    def _reading(self) -> Reader:
        from services.reading.reader import Reader

        return Reader(self.pool)

    def _auditing(self) -> Auditor:
        from services.auditing.auditor import Auditor

        return Auditor(self.pool, lambda: self._part("adviser", self._advising), lambda: self.embedder)

    def _advising(self) -> Adviser | None:
        if self.settings.reader != "claude":
            return None
        from services.auditing.asking import Adviser
        from services.extraction.claude.options import ClaudeOptions

        return Adviser.over(ClaudeOptions.from_env(), self.pool)

    def _retrieval(self) -> Retriever:
        from services.retrieval.retriever import Retriever

        planning = self._planning()
        if self.indices is None:
            return Retriever(self.pool, self.embedder, planning=planning)
        from projections.search.read import ElasticsearchCandidates
        from services.retrieval.candidates import IndexCandidates

        candidates = IndexCandidates(ElasticsearchCandidates(self.indices, self.pool))
        return Retriever(self.pool, self.embedder, candidates=candidates, planning=planning)

    def _planning(self) -> Planning | None:
        if self.settings.planner != "claude":
            return None
        if self.settings.anthropic_api_key is None:
            raise InvalidSetting(VARIABLES["anthropic_api_key"], "", "a key, or FABULA_PLANNER to rules")
        from services.extraction.claude.options import ClaudeOptions
        from services.retrieval.planning.claude import ClaudePlanning

        return ClaudePlanning.from_options(ClaudeOptions.from_env(), self.pool)

    def _answers(self) -> Answering:
        from services.answering.building import answering

        return answering(self.settings, self.retriever, lambda: self.pool)

    def _auditing_drafts(self) -> Desk:
        from services.auditing.desk import Desk

        desk = Desk(self.ledger, self.pool, self._extractor, lambda: self.embedder)
        desk.questions.migrate()
        return desk
