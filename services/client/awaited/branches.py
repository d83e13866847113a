"""Branches: what would follow if the story went on otherwise."""

from __future__ import annotations

from services.client.awaited.connection import Connection
from services.client.replies import BranchDifference, Branches, Checkpoint, Document, Forked, PromotionPreview


class ReadingBranches(Connection):
    """The operations that look at branches. None changes anything."""

    async def branches(self, story: str) -> Branches:
        """The branches of a story: where each was forked, what was published into it and into the parent since."""
        return await self._send(Branches, "GET", "/v1/stories/{story}/branches", {"story": story})

    async def diff_branches(self, story: str, a: str, b: str, *, at: Checkpoint = None) -> BranchDifference:
        """What the state of branch `b` has beside that of `a`; the story's own id stands for the parent."""
        return await self._send(
            BranchDifference,
            "GET",
            "/v1/stories/{story}/branch-diff",
            {"story": story},
            query={"a": a, "b": b, "at": at},
        )

    async def preview_promotion(self, story: str, name: str) -> PromotionPreview:
        """What promoting a branch would publish into its parent and change there."""
        return await self._send(
            PromotionPreview, "GET", "/v1/stories/{story}/branches/{name}/promotion", {"story": story, "name": name}
        )


class Branching(Connection):
    """The operations that make branches and end them."""

    async def branch(self, story: str, name: str, *, at: Checkpoint = None, wait: bool | None = None) -> Forked:
        """Fork a story after a chapter. The reply's `branch` is a story of its own, to read and to publish into."""
        return await self._send(
            Forked,
            "PUT",
            "/v1/stories/{story}/branches/{name}",
            {"story": story, "name": name},
            body={"at": at, "wait": wait},
            repeatable=False,
        )

    async def drop_branch(self, story: str, name: str, *, by: str = "", reason: str = "") -> Document:
        """Throw a branch away, with every text that only it has; the parent is not touched."""
        return await self._send(
            Document,
            "DELETE",
            "/v1/stories/{story}/branches/{name}",
            {"story": story, "name": name},
            query={"by": by or None, "reason": reason or None},
        )

    async def promote(self, story: str, name: str, *, force: bool | None = None, wait: bool | None = None) -> Document:
        """Publish a branch's chapters after the fork into its parent, where they differ.

        Raises Conflict where the parent has moved on since the fork, unless `force`.
        """
        return await self._send(
            Document,
            "POST",
            "/v1/stories/{story}/branches/{name}/promotion",
            {"story": story, "name": name},
            body={"force": force, "wait": wait},
            repeatable=True,
        )
