"""Giving publications their numbers, in the order in which they are asked for; what says nothing new gets none."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from events.chapters import Publication, PublicationRequest, Reextraction, text_hash
from events.errors import Conflict, Overtaken
from events.publications import COLUMNS, Connection, Cursor, PublicationRow, insert, read, row_of, store_text
from events.repeating import standing, subject


@dataclass(frozen=True, slots=True)
class Registration:
    """The number a request got. `unchanged`: what stands says the same (the chapter's latest publication, or a decision that was
    made before), and is given instead."""

    publication: Publication
    unchanged: bool
    status: str = "accepted"


def register(conn: Connection, request: PublicationRequest, published_at: datetime) -> Registration:
    """Gives the request its number, in one transaction with its text; see `Registration`."""
    with conn.transaction(), conn.cursor(row_factory=dict_row) as cursor:
        cursor.execute("INSERT INTO ledger.stories (story) VALUES (%s) ON CONFLICT DO NOTHING", (request.story,))
        cursor.execute("SELECT last_sequence FROM ledger.stories WHERE story = %s FOR UPDATE", (request.story,))
        counter = cursor.fetchone()
        assert counter is not None
        _require_standing(cursor, request)
        latest = _latest(cursor, request)
        reread = Reextraction.from_decision(request.decision)
        if reread is not None:
            _require_latest(latest, reread.of)
        elif latest and _says_the_same(cursor, latest.publication, request):
            return Registration(latest.publication, True, latest.status)
        elif repeated := _repeated(cursor, request):
            return Registration(repeated.publication, True, repeated.status)
        if request.seen is not None and request.seen != (latest.publication.sequence if latest else 0):
            raise Overtaken(
                f"Chapter {request.chapter} of {request.story} was published meanwhile; look at the difference, then decide anew."
            )
        if request.text is not None:
            store_text(cursor, request.text)
        publication = _numbered(request, counter["last_sequence"], latest, published_at)
        insert(cursor, publication)
        return Registration(publication, False)


def foresee(conn: Connection, request: PublicationRequest, published_at: datetime) -> Registration:
    """The next publication as the request would make it, and whether it says what is there already. Nothing is written."""
    with conn.transaction(), conn.cursor(row_factory=dict_row) as cursor:
        cursor.execute("SELECT last_sequence FROM ledger.stories WHERE story = %s", (request.story,))
        counter = cursor.fetchone()
        latest = _latest(cursor, request)
        unchanged = latest is not None and _says_the_same(cursor, latest.publication, request)
        last = counter["last_sequence"] if counter else 0
        return Registration(_numbered(request, last, latest, published_at), unchanged)


def _numbered(
    request: PublicationRequest, last_sequence: int, latest: PublicationRow | None, published_at: datetime
) -> Publication:
    return Publication(
        story=request.story,
        sequence=last_sequence + 1,
        chapter=request.chapter,
        revision=(latest.publication.revision if latest else 0) + 1,
        action=request.action,
        content_hash=request.content_hash,
        text_hash=None if request.text is None else text_hash(request.text),
        title=request.title,
        language=request.language,
        records=request.records,
        decision=request.decision,
        published_at=published_at,
    )


def _says_the_same(cursor: Cursor, latest: Publication, request: PublicationRequest) -> bool:
    """Whether the request is what the chapter says already. One whose text was erased does not say it any more."""
    if latest.content_hash != request.content_hash or request.action not in ("publish", "retract"):
        return False
    if latest.text_hash is None:
        return True
    cursor.execute("SELECT body IS NOT NULL AS kept FROM ledger.texts WHERE hash = %s", (latest.text_hash,))
    row = cursor.fetchone()
    return row is not None and row["kept"]


def _require_standing(cursor: Cursor, request: PublicationRequest) -> None:
    """Into a branch that was dropped nothing is published any more; dropping it withdraws its chapters. Raises `Conflict`."""
    if request.action == "retract":
        return
    cursor.execute("SELECT FROM ledger.branches WHERE branch = %s AND dropped_at IS NOT NULL", (request.story,))
    if cursor.fetchone() is not None:
        raise Conflict(f"The branch {request.story} was dropped; fork the story again under another name.")


def _require_latest(latest: PublicationRow | None, sequence: int) -> None:
    """Reading a chapter anew must not bring an older text back. Raises `Conflict`."""
    if latest is None or latest.publication.sequence != sequence or latest.status != "appended":
        raise Overtaken("The chapter was published meanwhile; look at the difference again, then read it anew.")


def _latest(cursor: Cursor, request: PublicationRequest) -> PublicationRow | None:
    """The chapter's latest publication, those that were discarded or failed left out of account."""
    cursor.execute(
        f"SELECT {COLUMNS} FROM ledger.publications WHERE story = %s AND chapter = %s "
        "AND (action IN ('publish', 'retract')) = %s ORDER BY sequence DESC LIMIT 1",
        (request.story, request.chapter, request.action in ("publish", "retract")),
    )
    row = cursor.fetchone()
    if row and row["status"] in ("dead", "discarded"):
        row["content_hash"] = ""
    return row_of(row) if row else None


def _repeated(cursor: Cursor, request: PublicationRequest) -> PublicationRow | None:
    """The decision that says the same as the request and still stands."""
    about = subject(request.action, request.decision)
    if about is None:
        return None
    query = (
        "SELECT sequence, action, body -> 'decision' AS decision FROM ledger.publications WHERE story = %s AND chapter = 0"
        " AND action = ANY(%s) AND status NOT IN ('dead', 'discarded') AND body -> 'decision' @> %s ORDER BY sequence"
    )
    cursor.execute(query, (request.story, list(about.actions), Jsonb(about.named)))
    earlier = {row["sequence"]: row["decision"] for row in cursor.fetchall()}
    number = standing(request.decision, earlier)
    return None if number is None else read(cursor.connection, request.story, number)
