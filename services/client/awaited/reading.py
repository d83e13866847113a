"""Reading, always as of a chapter, and as it was believed at a moment."""

from __future__ import annotations

from services.client.awaited.connection import Connection
from services.client.replies import (
    Audit,
    Checkpoint,
    Difference,
    Entity,
    History,
    Moment,
    State,
    Status,
    Stories,
    Suggestions,
    Threads,
    Timeline,
)


class Reading(Connection):
    """The operations that read story state. None changes anything."""

    async def stories(self) -> Stories:
        """The stories there are, with their chapters and where their log ends."""
        return await self._send(Stories, "GET", "/v1/stories")

    async def status(self, story: str) -> Status:
        """Which chapters are in, which wait and for what, which need somebody."""
        return await self._send(Status, "GET", "/v1/stories/{story}/status", {"story": story})

    async def state(
        self,
        story: str,
        *,
        at: Checkpoint = None,
        as_recorded: Moment = None,
        entity: str | None = None,
        key: str | None = None,
    ) -> State:
        """What holds after a chapter has been read: each key with its value, since when, and the evidence."""
        return await self._send(
            State,
            "GET",
            "/v1/stories/{story}/state",
            {"story": story},
            query={"at": at, "as_recorded": as_recorded, "entity": entity, "key": key},
        )

    async def history(self, story: str, key: str, *, at: Checkpoint = None, as_recorded: Moment = None) -> History:
        """The values of one key over the chapters, current belief first, superseded beliefs after it."""
        return await self._send(
            History,
            "GET",
            "/v1/stories/{story}/history",
            {"story": story},
            query={"key": key, "at": at, "as_recorded": as_recorded},
        )

    async def entity(self, story: str, name: str, *, at: Checkpoint = None, as_recorded: Moment = None) -> Entity:
        """One entity after a chapter: aliases, type, profile, state, relationships, appearances, open threads."""
        return await self._send(
            Entity,
            "GET",
            "/v1/stories/{story}/entities/{name}",
            {"story": story, "name": name},
            query={"at": at, "as_recorded": as_recorded},
        )

    async def threads(
        self, story: str, *, at: Checkpoint = None, status: str | None = None, as_recorded: Moment = None
    ) -> Threads:
        """Promises, mysteries, goals and threats: what is open and what was paid off."""
        return await self._send(
            Threads,
            "GET",
            "/v1/stories/{story}/threads",
            {"story": story},
            query={"at": at, "status": status, "as_recorded": as_recorded},
        )

    async def timeline(
        self, story: str, *, order: str | None = None, at: Checkpoint = None, as_recorded: Moment = None
    ) -> Timeline:
        """Who is present in which chapter and who is only spoken of, in the order of the telling or (`story`) of the events."""
        return await self._send(
            Timeline,
            "GET",
            "/v1/stories/{story}/timeline",
            {"story": story},
            query={"order": order, "at": at, "as_recorded": as_recorded},
        )

    async def diff(self, story: str, start: Checkpoint, end: Checkpoint, *, as_recorded: Moment = None) -> Difference:
        """What changed in the story from one chapter or checkpoint to another."""
        return await self._send(
            Difference,
            "GET",
            "/v1/stories/{story}/diff",
            {"story": story},
            query={"from": start, "to": end, "as_recorded": as_recorded},
        )

    async def diff_beliefs(self, story: str, before: int, after: int) -> Difference:
        """What changed in our belief about the whole story from one position of the log to another."""
        return await self._send(
            Difference,
            "GET",
            "/v1/stories/{story}/diff",
            {"story": story},
            query={"between": (before, after)},
        )

    async def audit(
        self, story: str, *, chapter: int | None = None, record: str | None = None, at: Checkpoint = None
    ) -> Audit:
        """The events of the log, in order, with their reasons and causes."""
        return await self._send(
            Audit,
            "GET",
            "/v1/stories/{story}/audit",
            {"story": story},
            query={"chapter": chapter, "record": record, "at": at},
        )

    async def suggestions(self, story: str, *, at: Checkpoint = None, as_recorded: Moment = None) -> Suggestions:
        """Who may be the same person, with reasons, for an editor to decide."""
        return await self._send(
            Suggestions,
            "GET",
            "/v1/stories/{story}/suggestions",
            {"story": story},
            query={"at": at, "as_recorded": as_recorded},
        )
