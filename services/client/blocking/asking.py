# Made from services/client/awaited by services.client.mirroring; change it there.
"""Asking: evidence and answers, blind to everything after the checkpoint."""

from __future__ import annotations

from collections.abc import Sequence

from services.client.blocking.connection import Connection
from services.client.replies import Answer, Checkpoint, Moment, Packet


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

    def ask(
        self,
        story: str,
        question: str,
        *,
        at: Checkpoint = None,
        method: str | None = None,
        budget: int | None = None,
        options: Sequence[str] | None = None,
        as_recorded: Moment = None,
    ) -> Answer:
        """The answer to a question as of a chapter, with the evidence it rests on; or none, where nothing supports one."""
        body = {
            "question": question,
            "at": at,
            "method": method,
            "budget": budget,
            "options": options,
            "as_recorded": as_recorded,
        }
        return self._send(Answer, "POST", "/v1/stories/{story}/ask", {"story": story}, body=body, repeatable=True)
