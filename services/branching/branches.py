"""Which branches there are: the table that keeps them, and how they are called.

The branch NAME of STORY is the story `STORY.NAME`, which everything that takes a story takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from psycopg import Connection, Cursor
from psycopg.rows import class_row

from events.errors import InvalidName
from services.branching.errors import UnknownBranch
from services.publishing import validation

SEPARATOR: Final = "."
_SHOWN: Final = 80
_COLUMNS: Final = "branch, parent, name, forked_at, sequence, position, created_at, dropped_at"


@dataclass(frozen=True, slots=True)
class Branch:
    """A branch, forked after chapter `forked_at`; `sequence` and `position` say where its parent stood then."""

    branch: str
    parent: str
    name: str
    forked_at: int
    sequence: int
    position: int
    created_at: datetime
    dropped_at: datetime | None


def branch_id(story: str, name: str) -> str:
    """The story that the branch is. Raises InvalidName."""
    whole = f"{validation.story_id(story)}{SEPARATOR}{name}"
    try:
        if SEPARATOR not in name:
            validation.story_id(name)
            return validation.story_id(whole)
    except InvalidName:
        pass
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    raise InvalidName(
        f"{shown!r} cannot name a branch of {story}; use letters, digits, underscores or hyphens, "
        f"{validation.MAX_STORY - len(story) - len(SEPARATOR)} at most."
    )


def of_story(conn: Connection[Any], story: str) -> list[Branch]:
    """The branches of a story in the order of their making, also those that were dropped."""
    with conn.cursor(row_factory=class_row(Branch)) as cursor:
        query = f"SELECT {_COLUMNS} FROM ledger.branches WHERE parent = %s ORDER BY created_at, branch"
        return cursor.execute(query.encode(), (story,)).fetchall()


def called(conn: Connection[Any], story: str, branch: str) -> Branch | None:
    """The branch of a story by the story that it is itself, dropped or not."""
    return next((each for each in of_story(conn, story) if each.branch == branch), None)


def find(conn: Connection[Any], story: str, name: str, *, dropped: bool = False) -> Branch:
    """A branch that was not dropped (with `dropped`: or was). Raises UnknownBranch, InvalidName."""
    # commands say STORY.NAME of a branch, and so may who names it
    wanted = branch_id(story, name.removeprefix(f"{story}{SEPARATOR}"))
    found = called(conn, story, wanted)
    if found is None:
        raise UnknownBranch(f"{story} has no branch {name!r}; `fabula branches {story}` lists what there is.")
    if found.dropped_at is not None and not dropped:
        raise UnknownBranch(f"The branch {name!r} of {story} was dropped; fork the story again under another name.")
    return found


def note(cursor: Cursor[Any], branch: str, parent: str, name: str, at: int, sequence: int, position: int) -> None:
    """Writes a new branch down; what is published into it gets higher numbers than the parent had."""
    cursor.execute(
        "INSERT INTO ledger.branches (branch, parent, name, forked_at, sequence, position) "
        "VALUES (%s, %s, %s, %s, %s, %s)",
        (branch, parent, name, at, sequence, position),
    )
    cursor.execute("UPDATE ledger.stories SET last_sequence = %s WHERE story = %s", (sequence, branch))


def note_dropped(conn: Connection[Any], branch: str) -> None:
    """From here on nothing is published into the branch: whoever is registering just now is waited for."""
    with conn.transaction():
        conn.execute("SELECT FROM ledger.stories WHERE story = %s FOR UPDATE", (branch,))
        conn.execute(
            "UPDATE ledger.branches SET dropped_at = now() WHERE branch = %s AND dropped_at IS NULL", (branch,)
        )
