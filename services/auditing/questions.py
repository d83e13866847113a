"""The questions that are kept for a story, by number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from typing import Any, Final

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from events.errors import InvalidInput, Unknown
from services.publishing import validation
from services.retrieval.questions import question as checked

_MIGRATION_LOCK: Final = 0x6661_7175
_MOST: Final = 1_000


class UnknownQuestion(Unknown):
    title = "There is no such question"
    slug = "unknown-question"


@dataclass(frozen=True, slots=True)
class Saved:
    """A question, and the chapter after which it is asked (None: the last one). `number` 0: it is not kept."""

    number: int
    question: str
    at: int | None = None


class SavedQuestions:
    """Keeps them in the schema `auditing` of the product's database. Safe in several processes."""

    def __init__(self, pool: ConnectionPool[Any]) -> None:
        self._pool = pool

    def migrate(self) -> None:
        """Make the table. Safe to call from several processes at once."""
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MIGRATION_LOCK,))
            connection.execute((files("services.auditing") / "questions.sql").read_text())

    def add(self, story: str, question: str, at: int | None = None) -> Saved:
        """Keep a question; the same one again is kept once. Raises `InvalidInput`."""
        story, text = validation.story_id(story), given(question, at).question
        with self._pool.connection() as connection, connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, %s))", (story, _MIGRATION_LOCK))
            kept = self._all(connection, story)
            if same := [each for each in kept if (each.question, each.at) == (text, at)]:
                return same[0]
            if len(kept) >= _MOST:
                raise InvalidInput(f"{story} has {_MOST} questions already; remove some first.")
            number = max((each.number for each in kept), default=0) + 1
            connection.execute(
                "INSERT INTO auditing.questions (story, number, question, at) VALUES (%s, %s, %s, %s)",
                (story, number, text, at),
            )
            return Saved(number, text, at)

    def remove(self, story: str, number: int) -> None:
        """Raises `UnknownQuestion`."""
        with self._pool.connection() as connection:
            done = connection.execute(
                "DELETE FROM auditing.questions WHERE story = %s AND number = %s", (story, number)
            )
            if done.rowcount == 0:
                raise UnknownQuestion(f"{story} keeps no question {number}; see `fabula questions list {story}`.")

    def of(self, story: str) -> list[Saved]:
        with self._pool.connection() as connection:
            return self._all(connection, story)

    def _all(self, connection: Any, story: str) -> list[Saved]:
        rows = connection.execute(
            "SELECT number, question, at FROM auditing.questions WHERE story = %s ORDER BY number", (story,)
        ).fetchall()
        return [Saved(*row) for row in rows]


def given(question: str, at: int | None = None) -> Saved:
    """A question that is asked once. Raises `InvalidInput` for one without words, or too long."""
    if at is not None:
        validation.whole_number(at, "chapter", 1)
    return Saved(0, checked(question, "state", 1_000).text, at)


def read(document: Json) -> list[Saved]:
    """Questions from JSON: a list of texts, or of objects with `question` and, if need be, `at`. Raises `InvalidInput`."""
    listed = document.get("questions") if isinstance(document, dict) else document
    if not isinstance(listed, list) or len(listed) > _MOST:
        raise InvalidInput(
            f"The questions are a list of at most {_MOST}, each a text or an object with `question` and `at`."
        )
    return [_one(each) for each in listed]


def _one(each: Json) -> Saved:
    if isinstance(each, str):
        return given(each)
    if isinstance(each, dict) and isinstance(each.get("question"), str) and not set(each) - {"question", "at"}:
        return given(each["question"], each.get("at"))
    raise InvalidInput(f"{str(each)[:80]!r} is no question; write a text, or an object with `question` and `at`.")


def shown(saved: Sequence[Saved]) -> list[Json]:
    return [{"number": each.number or None, "question": each.question, "at": each.at} for each in saved]
