"""The server process: uvicorn over the HTTP application, and, embedded, the projector in a thread beside it."""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import uvicorn

from events.errors import InvalidInput
from services.console.api import create_app

if TYPE_CHECKING:
    from services.composition import Application

GRACE_SECONDS = 20


def serve(application: Application, host: str, port: int, say: Callable[[str], None]) -> None:
    """Serve until SIGTERM or SIGINT. `say` is told the address once requests are answered.

    Raises InvalidInput when the address is taken, Unavailable when the database does not answer.
    """
    with ExitStack() as stack:
        listening = stack.enter_context(listen(host, port))
        # built before the first request, so that none waits for it and a fault is heard of at once
        application.publisher, application.runner, application.reader  # noqa: B018
        if application.settings.embedded:
            stack.enter_context(application.following())
        where = f"http://{_shown(host)}:{listening.getsockname()[1]}"
        config = uvicorn.Config(
            create_app(application),
            log_config=None,
            access_log=False,
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        server = _Server(config, lambda: say(f"Fabula answers at {where} (API: {where}/docs); stop with Ctrl-C."))
        stack.enter_context(_ended_by_signals(server))
        server.run(sockets=[listening])


class _Server(uvicorn.Server):
    """Says so once requests are answered."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None]) -> None:
        super().__init__(config)
        self._say_started = started

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._say_started()


@contextmanager
def _ended_by_signals(server: uvicorn.Server) -> Iterator[None]:
    """Let a signal end the server and nothing else: uvicorn raises the one that ended it once more, afterwards."""

    def end(*_: object) -> None:
        server.should_exit = True

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, end) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def listen(host: str, port: int) -> socket.socket:
    """A socket bound to the address. Raises InvalidInput when it is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # the protocol is named because asyncio turns Nagle's algorithm off (40 ms a reply) only where it is
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
        listening.listen(128)  # a request that comes between the announcement and the first answer waits its turn
    except OSError as error:
        listening.close()
        raise InvalidInput(
            f"nothing can listen at {host}:{port} ({error.strerror or error}); give another --host or --port"
        ) from None
    return listening


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
