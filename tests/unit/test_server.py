"""The socket on which the server listens."""

from __future__ import annotations

import socket

import pytest

from events.errors import InvalidInput
from services.console.server import listen


def test_the_socket_names_its_protocol_so_that_no_reply_is_held_back() -> None:
    with listen("127.0.0.1", 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_an_address_that_is_taken_is_refused() -> None:
    with listen("127.0.0.1", 0) as taken:
        taken.listen()
        with pytest.raises(InvalidInput, match="another --host or --port"):
            listen("127.0.0.1", taken.getsockname()[1])
