"""The client without a server: what it sends, what it sends again, and what it raises."""

from __future__ import annotations

import ast
import asyncio
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from services.client import (
    AsyncFabula,
    Conflict,
    Fabula,
    Failed,
    InvalidInput,
    InvalidRecords,
    NoAnswer,
    NotAnAnswer,
    NotFound,
    Problem,
    Refused,
    TooSlow,
    Unavailable,
    UnknownStory,
    calls,
)
from services.client.awaited import connection as awaited_connection
from services.client.blocking import connection as blocking_connection
from services.client.mirroring import HERE, mirrored

Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    async def at_once(_: float) -> None:
        return None

    monkeypatch.setattr(awaited_connection, "sleep", at_once)
    monkeypatch.setattr(blocking_connection, "sleep", lambda _: None)


def fabula(answer: Answer, **options: Any) -> Fabula:
    return Fabula("http://fabula.test/", transport=httpx.MockTransport(answer), **options)


def refusing(status: int, slug: str, detail: str = "Do this instead.") -> Answer:
    document = {"type": f"urn:fabula:problem:{slug}", "title": "No", "status": status, "detail": detail}
    return lambda _: httpx.Response(status, json=document)


class Failing:
    """Fails as often as it is told, then answers; counts what it was sent."""

    def __init__(self, times: int, error: type[httpx.TransportError]) -> None:
        self.left = times
        self.error = error
        self.sent = 0

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent += 1
        if self.left:
            self.left -= 1
            raise self.error("broken", request=request)
        return httpx.Response(200, json={"ok": True})


def test_names_in_a_path_are_quoted_and_what_is_not_given_is_not_sent() -> None:
    seen: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, json={})

    with fabula(answer) as client:
        client.entity("lantern", "Mara / the courier?", at=3)
    assert seen[0].url.raw_path == b"/v1/stories/lantern/entities/Mara%20%2F%20the%20courier%3F?at=3"


def test_a_body_has_the_fields_that_were_given() -> None:
    seen: list[Any] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(json.loads(request.content))
        return httpx.Response(201, json={})

    with fabula(answer) as client:
        client.publish("lantern", 1, "Mara, \ud800 and “quotes”.", records=[])
    assert seen == [{"text": "Mara, \ud800 and “quotes”.", "records": []}]


@pytest.mark.parametrize(
    ("status", "slug", "kind"),
    [
        (404, "unknown-story", UnknownStory),
        (404, "no-such-route", NotFound),
        (422, "invalid-records", InvalidRecords),
        (422, "something-new", InvalidInput),
        (400, "malformed-json", InvalidInput),
        (413, "body-too-large", InvalidInput),
        (409, "promotion-refused", Conflict),
        (418, "teapot", Refused),
        (503, "read-model-behind", Unavailable),
        (500, "unexpected", Failed),
    ],
)
def test_a_problem_document_is_raised_as_the_error_of_its_kind(status: int, slug: str, kind: type[Problem]) -> None:
    with fabula(refusing(status, slug)) as client, pytest.raises(kind, match=r"Do this instead\.") as caught:
        client.stories()
    assert (caught.value.status, caught.value.kind, caught.value.title) == (status, slug, "No")


@pytest.mark.parametrize("response", [httpx.Response(200, text="<html>"), httpx.Response(502, text="Bad gateway")])
def test_what_is_no_fabula_is_told_apart(response: httpx.Response) -> None:
    with fabula(lambda _: response) as client, pytest.raises(NotAnAnswer, match="fabula serve"):
        client.stories()


def test_a_read_is_sent_again_when_the_connection_breaks() -> None:
    server = Failing(2, httpx.ReadError)
    with fabula(server) as client:
        client.stories()
    assert server.sent == 3


def test_a_decision_is_sent_again_only_if_it_never_arrived() -> None:
    broken, absent = Failing(1, httpx.ReadError), Failing(1, httpx.ConnectError)
    with fabula(broken) as client, pytest.raises(NoAnswer):
        client.merge("lantern", "a", "b")
    with fabula(absent) as client:
        client.merge("lantern", "a", "b")
    assert (broken.sent, absent.sent) == (1, 2)


def test_a_question_is_sent_again_although_it_is_posted() -> None:
    server = Failing(1, httpx.RemoteProtocolError)
    with fabula(server) as client:
        client.packet("lantern", "Who has the key?")
    assert server.sent == 2


def test_a_call_that_is_too_slow_is_not_repeated() -> None:
    server = Failing(1, httpx.ReadTimeout)
    with fabula(server) as client, pytest.raises(TooSlow, match="timeout"):
        client.stories()
    assert server.sent == 1


def test_it_gives_up_after_the_retries_and_says_what_to_do() -> None:
    server = Failing(9, httpx.ConnectError)
    with fabula(server, retries=1) as client, pytest.raises(NoAnswer, match=r"fabula\.test.*fabula serve"):
        client.stories()
    assert server.sent == 2


def test_the_awaited_client_does_the_same() -> None:
    server = Failing(1, httpx.ReadError)

    async def main() -> None:
        async with AsyncFabula("http://fabula.test", transport=httpx.MockTransport(server)) as client:
            await client.stories()
        refused = httpx.MockTransport(refusing(404, "unknown-story"))
        async with AsyncFabula("http://fabula.test", transport=refused) as client:
            with pytest.raises(UnknownStory):
                await client.state("lantern")

    asyncio.run(main())
    assert server.sent == 2


@pytest.mark.parametrize("module", sorted(path.name for path in (HERE / "awaited").glob("*.py")))
def test_the_blocking_client_is_the_mirror_of_the_awaited_one(module: str) -> None:
    wanted = ast.parse(mirrored((HERE / "awaited" / module).read_text()))
    found = ast.parse((HERE / "blocking" / module).read_text())
    assert _without_order_of_imports(found) == _without_order_of_imports(wanted)


def test_nothing_is_in_the_mirror_that_is_not_mirrored() -> None:
    assert {p.name for p in (HERE / "blocking").glob("*.py")} == {p.name for p in (HERE / "awaited").glob("*.py")}


def test_importing_the_client_loads_nothing_heavy() -> None:
    code = "import services.client, sys; print(*{name.partition('.')[0] for name in sys.modules})"
    root = Path(__file__).resolve().parents[2]
    run = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    heavy = {"psycopg", "pydantic", "fastapi", "numpy", "spacy", "mcp", "eventsourcing", "events", "projections"}
    assert not heavy & set(run.stdout.split())


def test_a_call_leaves_out_what_is_none() -> None:
    made = calls.call("GET", "/v1/stories/{story}/diff", {"story": "a b"}, query={"between": (1, 2), "at": None})
    assert (made.path, made.query, made.body) == ("/v1/stories/a%20b/diff", {"between": "1,2"}, None)


def _without_order_of_imports(tree: ast.Module) -> tuple[list[str], list[str]]:
    imports = [ast.dump(node) for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return sorted(imports), [ast.dump(n) for n in tree.body if not isinstance(n, ast.Import | ast.ImportFrom)]
