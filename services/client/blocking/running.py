# Made from services/client/awaited by services.client.mirroring; change it there.
"""What an operator asks of a server."""

from __future__ import annotations

from services.client.blocking.connection import Connection
from services.client.replies import Document


class Running(Connection):
    """Whether the server is up, ready, and how it is doing."""

    def health(self) -> Document:
        """That the process is up."""
        return self._send(Document, "GET", "/healthz")

    def ready(self) -> Document:
        """That PostgreSQL answers and the read models keep up. Raises Unavailable, with the reasons, when not."""
        return self._send(Document, "GET", "/readyz")

    def metrics(self) -> str:
        """The metrics, in the text format of Prometheus."""
        return self._text("/metrics")
