"""The publisher: everything that is written into a story comes through here."""

from __future__ import annotations

import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import timedelta
from typing import Any, Final

import structlog

from events.chapters import Publication, PublicationRequest
from events.domain_events import Json
from events.errors import Postponed, Unavailable
from events.ledger import Ledger
from events.publications import PublicationRow
from events.story_index import StoryIndex
from services.publishing import decisions, validation
from services.publishing.chapters import last_chapter, require_chapter
from services.publishing.errors import NotSentYet, NotTakenInYet, PublicationDead
from services.publishing.transport import Transport

Reply = dict[str, Any]
_log = structlog.get_logger(__name__)
_FIRST_LOOK: Final = 0.005
_SLOWEST_LOOK: Final = 0.25


def no_read_models(position: int) -> None:
    """The waiter of a publisher that has no read models beside it."""


class Publisher:
    """Checks what somebody wants published, registers it in the ledger, and hands it to the transport.

    Once registered a publication is never lost: if the transport does not take it, it is sent again (`resend_pending`).
    `waiter` returns when the read models include a position, or raises `ReadModelBehind`.
    """

    def __init__(
        self,
        ledger: Ledger,
        transport: Transport,
        waiter: Callable[[int], None] = no_read_models,
        *,
        outcome_seconds: float = 120.0,
    ) -> None:
        self._ledger = ledger
        self._transport = transport
        self._waiter = waiter
        self._outcome_seconds = outcome_seconds

    def publish(
        self,
        story: str,
        chapter: int,
        text: str,
        *,
        title: str | None = None,
        records: Json = None,
        language: str = "en",
        wait: bool = True,
    ) -> Reply:
        """Publish a chapter, or its next revision. `records` is None, a list, or a sidecar object.

        Replies {"story", "chapter", "revision", "position", "unchanged", "rejected", "warnings"}; the position is None,
        and "pending" True, where nobody has taken it in yet and `wait` is False.
        Raises `InvalidName`, `InvalidChapter`, `InvalidRecords` before anything is written; afterwards `NotSentYet`,
        `NotTakenInYet`, `ReadModelBehind` (kept, nothing to repeat) or `PublicationDead`.
        """
        request = self.request(story, chapter, text, title=title, records=records, language=language)
        return self._submit(request, wait)

    @staticmethod
    def request(
        story: str, chapter: int, text: str, *, title: str | None = None, records: Json = None, language: str = "en"
    ) -> PublicationRequest:
        """What `publish` registers: everything checked, the text as it is kept. Raises as `publish` before anything is written."""
        number = validation.chapter_number(chapter)
        return PublicationRequest(
            story=validation.story_id(story),
            chapter=number,
            action="publish",
            text=validation.chapter_text(text),
            title=validation.chapter_title(title),
            language=validation.language_tag(language),
            records=validation.chapter_records(records, number),
        )

    def reread(self, request: PublicationRequest, *, wait: bool = True) -> Reply:
        """Publish what reading a chapter anew gave (see `services.extraction.reextracting`).

        Raises `Conflict` where the chapter was published meanwhile, else as `publish`.
        """
        return self._submit(request, wait)

    def promote(self, request: PublicationRequest, *, wait: bool = True) -> Reply:
        """Publish a chapter of a branch, with the records it has there (see `services.branching`). Raises as `publish`."""
        return self._submit(request, wait)

    def retract(self, story: str, chapter: int, *, wait: bool = True) -> Reply:
        """Withdraw a chapter until it is published again. Raises `UnknownStory`, `UnknownChapter`, else as `publish`."""
        story, chapter = validation.story_id(story), validation.chapter_number(chapter)
        require_chapter(self._ledger, story, chapter)
        return self._submit(PublicationRequest(story=story, chapter=chapter, action="retract"), wait)

    def merge(self, story: str, a: str, b: str, *, since: int | None = None, wait: bool = True) -> Reply:
        """An editor decides that `b` is `a`, from chapter `since` on (None: from the beginning).

        Both are names, aliases or entity ids. What was decided before and stands, as any decision, changes nothing.
        Raises `UnknownStory`, `UnknownEntity`, `Conflict`, else as `publish`.
        """
        a, b = validation.entity_name(a), validation.entity_name(b)
        chapter = 0 if since is None else validation.whole_number(since, "chapter", 0)
        with self._index(validation.story_id(story)) as index:
            decision = decisions.merge(index, a, b, chapter)
        return self._decide(story, "merge", decision, wait)

    def split(self, story: str, alias: str, from_: str, *, wait: bool = True) -> Reply:
        """An editor decides that the name `alias` does not belong to the entity `from_`. Raises as `merge`."""
        alias, from_ = validation.entity_name(alias), validation.entity_name(from_)
        with self._index(validation.story_id(story)) as index:
            decision = decisions.split(index, alias, from_)
        return self._decide(story, "split", decision, wait)

    def checkpoint(self, story: str, name: str, at: int | None = None, *, wait: bool = True) -> Reply:
        """Give the place after chapter `at` (None: the last) a name; an older one of the same name moves.

        Raises `UnknownStory`, else as `publish`.
        """
        story, name = validation.story_id(story), validation.checkpoint_name(name)
        last = last_chapter(self._ledger, story)
        chapter = last if at is None else validation.whole_number(at, "chapter", 1)
        return self._decide(story, "checkpoint", {"name": name, "at": chapter}, wait)

    def due(self, story: str, thread: str, chapter: int | None, *, wait: bool = True) -> Reply:
        """An editor plans that a thread is paid off by a chapter (None: no longer). Raises `UnknownThread`, else as `merge`."""
        thread = validation.thread_name(thread)
        due = None if chapter is None else validation.whole_number(chapter, "chapter", 1)
        with self._index(validation.story_id(story)) as index:
            decision = decisions.due(index, thread, due)
        return self._decide(story, "due", decision, wait)

    def exempt(self, story: str, finding: str, reason: str, *, wait: bool = True) -> Reply:
        """Let a finding of a check stand, as long as the records that decide it are the same.

        Raises `UnknownStory`, `InvalidInput`, else as `publish`.
        """
        story = validation.story_id(story)
        self._ledger.require(story)
        return self._decide(story, "exempt", decisions.exemption(finding, reason), wait)

    def resend_pending(self, older_than: timedelta = timedelta(0), *, story: str | None = None) -> int:
        """Hand over again what was registered (in one story, or in any) and never taken in; returns how many.

        Several processes may do so at once, and what was on its way may arrive twice: taking it in twice changes nothing.
        Raises `Unavailable`.
        """
        pending = [p for p in self._ledger.pending(older_than) if story in (None, p.story)]
        waits: dict[str, Unavailable] = {}
        for publication in pending:
            if publication.story not in waits:
                try:
                    self._transport.deliver(publication)
                except Unavailable as error:  # the story's later chapters wait with it, other stories go on
                    waits[publication.story] = error
        if waits:
            raise next(iter(waits.values()))
        return len(pending)

    def close(self) -> None:
        self._transport.close()

    def _decide(self, story: str, action: Any, decision: dict[str, Json], wait: bool) -> Reply:
        return self._submit(PublicationRequest(story=story, chapter=0, action=action, decision=decision), wait)

    def _index(self, story: str) -> AbstractContextManager[StoryIndex]:
        """The ledger's own index, up to date: a decision does not read the whole story anew."""
        self._ledger.require(story)
        return self._ledger.index(story)

    def _submit(self, request: PublicationRequest, wait: bool) -> Reply:
        registration = self._ledger.register(request)
        publication = registration.publication
        row = self._row(publication)
        if row.status != "appended":
            self._deliver(publication)
            row = self._outcome(publication) if wait else self._row(publication)
        if row.status == "dead":
            raise PublicationDead(publication.story, publication.sequence, publication.chapter, str(row.error))
        if wait and row.last_position is not None:
            self._waiter(row.last_position)
        _log.debug("published", **_keys(publication), position=row.last_position, unchanged=registration.unchanged)
        return _reply(publication, row, unchanged=registration.unchanged)

    def _deliver(self, publication: Publication) -> None:
        try:
            self._transport.deliver(publication)
        except Postponed:  # it says itself what it waits for
            raise
        except Unavailable as error:
            _log.warning("kept, not sent yet", **_keys(publication), error=str(error))
            raise NotSentYet(publication.story, publication.sequence, publication.chapter, str(error)) from error

    def _row(self, publication: Publication) -> PublicationRow:
        row = self._ledger.publication(publication.story, publication.sequence)
        assert row is not None, "what was registered is in the ledger"
        return row

    def _outcome(self, publication: Publication) -> PublicationRow:
        deadline = time.monotonic() + self._outcome_seconds
        pause = _FIRST_LOOK
        while (row := self._row(publication)).status == "accepted":
            if time.monotonic() > deadline:
                raise NotTakenInYet(publication.story, publication.sequence, publication.chapter, self._outcome_seconds)
            time.sleep(pause)
            pause = min(pause * 1.5, _SLOWEST_LOOK)
        return row


def _keys(publication: Publication) -> dict[str, Any]:
    return {
        "story": publication.story,
        "chapter": publication.chapter,
        "revision": publication.revision,
        "correlation": publication.id,
    }


def _reply(publication: Publication, row: PublicationRow, *, unchanged: bool) -> Reply:
    reply: Reply = {
        "story": publication.story,
        "chapter": publication.chapter,
        "revision": publication.revision,
        "position": row.last_position,
        "unchanged": unchanged,
        "rejected": [dict(each) for each in row.rejected],
        "warnings": list(row.warnings),
    }
    if row.status == "accepted":
        reply["pending"] = True
    return reply
