"""Writing: chapters and their edits, and an editor's decisions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from services.client.awaited.connection import Connection
from services.client.calls import NULL
from services.client.replies import Document, Published, TakenDown


class Writing(Connection):
    """The operations that change a story."""

    async def publish(
        self,
        story: str,
        chapter: int,
        text: str,
        *,
        title: str | None = None,
        records: Sequence[Mapping[str, Any]] | Mapping[str, Any] | None = None,
        language: str | None = None,
        wait: bool | None = None,
    ) -> Published:
        """Publish a chapter, or an edit of it. Identical content changes nothing, and the reply says so.

        With `records` the chapter has exactly those; without, the configured extractor reads it.
        """
        body = {"text": text, "title": title, "records": records, "language": language, "wait": wait}
        return await self._send(
            Published,
            "PUT",
            "/v1/stories/{story}/chapters/{n}",
            {"story": story, "n": chapter},
            body=body,
        )

    async def retract(self, story: str, chapter: int, *, wait: bool | None = None) -> Published:
        """Withdraw a chapter; publishing it again brings it back."""
        return await self._send(
            Published,
            "DELETE",
            "/v1/stories/{story}/chapters/{n}",
            {"story": story, "n": chapter},
            query={"wait": wait},
        )

    async def merge(self, story: str, a: str, b: str, *, since: int | None = None) -> Published:
        """Decide that `b` is `a`, from chapter `since` on (without it: from the beginning); `a`'s name stays."""
        return await self._send(
            Published, "POST", "/v1/stories/{story}/merge", {"story": story}, body={"a": a, "b": b, "since": since}
        )

    async def split(self, story: str, alias: str, entity: str) -> Published:
        """Decide that the name `alias` does not belong to `entity`."""
        return await self._send(
            Published, "POST", "/v1/stories/{story}/split", {"story": story}, body={"alias": alias, "from": entity}
        )

    async def checkpoint(self, story: str, name: str, *, at: int | None = None) -> Document:
        """Name a checkpoint: the place after chapter `at`, without it after the last."""
        return await self._send(
            Document,
            "PUT",
            "/v1/stories/{story}/checkpoints/{name}",
            {"story": story, "name": name},
            body={"at": at},
        )

    async def due(self, story: str, thread: str, chapter: int | None) -> Published:
        """Plan by which chapter a thread is paid off; None: nothing is planned any more."""
        return await self._send(
            Published,
            "PUT",
            "/v1/stories/{story}/threads/{thread}/due",
            {"story": story, "thread": thread},
            body={"chapter": NULL if chapter is None else chapter},
        )

    async def take_down(
        self, story: str, *, chapter: int | None = None, everything: bool = False, by: str = "", reason: str = ""
    ) -> TakenDown:
        """Erase texts for good: those that were replaced, or (`everything`) all of one chapter's."""
        return await self._send(
            TakenDown,
            "DELETE",
            "/v1/stories/{story}/texts",
            {"story": story},
            query={"chapter": chapter, "all": everything or None, "by": by or None, "reason": reason or None},
        )
