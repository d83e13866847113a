"""Looking ahead: what contradicts the state in a draft, what the next chapter must respect, what an edit would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.client.awaited.connection import Connection
from services.client.replies import Checked, Checkpoint, Document


class Foreseeing(Connection):
    """The operations that try a text out. None changes anything."""

    async def check(
        self,
        story: str,
        text: str,
        *,
        after: Checkpoint = None,
        records: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None,
        scaffold: str | None = None,
        language: str | None = None,
    ) -> Checked:
        """What in the draft of a chapter contradicts the state after a chapter, with both quotations."""
        body = {"text": text, "after": after, "records": records, "scaffold": scaffold, "language": language}
        return await self._send(
            Checked, "POST", "/v1/stories/{story}/check", {"story": story}, body=body, repeatable=True
        )

    async def constraints(self, story: str, *, at: Checkpoint = None, scaffold: str | None = None) -> Document:
        """What the next chapter must respect, ranked for the plan (`scaffold`) a writer has."""
        return await self._send(
            Document,
            "POST",
            "/v1/stories/{story}/constraints",
            {"story": story},
            body={"at": at, "scaffold": scaffold},
            repeatable=True,
        )

    async def impact(
        self,
        story: str,
        chapter: int,
        text: str | None = None,
        *,
        retract: bool | None = None,
        records: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None,
        title: str | None = None,
        language: str | None = None,
        questions: Sequence[Any] | None = None,
    ) -> Document:
        """What publishing an edit of a chapter (or with `retract`: withdrawing it) would invalidate and change."""
        body = {
            "text": text,
            "retract": retract,
            "records": records,
            "title": title,
            "language": language,
            "questions": questions,
        }
        return await self._send(
            Document,
            "POST",
            "/v1/stories/{story}/chapters/{n}/impact",
            {"story": story, "n": chapter},
            body=body,
            repeatable=True,
        )

    async def exemptions(self, story: str) -> Document:
        """The findings of checks that an editor lets stand, with the reasons."""
        return await self._send(Document, "GET", "/v1/stories/{story}/exemptions", {"story": story})

    async def questions(self, story: str) -> Document:
        """The questions that are kept for a story, to be asked again when an edit is tried out."""
        return await self._send(Document, "GET", "/v1/stories/{story}/questions", {"story": story})


class Keeping(Connection):
    """The operations that keep what looking ahead needs."""

    async def exempt(self, story: str, finding: str, reason: str) -> Document:
        """Let a finding of a check stand, as long as the records that decide it are the same."""
        return await self._send(
            Document,
            "POST",
            "/v1/stories/{story}/exemptions",
            {"story": story},
            body={"finding": finding, "reason": reason},
        )

    async def keep_question(self, story: str, question: str, *, at: int | None = None) -> Document:
        """Keep a question, to be asked again when an edit is tried out."""
        return await self._send(
            Document, "POST", "/v1/stories/{story}/questions", {"story": story}, body={"question": question, "at": at}
        )

    async def forget_question(self, story: str, number: int) -> Document:
        """Keep a question no more."""
        return await self._send(
            Document,
            "DELETE",
            "/v1/stories/{story}/questions/{number}",
            {"story": story, "number": number},
            repeatable=False,
        )
