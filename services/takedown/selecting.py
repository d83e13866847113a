"""Which texts a takedown erases: revisions that are not current any more, or every revision of a chapter."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection
from psycopg.rows import class_row

from events.errors import Conflict

# the text in the order in which a publication came counts: a late one that is older than the current is not current
_PUBLISHED: Final = """
SELECT p.chapter, p.revision, p.sequence, p.text_hash, p.status, coalesce(p.last_position, 0) AS position,
       p.sequence = (SELECT max(q.sequence) FROM ledger.publications AS q
                     WHERE q.story = p.story AND q.chapter = p.chapter AND q.status = 'appended'
                       AND q.action IN ('publish', 'retract')) AS current
FROM ledger.publications AS p
WHERE p.story = %(story)s AND p.action = 'publish' AND p.text_hash IS NOT NULL
  AND (%(chapter)s::integer IS NULL OR p.chapter = %(chapter)s)
ORDER BY p.chapter, p.sequence
"""
_USES: Final = """
SELECT text_hash AS hash, story, chapter, revision, sequence FROM ledger.publications
WHERE text_hash = ANY(%s) AND status <> 'discarded' ORDER BY story COLLATE "C", chapter, sequence
"""


@dataclass(frozen=True, slots=True)
class Published:
    """A revision with a text. `current`: it is what the chapter says now."""

    chapter: int
    revision: int
    sequence: int
    text_hash: str
    status: str
    position: int
    current: bool


@dataclass(frozen=True, slots=True)
class Use:
    """A publication that has a text of this hash."""

    hash: str
    story: str
    chapter: int
    revision: int
    sequence: int


@dataclass(frozen=True, slots=True)
class Selection:
    """`erased` lose their texts; those in `kept` are asked for too, but the same text stands elsewhere and stays."""

    erased: tuple[Published, ...]
    kept: tuple[tuple[Published, Use], ...]

    @property
    def hashes(self) -> list[str]:
        return sorted({each.text_hash for each in self.erased})

    @property
    def revisions(self) -> list[tuple[int, int]]:
        return sorted({(each.chapter, each.revision) for each in self.erased})

    @property
    def chapters(self) -> list[int]:
        return sorted({each.chapter for each in self.erased})


def select(conn: Connection[Any], story: str, chapter: int | None, *, everything: bool) -> Selection:
    """What a takedown of a story, or of one of its chapters, concerns. Raises `Conflict` while a text is on its way."""
    with conn.cursor(row_factory=class_row(Published)) as cursor:
        published = cursor.execute(_PUBLISHED, {"story": story, "chapter": chapter}).fetchall()
    wanted = [each for each in published if everything or _superseded(each)]
    for each in wanted:
        if each.status == "accepted":
            raise Conflict(
                f"Revision {each.revision} of chapter {each.chapter} is on its way and not taken in yet; "
                "wait until it is, then ask for the takedown again."
            )
    with conn.cursor(row_factory=class_row(Use)) as cursor:
        uses = cursor.execute(_USES, ([each.text_hash for each in wanted],)).fetchall()
    elsewhere = _elsewhere(uses, {(story, each.sequence) for each in wanted})
    return Selection(
        tuple(each for each in wanted if each.text_hash not in elsewhere),
        tuple((each, elsewhere[each.text_hash]) for each in wanted if each.text_hash in elsewhere),
    )


def _superseded(each: Published) -> bool:
    """Neither current, nor on its way, nor waiting for a decision."""
    return not each.current and each.status in ("appended", "discarded")


def _elsewhere(uses: Iterable[Use], wanted: set[tuple[str, int]]) -> dict[str, Use]:
    """By hash, a use of the text that is not to be erased."""
    return {use.hash: use for use in uses if (use.story, use.sequence) not in wanted}
