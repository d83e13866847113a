"""Dead letters: what could not be taken in is kept with its payload, its error and its attempts, until somebody decides.

A publication that failed is marked in the ledger; a message that nobody can read is kept with its raw bytes. Both also go
onto the dead-letter topic, for whoever watches the broker; the database is the authority.
"""

from __future__ import annotations

import base64
from datetime import UTC, datetime
from importlib.resources import files
from typing import Any, Final, Protocol

import orjson
import psycopg
import structlog

from events.chapters import Publication
from events.errors import FabulaError, Unavailable, Unknown
from events.ledger import Ledger
from events.publications import PublicationRow, SourceOffset, record_offset
from services.extraction.metrics import IntakeMetrics
from services.publishing.messages import DEAD_LETTER_SCHEMA, Headers, decode
from services.publishing.topics import Broker
from services.publishing.transport import Transport

MAX_ERROR: Final = 4_000
_MIGRATION_LOCK: Final = 0x6661_646C
_SHOWN: Final = 'topic, partition, "offset", error, attempts, failed_at, octet_length(payload) AS bytes'
_logger = structlog.get_logger(__name__)
Letter = dict[str, Any]


class UnknownDeadLetter(Unknown):
    """There is no dead letter of that id."""

    title = "There is no such dead letter"
    slug = "unknown-dead-letter"


class Sends(Protocol):
    """See `services.publishing.kafka.KafkaTransport`."""

    def send(self, topic: str, key: str, value: bytes, sent_headers: Headers) -> None: ...


def migrate(dsn: str) -> None:
    """Make the table of unreadable messages. Safe to call from several processes at once."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SELECT pg_advisory_lock(%s)", (_MIGRATION_LOCK,))
        connection.execute((files("services.extraction") / "dead_letters.sql").read_text())


class DeadLetters:
    """Keeps what could not be taken in. Without a broker nothing is sent to a topic."""

    def __init__(
        self,
        ledger: Ledger,
        *,
        metrics: IntakeMetrics | None = None,
        broker: Broker | None = None,
        sender: Sends | None = None,
    ) -> None:
        self._ledger = ledger
        self._metrics = metrics or IntakeMetrics()
        self._broker = broker
        self._sender = sender

    def bury(
        self, publication: Publication, error: BaseException, attempts: int, source: SourceOffset | None = None
    ) -> None:
        """Mark a publication dead and record its offset, in one transaction; nothing where it was appended after all."""
        said = describe(error)
        self._send(publication.story, source, said, attempts, {"publication": publication.without_records().to_json()})
        if self._ledger.fail(publication, said, attempts, source):
            self._metrics.dead_letters.inc()
            _logger.error(
                "dead letter",
                story=publication.story,
                chapter=publication.chapter,
                revision=publication.revision,
                correlation=publication.id,
                attempts=attempts,
                error=said,
            )

    def bury_message(self, raw: bytes | None, error: BaseException, source: SourceOffset, attempts: int = 1) -> None:
        """Keep a message that nobody can read and record its offset, in one transaction. Harmless when repeated."""
        said = describe(error)
        payload = None if raw is None else base64.b64encode(raw[:600_000]).decode()
        self._send("", source, said, attempts, {"raw": payload, "bytes": None if raw is None else len(raw)})
        with self._ledger.pool.connection() as connection, connection.transaction(), connection.cursor() as cursor:
            cursor.execute(
                'INSERT INTO intake.unreadable_messages (topic, partition, "offset", payload, error, attempts) '
                "VALUES (%s, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING",
                (source.topic, source.partition, source.offset, raw, said, attempts),
            )
            fresh = cursor.rowcount == 1
            record_offset(cursor, source)
        if fresh:
            self._metrics.dead_letters.inc()
            _logger.error("dead letter", partition=source.partition, offset=source.offset, error=said)

    def _send(self, key: str, source: SourceOffset | None, error: str, attempts: int, what: dict[str, Any]) -> None:
        if self._broker is None or self._sender is None:
            return
        letter = {
            "schema": DEAD_LETTER_SCHEMA,
            **what,
            "source": None if source is None else [source.topic, source.partition, source.offset],
            "error": error,
            "attempts": attempts,
            "failed_at": datetime.now(UTC).isoformat(),
        }
        try:
            headers = [("schema", DEAD_LETTER_SCHEMA.encode())]
            self._sender.send(self._broker.dead_letters, key, orjson.dumps(letter), headers)
        except Unavailable as unavailable:
            _logger.warning("not on the dead-letter topic, but kept", error=str(unavailable))


def describe(error: BaseException) -> str:
    """An error in a few words, fit for a database."""
    said = str(error) if isinstance(error, FabulaError) else f"{type(error).__name__}: {error}"
    return said.replace("\0", "").encode("utf-8", "replace").decode()[:MAX_ERROR]


def dead_letters(ledger: Ledger, story: str | None = None) -> list[Letter]:
    """Every dead letter: failed publications first, in story order, then messages that could not be read.

    Each is {"id", "kind": "publication"|"message", "error", "attempts", …}; with `story` only that story's publications.
    """
    letters = [_publication_letter(row) for row in ledger.dead(story)]
    if story is None:
        letters += _message_letters(ledger)
    return letters


def retry(ledger: Ledger, transport: Transport, letter: str) -> Letter:
    """Take a dead letter up again: it waits for its turn as if it had just been published. Returns what it was.

    Raises `UnknownDeadLetter`; `Poison` for a message that still cannot be read; `Unavailable` where the transport does
    not take it now (it is taken up all the same, and will be sent).
    """
    row = _dead(ledger, letter)
    if row is not None:
        ledger.revive(row.publication)
        transport.deliver(row.publication)
        return _publication_letter(row)
    found = _message(ledger, letter)
    delivered = decode(found.pop("payload"))
    registered = ledger.publication(delivered.story, delivered.sequence)
    if registered is None:
        raise UnknownDeadLetter(
            f"The message {letter} names publication {delivered.story}/{delivered.sequence}, which nobody registered; "
            "publish the chapter again, and discard the message."
        )
    transport.deliver(registered.publication)
    _forget(ledger, letter)
    return found


def discard(ledger: Ledger, letter: str) -> Letter:
    """Give a dead letter up for good; returns what it was. Raises `UnknownDeadLetter`."""
    row = _dead(ledger, letter)
    if row is not None:
        ledger.discard(row.publication)
        return _publication_letter(row)
    found = _message(ledger, letter)
    found.pop("payload")
    _forget(ledger, letter)
    return found


def _publication_letter(row: PublicationRow) -> Letter:
    p = row.publication
    return {
        "id": str(p.id),
        "kind": "publication",
        "story": p.story,
        "chapter": p.chapter,
        "revision": p.revision,
        "action": p.action,
        "published_at": p.published_at.isoformat(),
        "error": row.error,
        "attempts": row.attempts,
    }


def _dead(ledger: Ledger, letter: str) -> PublicationRow | None:
    story, _, sequence = letter.rpartition("/")
    if not (sequence.isascii() and sequence.isdigit() and len(sequence) < 19):
        return None
    row = ledger.publication(story, int(sequence))
    return row if row is not None and row.status == "dead" else None


def _message_letters(ledger: Ledger) -> list[Letter]:
    with ledger.pool.connection() as connection:
        if connection.execute("SELECT to_regclass('intake.unreadable_messages')").fetchone() == (None,):
            return []
        rows = connection.execute(
            f'SELECT {_SHOWN}, NULL FROM intake.unreadable_messages ORDER BY topic, partition, "offset"'
        ).fetchall()
    return [{k: v for k, v in _message_letter(row).items() if k != "payload"} for row in rows]


def _message(ledger: Ledger, letter: str) -> Letter:
    with ledger.pool.connection() as connection:
        known = connection.execute("SELECT to_regclass('intake.unreadable_messages')").fetchone() != (None,)
        row = (
            connection.execute(
                f"SELECT {_SHOWN}, payload FROM intake.unreadable_messages "
                "WHERE topic || '/' || partition || '/' || \"offset\" = %s",
                (letter,),
            ).fetchone()
            if known
            else None
        )
    if row is None:
        raise UnknownDeadLetter(f"There is no dead letter {letter!r}; list them to see their ids.")
    return _message_letter(row)


def _message_letter(row: tuple[Any, ...]) -> Letter:
    topic, partition, offset, error, attempts, failed_at, length, payload = row
    return {
        "id": f"{topic}/{partition}/{offset}",
        "kind": "message",
        "error": error,
        "attempts": attempts,
        "failed_at": failed_at.isoformat(),
        "bytes": length,
        "payload": payload,
    }


def _forget(ledger: Ledger, letter: str) -> None:
    with ledger.pool.connection() as connection:
        connection.execute(
            "DELETE FROM intake.unreadable_messages WHERE topic || '/' || partition || '/' || \"offset\" = %s",
            (letter,),
        )
