"""What an operator asks of a server."""

from __future__ import annotations

from services.client.awaited.connection import Connection
from services.client.replies import Document


class Running(Connection):
    """Whether the server is up, ready, and how it is doing."""

    async def health(self) -> Document:
        """That the process is up."""
        return await self._send(Document, "GET", "/healthz")

    async def ready(self) -> Document:
        """That PostgreSQL answers and the read models keep up. Raises Unavailable, with the reasons, when not."""
        return await self._send(Document, "GET", "/readyz")

    async def metrics(self) -> str:
        """The metrics, in the text format of Prometheus."""
        return await self._text("/metrics")
