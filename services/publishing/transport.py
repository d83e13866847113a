"""How a registered publication reaches whoever takes it in."""

from __future__ import annotations

from typing import Protocol

from events.chapters import Publication
from events.errors import FabulaError, Unavailable


class Transport(Protocol):
    """The seam between the one who publishes and the one who takes in."""

    def deliver(self, publication: Publication) -> None:
        """Hand the publication over; harmless when repeated. Raises `Unavailable` when it is not taken now."""

    def close(self) -> None: ...


class Takes(Protocol):
    """Whatever takes a publication in; see `services.extraction.handling.Handler`."""

    def handle(self, publication: Publication) -> object: ...


class Embedded:
    """Takes publications in within the calling thread: no broker, everything else the same.

    A publication that fails for good is a dead letter afterwards, which the publisher sees in the ledger.
    """

    def __init__(self, handler: Takes) -> None:
        self._handler = handler

    def deliver(self, publication: Publication) -> None:
        try:
            self._handler.handle(publication)
        except Unavailable:
            raise
        except FabulaError:
            return

    def close(self) -> None:
        return
