"""Taking a publication in: extract, append, and bury what cannot be.

`attempt` is one try. `handle` is the whole of it for somebody who waits; the worker's lanes (see `services.extraction.intake`)
do the same without keeping a thread while they wait.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import psycopg
import structlog

from events.chapters import Publication
from events.domain_events import Json
from events.errors import FabulaError, InvalidRecords, Unavailable
from events.ledger import Ledger, Outcome
from events.publications import SourceOffset
from events.sidecar import validate
from services.extraction import failpoints
from services.extraction.dead_letters import DeadLetters, describe
from services.extraction.extractors import Extractor, read
from services.extraction.leases import Leases, NoLeases
from services.extraction.metrics import APPENDED, DEAD, REPEATED, RETRIED, IntakeMetrics
from services.extraction.provenance import PROVENANCE
from services.extraction.retrying import EMBEDDED, RetryPolicy, is_outage

SIDECAR: Final = "sidecar"
"""What stands as the extractor of a chapter whose records were handed in."""
_logger = structlog.get_logger(__name__)
_WORTH_A_RECORD = 500
"""A chapter of so many words has something in it."""
_LONGEST_WAIT = 30 * 86_400.0


class DeadLettered(FabulaError):
    """The publication cannot be taken in. It is kept as a dead letter; the cause is its `__cause__`."""

    title = "The publication could not be taken in"
    slug = "dead-lettered"


class Handler:
    """Takes publications in, each exactly once, however often and in whatever order they come. Safe in several threads."""

    def __init__(
        self,
        ledger: Ledger,
        extractor: Extractor,
        *,
        leases: Leases | None = None,
        dead_letters: DeadLetters | None = None,
        metrics: IntakeMetrics | None = None,
        policy: RetryPolicy = EMBEDDED,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._ledger = ledger
        self._extractor = extractor
        self._leases = leases or NoLeases()
        self._metrics = metrics or IntakeMetrics()
        self._dead_letters = dead_letters or DeadLetters(ledger, metrics=self._metrics)
        self._policy = policy
        self._sleep = sleep
        self._draw = random.Random()

    def handle(self, publication: Publication, source: SourceOffset | None = None) -> Outcome:
        """Take the publication in, with a few attempts.

        Raises `DeadLettered` once it is buried, and `Unavailable` where a service did not answer: then it is still pending.
        """
        attempts = 0
        while True:
            attempts += 1
            try:
                return self.attempt(publication, source)
            except Exception as error:  # the supervision of one publication: whatever it is, it is kept and reported
                if self._policy.allows(error, attempts):
                    self.note_retry(publication, error, attempts)
                    self._sleep(self._policy.wait(attempts, self._draw))
                elif is_outage(error):
                    raise _as_unavailable(error) from error
                else:
                    self.bury(publication, error, attempts, source)
                    raise DeadLettered(f"Publication {publication.id} could not be taken in: {error}") from error

    def attempt(self, publication: Publication, source: SourceOffset | None = None) -> Outcome:
        """Take the publication in, or raise what prevents it. `source` is recorded in the transaction of the events."""
        with self._leases.hold(publication.story):
            if (settled := self._settled(publication, source)) is not None:
                self._metrics.publications.labels(REPEATED).inc()
                return settled
            try:
                return self._take(publication, source)
            except Exception as error:
                self._note_waiting(publication, error)
                raise

    def _take(self, publication: Publication, source: SourceOffset | None) -> Outcome:
        reread = publication.reextraction
        if reread is not None:
            return self._append(
                publication, publication.records, reread.extractor, source, provenance=reread.provenance
            )
        promotion = publication.promotion
        if promotion is not None:
            told = (f"It comes from the branch {promotion.branch} (publication {promotion.sequence}).",)
            return self._append(
                publication, publication.records, promotion.extractor or SIDECAR, source,
                warnings=told, provenance=promotion.provenance if promotion.extractor else None,
            )  # fmt: skip
        if publication.action != "publish" or publication.records is not None:
            return self._append(publication, publication.records, SIDECAR, source)
        text = self._ledger.text(publication.text_hash) if publication.text_hash else ""
        found, provenance = self._extract(publication, text)
        warnings = () if found else self._silence(text)
        return self._append(
            publication, found, self._extractor.name, source, text=text, warnings=warnings, provenance=provenance
        )

    def _note_waiting(self, publication: Publication, error: Exception) -> None:
        """Keep why it was not taken in, for whoever asks what waits; where the database is gone nobody can be told."""
        slug = error.slug if isinstance(error, FabulaError) else "unexpected"
        seconds = getattr(error, "retry_after", None)
        until = None if seconds is None else datetime.now(UTC) + timedelta(seconds=min(seconds, _LONGEST_WAIT))
        with suppress(psycopg.Error):
            self._ledger.wait(publication, describe(error), slug, until)

    def bury(
        self, publication: Publication, error: BaseException, attempts: int, source: SourceOffset | None = None
    ) -> None:
        """Keep a publication that cannot be taken in as a dead letter; its story goes on without it."""
        self._metrics.publications.labels(DEAD).inc()
        self._dead_letters.bury(publication, error, attempts, source)

    def note_retry(self, publication: Publication, error: BaseException, attempts: int) -> None:
        """Say that an attempt failed and another one follows."""
        self._metrics.publications.labels(RETRIED).inc()
        _logger.warning("attempt failed, will be repeated", **keys(publication), attempt=attempts, error=repr(error))

    def _settled(self, publication: Publication, source: SourceOffset | None) -> Outcome | None:
        """The outcome of a publication that needs nothing more: it is in, or somebody has to decide about it."""
        row = self._ledger.publication(publication.story, publication.sequence)
        if row is None or row.status == "accepted":
            return None
        if source is not None:
            self._ledger.record_offset(source)
        return Outcome(row.last_position or 0, True, row.rejected, row.warnings, 0)

    def _extract(self, publication: Publication, text: str) -> tuple[list[dict[str, Any]], dict[str, Json]]:
        """The records of the text, and by record id what read them."""
        if not text.strip():
            return [], {}
        _logger.debug("extracting", **keys(publication), extractor=self._extractor.name)
        failpoints.hit("extract", publication.story, publication.chapter)
        found = read(
            self._extractor,
            publication.story,
            text,
            chapter=publication.chapter,
            language=publication.language,
        )
        bare, provenance = unstamped(found, self._extractor.name)
        return usable(bare, publication), provenance

    def _append(
        self,
        publication: Publication,
        records: list[Any] | None,
        extractor: str,
        source: SourceOffset | None,
        *,
        text: str | None = None,
        warnings: tuple[str, ...] = (),
        provenance: Mapping[str, Json] | None = None,
    ) -> Outcome:
        failpoints.hit("before_append", publication.story, publication.chapter)
        outcome = self._ledger.append(
            publication, records, extractor, source, text=text, warnings=warnings, provenance=provenance
        )
        failpoints.hit("after_append", publication.story, publication.chapter)
        self._metrics.publications.labels(REPEATED if outcome.unchanged else APPENDED).inc()
        self._metrics.events.inc(outcome.appended_events)
        _logger.debug("taken in", **keys(publication), position=outcome.position, events=outcome.appended_events)
        return outcome

    def _silence(self, text: str) -> tuple[str, ...]:
        """What to say when an extractor finds nothing in a chapter that is long enough to say something."""
        words = len(text.split())
        if words < _WORTH_A_RECORD or self._extractor.name == "none":
            return ()
        return (f"The extractor found nothing in {words} words; hand in records, or publish with another extractor.",)


def unstamped(records: list[dict[str, Any]], extractor: str) -> tuple[list[dict[str, Any]], dict[str, Json]]:
    """The records as the vocabulary has them, and by record id what read each: the extractor, where it says no more."""
    bare = [{name: value for name, value in record.items() if name != PROVENANCE} for record in records]
    stamps = {str(record.get("id")): record.get(PROVENANCE) or {"extractor": extractor} for record in records}
    return bare, stamps


def usable(records: list[dict[str, Any]], publication: Publication) -> list[dict[str, Any]]:
    """What of an extractor's records the vocabulary allows; one bad record does not cost the chapter the others."""
    try:
        return validate(records, chapter=publication.chapter)
    except InvalidRecords as error:
        _logger.warning("the extractor broke the vocabulary", **keys(publication), error=str(error))
    return readable(records, publication.chapter)


def readable(records: list[dict[str, Any]], chapter: int) -> list[dict[str, Any]]:
    """Those of an extractor's records that the vocabulary allows."""
    return validate([record for record in records if _is_valid(record)], chapter=chapter)


def _is_valid(record: dict[str, Any]) -> bool:
    try:
        validate([record])
    except InvalidRecords:
        return False
    return True


def keys(publication: Publication) -> dict[str, Any]:
    """What every log line about a publication has."""
    return {
        "story": publication.story,
        "chapter": publication.chapter,
        "revision": publication.revision,
        "correlation": publication.id,
    }


def _as_unavailable(error: BaseException) -> Unavailable:
    return error if isinstance(error, Unavailable) else Unavailable(f"A service did not answer ({error}); try again.")
