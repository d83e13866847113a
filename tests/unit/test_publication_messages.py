"""Messages: what fits travels whole, what does not is claimed, what cannot be read is poison."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import orjson
import pytest

from events.chapters import Publication
from services.publishing.messages import Delivered, Poison, decode, encode, headers


def publication(**changes: Any) -> Publication:
    given: dict[str, Any] = {
        "story": "lantern",
        "sequence": 7,
        "chapter": 3,
        "revision": 2,
        "action": "publish",
        "content_hash": "sha256:c",
        "text_hash": "sha256:t",
        "title": None,
        "language": "en",
        "records": [],
        "decision": {},
        "published_at": datetime(2026, 1, 2, tzinfo=UTC),
        **changes,
    }
    return Publication(**given)


def test_a_message_says_which_publication_it_is_about() -> None:
    assert decode(encode(publication())) == Delivered("lantern", 7, 3, 2)


def test_a_message_that_fits_carries_its_records() -> None:
    message = orjson.loads(encode(publication(records=[{"id": "e1"}])))
    assert (message["claim"], message["records"]) == (False, [{"id": "e1"}])


def test_a_message_that_does_not_fit_is_a_claim() -> None:
    message = encode(publication(records=[{"id": "e" * 5_000}]), max_bytes=4_000)
    assert len(message) <= 4_000
    assert (orjson.loads(message)["claim"], decode(message)) == (True, Delivered("lantern", 7, 3, 2))


def test_the_correlation_travels_as_a_header() -> None:
    assert ("correlation", b"lantern/7") in headers(publication())


@pytest.mark.parametrize(
    "raw",
    [
        None,
        b"",
        b"{",
        b"[]",
        b"null",
        b"\xff\xfe",
        b'{"schema": "fabula.publication/2"}',
        orjson.dumps({**publication().to_json(), "sequence": "7"}),
        orjson.dumps({**publication().to_json(), "sequence": True}),
        orjson.dumps({**publication().to_json(), "sequence": 2**40}),
        orjson.dumps({**publication().to_json(), "story": "a\0b"}),
        orjson.dumps({**publication().to_json(), "story": "x" * 101}),
        orjson.dumps({**publication().to_json(), "action": "erase"}),
        orjson.dumps({**publication().to_json(), "published_at": "yesterday"}),
    ],
)
def test_what_is_no_publication_message_is_poison(raw: bytes | None) -> None:
    with pytest.raises(Poison):
        decode(raw)
