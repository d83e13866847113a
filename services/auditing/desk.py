"""The editor's desk: what is asked before something is published. One entry point for the command line and the HTTP API."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from events.errors import InvalidInput, UnknownCheckpoint
from events.ledger import Ledger
from projections.embedding import Embedder
from projections.passages.projection import read_model
from services.auditing import planning
from services.auditing.checking.checking import check, check_read
from services.auditing.checking.checking import told as finding_told
from services.auditing.constraints import constraints
from services.auditing.exemptions import Exemption, applied, exemptions, plans
from services.auditing.impact import Impact, checkpoints, impact
from services.auditing.questions import Saved, SavedQuestions
from services.documents import Document
from services.extraction.extractors import Extractor, read
from services.extraction.handling import readable, unstamped
from services.publishing import validation
from services.publishing.chapters import chapter_with, last_chapter
from services.publishing.gateway import Publisher
from services.retrieval.source import PostgresSlices

_OF_DRAFT: Final = 20
"""Constraints told beside the violations of a draft."""


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

    def check(
        self,
        story: str,
        text: str,
        *,
        after: int | str | None = None,
        records: Json = None,
        scaffold: str | None = None,
        language: str = "en",
    ) -> Document:
        """What contradicts the state after chapter `after` (None: the last) in a draft of the chapter that follows.

        Answers `violations`, those that an editor let stand under `exempted`, and the `constraints` that concern the draft,
        or the scaffold. Without `records` the extractor reads the draft. Nothing is written, and nothing of chapters beyond
        `after` has a part in it. Raises as `publish` before anything is written, `UnknownStory`, `UnknownCheckpoint`.
        """
        at = self._place(story, after)
        request = Publisher.request(story, at + 1, text, records=records, language=language)
        body, found = request.text or "", request.records
        if not any(c.isalnum() for c in body):
            raise InvalidInput("The draft has no word in it; give the text of the chapter that is to follow.")
        told_before = chapter_with(self._ledger, request.story, body, at)
        if told_before is not None:
            raise InvalidInput(
                f"This is the text of chapter {told_before} as it is published, letter for letter; give the draft of a chapter that "
                f"follows chapter {at}, or ask for the `impact` of an edit of chapter {told_before}."
            )
        extracted = found is None
        if found is None:
            read_in = read(self._extractor, request.story, body, chapter=at + 1, language=language)
            found = readable(unstamped(read_in, self._extractor.name)[0], at + 1)
        due = plans(self._pool, request.story)
        with self._ledger.index(request.story) as index:
            checked = (check_read if extracted else check)(index, body, found, at, due)
            told = [finding_told(checked, name, finding) for name, finding in checked.findings]
            bound = constraints(checked.case, scaffold or body, due, _OF_DRAFT)
        decided = applied([name for name, _ in checked.findings], exemptions(self._pool, request.story))
        return {
            "story": request.story,
            "after": at,
            "violations": [_lapsed(each, decided) for each in told if not decided.get(each["id"], (None, False))[1]],
            "exempted": [
                {**each, "exemption": decided[each["id"]][0].to_json()}
                for each in told
                if decided.get(each["id"], (None, False))[1]
            ],
            "constraints": bound,
            "rejected": checked.rejected,
        }

    def constraints(self, story: str, *, at: int | str | None = None, scaffold: str | None = None) -> Document:
        """What the chapter after `at` (None: the last) must respect, ranked for a scaffold. Raises as `check`."""
        after = self._place(story, at)
        due = plans(self._pool, story)
        with self._ledger.index(story) as index:
            case = check(index, "", [], after).case
            return {"story": story, "at": after, "constraints": constraints(case, scaffold or "", due)}

    def exemptions(self, story: str) -> Document:
        """The findings that an editor let stand. Raises `UnknownStory`."""
        self._ledger.require(validation.story_id(story))
        return {"story": story, "exemptions": [each.to_json() for each in exemptions(self._pool, story)]}

    def _place(self, story: str, at: int | str | None) -> int:
        self._ledger.require(validation.story_id(story))
        if isinstance(at, int):
            return validation.whole_number(at, "chapter", 1)
        if at is None:
            return last_chapter(self._ledger, story)
        named = dict(checkpoints(self._pool, story))
        if at not in named:
            known = ", ".join(named) or "none yet"
            raise UnknownCheckpoint(f"The story {story!r} has no checkpoint {at[:80]!r}; it has {known}.")
        return named[at]

    def _asked_again(self, found: Impact, asked: Sequence[Saved]) -> list[Json]:
        if not asked:
            return []
        from services.auditing.asked_again import asked_again

        embedder = self._embedder()
        return asked_again(found, PostgresSlices(self._pool, read_model(embedder.name)), embedder, asked)


def _lapsed(told: Json, decided: Mapping[str, tuple[Exemption, bool]]) -> Json:
    """A violation; one that was exempt for other reasons than those that decide it now says so."""
    former = decided.get(told["id"])
    return {**told, "lapsed": None if former is None else former[0].to_json()}
