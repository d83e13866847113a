# Made from services/client/awaited by services.client.mirroring; change it there.
"""Asking: evidence and answers, blind to everything after the checkpoint."""

from __future__ import annotations

from services.client.blocking.connection import Connection
from services.client.replies import Checkpoint, Moment, Packet


class Asking(Connection):
    """The operations that answer questions. None changes anything."""

    def packet(
        self,
        story: str,
        question: str,
        *,
        at: Checkpoint = None,
        method: str | None = None,
        budget: int | None = None,
        budget_tokens: int | None = None,
        as_recorded: Moment = None,
    ) -> Packet:
        """The evidence for a question as of a chapter, within a budget."""
        body = {
            "question": question,
            "at": at,
            "method": method,
            "budget": budget,
            "budget_tokens": budget_tokens,
            "as_recorded": as_recorded,
        }
        return self._send(Packet, "POST", "/v1/stories/{story}/packet", {"story": story}, body=body, repeatable=True)
