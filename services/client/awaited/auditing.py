"""Audit views as of a chapter: who knows what, what is promised, how people and scenes go on, the story so far."""

from __future__ import annotations

from services.client.awaited.connection import Connection
from services.client.replies import Checkpoint, Document, Moment, Promises


class Auditing(Connection):
    """The operations that show how a story hangs together. None changes anything."""

    async def knowledge(
        self,
        story: str,
        *,
        fact: str | None = None,
        who: str | None = None,
        irony: bool | None = None,
        at: Checkpoint = None,
        as_recorded: Moment = None,
    ) -> Document:
        """Who knows what, since when and how; the reader is one of them.

        With `irony` only what the reader knows and a character does not.
        """
        return await self._send(
            Document,
            "GET",
            "/v1/stories/{story}/knowledge",
            {"story": story},
            query={"fact": fact, "who": who, "irony": irony, "at": at, "as_recorded": as_recorded},
        )

    async def promises(
        self, story: str, *, overdue: bool | None = None, at: Checkpoint = None, as_recorded: Moment = None
    ) -> Promises:
        """What is open: its age in chapters, when it is due, how far it has come."""
        return await self._send(
            Promises,
            "GET",
            "/v1/stories/{story}/promises",
            {"story": story},
            query={"overdue": overdue, "at": at, "as_recorded": as_recorded},
        )

    async def recap(
        self,
        story: str,
        *,
        length: int | None = None,
        audience: str | None = None,
        since: int | None = None,
        at: Checkpoint = None,
        as_recorded: Moment = None,
    ) -> Document:
        """The story so far, within `length` characters; every sentence with the records and spans it comes from."""
        query = {"length": length, "for": audience, "since": since, "at": at, "as_recorded": as_recorded}
        return await self._send(Document, "GET", "/v1/stories/{story}/recap", {"story": story}, query=query)

    async def trajectory(
        self, story: str, character: str, *, at: Checkpoint = None, as_recorded: Moment = None
    ) -> Document:
        """What changes about a character, in the order of the telling and in the order of the events."""
        return await self._send(
            Document,
            "GET",
            "/v1/stories/{story}/trajectories/{character}",
            {"story": story, "character": character},
            query={"at": at, "as_recorded": as_recorded},
        )

    async def interactions(self, story: str, *, at: Checkpoint = None, as_recorded: Moment = None) -> Document:
        """Who acts upon whom, how often and how."""
        return await self._send(
            Document,
            "GET",
            "/v1/stories/{story}/interactions",
            {"story": story},
            query={"at": at, "as_recorded": as_recorded},
        )

    async def chains(self, story: str, *, at: Checkpoint = None, as_recorded: Moment = None) -> Document:
        """Continuity chains: scenes that go on in one setting, each with its audit."""
        return await self._send(
            Document,
            "GET",
            "/v1/stories/{story}/chains",
            {"story": story},
            query={"at": at, "as_recorded": as_recorded},
        )
