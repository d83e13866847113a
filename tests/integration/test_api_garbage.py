"""Nothing that a client sends to any route is an unexpected error: the routes and their fields are read from the OpenAPI document."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from services.composition import Application
from services.console.api import create_app
from services.settings import Settings

VALUES: tuple[Any, ...] = (
    None, True, -1, 0, 1.5, 10**30, "", "\0", "a" * 5_000, "\u202eabc", "e\u0301" * 200, "\u200b", "9" * 30,
    [], [None], ["a", "a"], [{"id": 1}], [{"question": 3, "at": "x"}], {}, {"records": "x"},
)  # fmt: skip
RAW = (b"", b"{", b"null", b"[]", b"\xff\xfe", b"[" * 9_000, b'{"text": NaN}', b"\xef\xbb\xbf{}", b"1" * 5_000)
NAMES = ("%00", "%20", "%2e%2e", "a%2Fb", "%F0%9F%A6%80", "%ff", "%E2%80%AE", "%ED%A0%80", "x" * 400)
NUMBERS = ("0", "-1", "1.5", "9" * 30, "1000001", "%D9%A3", "%00", "1_0")
QUERIES = ("", "0", "-1", "%00", "9" * 30, "%D9%A3", "%ff", "2020-13-40", "1,2", "inf", "x" * 5_000)
USABLE = {
    "text": "Mara Voss had the brass key.", "question": "Who has the brass key?", "a": "Mara Voss", "b": "Tomas Reyle",
    "alias": "Mara", "from": "Mara Voss", "finding": "1-dead_act-0123456789-0123456789", "reason": "meant",
}  # fmt: skip


def paths() -> list[tuple[str, str, dict[str, Any]]]:
    """Each method and path of the API with its description."""
    # the routes do not depend on what is behind them
    described = create_app(Application(Settings.from_env({"HOME": "/nowhere"}))).openapi()["paths"]
    return [(method, path, what) for path, methods in described.items() for method, what in methods.items()]


def filled(path: str, *, story: str, name: str = "somebody", number: str = "1") -> str:
    for part, value in {"story": story, "n": number, "number": number}.items():
        path = path.replace(f"{{{part}}}", value)
    return path.replace("{name}", name).replace("{thread}", name).replace("{character}", name)


def calls(path: str, what: dict[str, Any], story: str) -> Iterator[tuple[str, bytes | None]]:
    """Addresses and bodies, one thing wrong in each."""
    fields: dict[str, Any] = {}
    if "requestBody" in what:
        fields = what["requestBody"]["content"]["application/json"]["schema"]["properties"]
    usable = {field: USABLE[field] for field in fields if field in USABLE}
    body = json.dumps(usable).encode() if fields else None
    for name in NAMES:
        yield filled(path, story=name), body
        yield filled(path, story=story, name=name), body
    for number in NUMBERS:
        yield filled(path, story=story, number=number), body
    for raw in RAW if fields else ():
        yield filled(path, story=story), raw
    for field in fields:
        for value in VALUES:
            yield filled(path, story=story), json.dumps({**usable, field: value}).encode()
    for parameter in what.get("parameters", ()):
        if parameter["in"] == "query":
            for value in QUERIES:
                yield f"{filled(path, story=story)}?{parameter['name']}={value}", body


@pytest.mark.parametrize(("method", "path", "what"), paths(), ids=lambda value: value if isinstance(value, str) else "")
def test_no_garbage_is_an_unexpected_error(
    client: TestClient, story: str, method: str, path: str, what: dict[str, Any]
) -> None:
    client.put(f"/v1/stories/{story}/chapters/1", json={"text": USABLE["text"], "records": []})
    for address, body in calls(path, what, story):
        reply = client.request(method, address, content=body)
        assert reply.status_code < 500, (address[:200], (body or b"")[:200], reply.text)
        if reply.status_code >= 400:
            assert reply.headers["content-type"] == "application/problem+json", (address[:200], reply.text)


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("PUT", "chapters/1000001", {"text": "Mara.", "records": []}),
        ("GET", "state?at=1000001", None),
        ("GET", "diff?from=1&to=1000001", None),
        ("POST", "packet", {"question": "Who has the key?", "at": 1_000_001}),
        ("POST", "packet", {"question": "Who has the key?", "at": "1000001"}),
        ("POST", "ask", {"question": "Who has the key?", "at": 10**30}),
        ("POST", "check", {"text": "Mara.", "after": 1_000_001}),
        ("POST", "constraints", {"at": 1_000_001}),
        ("POST", "questions", {"question": "Who has the key?", "at": 1_000_001}),
        ("PUT", "checkpoints/finale", {"at": 1_000_001}),
        ("PUT", "branches/other", {"at": 1_000_001}),
    ],
)
def test_every_route_has_the_same_highest_chapter_and_says_which(
    client: TestClient, story: str, method: str, path: str, body: dict[str, Any] | None
) -> None:
    client.put(f"/v1/stories/{story}/chapters/1", json={"text": "Mara.", "records": []})
    reply = client.request(method, f"/v1/stories/{story}/{path}", json=body)
    assert reply.status_code == 422, reply.text
    assert "1000000" in reply.json()["detail"].replace(",", "")
