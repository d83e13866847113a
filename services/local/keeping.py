"""Keeping the embedded PostgreSQL up beside a server that needs it: started again when it was killed, not when it was stopped."""

from __future__ import annotations

import threading
from typing import Final

import structlog

from services.local.errors import LocalServiceError
from services.local.postgres import LocalPostgres

EVERY: Final = 1.0
"""Seconds between two looks."""
PAUSE: Final = 10.0
"""Seconds after a start that failed."""
_log = structlog.get_logger(__name__)


class PostgresKeeper:
    """Looks every so often whether the server was killed, and starts it at the port that it had."""

    def __init__(self, server: LocalPostgres, *, every: float = EVERY) -> None:
        self._server = server
        self._every = every

    def run_forever(self, stop: threading.Event) -> None:
        """Look until `stop` is set."""
        while not stop.wait(self._every):
            if not self._server.was_killed():
                continue
            _log.warning("the embedded PostgreSQL was killed, starting it again")
            try:
                address = self._server.start()
            except LocalServiceError as error:
                _log.error("the embedded PostgreSQL could not be started again", error=str(error))
                stop.wait(PAUSE)
            else:
                _log.info("the embedded PostgreSQL runs again", address=address)
