"""The client has every operation of the API, with every parameter, and sends nothing the API does not take."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, get_args, get_origin, get_type_hints

import httpx
import pytest

from services.client import Fabula
from services.composition import Application
from services.console.api import create_app
from services.mcp.parameters import DESCRIPTIONS
from services.settings import Settings

Route = tuple[str, str]


@dataclass
class Taken:
    """What a route takes: the names of its query's parameters, and of its body's fields."""

    query: set[str] = field(default_factory=set)
    body: set[str] = field(default_factory=set)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[Route, Taken]]:
    home = str(tmp_path_factory.mktemp("home"))
    with Application(Settings.from_env({"FABULA_HOME": home})) as application:
        paths = create_app(application).openapi()["paths"]
        yield {
            (method.upper(), path): Taken(
                {each["name"] for each in operation.get("parameters", ()) if each["in"] == "query"},
                set(_schema(operation).get("properties", ())),
            )
            for path, operations in paths.items()
            for method, operation in operations.items()
        }


@pytest.fixture(scope="module")
def sent(api: dict[Route, Taken]) -> dict[Route, Taken]:
    """What the client sends when every operation is given every argument."""
    found: dict[Route, Taken] = {}

    def answer(request: httpx.Request) -> httpx.Response:
        taken = found.setdefault(_route(api, request), Taken())
        taken.query |= set(request.url.params)
        taken.body |= set(json.loads(request.content)) if request.content else set()
        return httpx.Response(200, json={})

    with Fabula("http://fabula.test", transport=httpx.MockTransport(answer)) as client:
        for name, operation in _operations(client):
            arguments = _arguments(operation)
            operation(**arguments)
            assert arguments or name in ("stories", "health", "ready", "metrics")
    return found


def test_every_route_has_an_operation(api: dict[Route, Taken], sent: dict[Route, Taken]) -> None:
    assert sorted(api.keys() - sent.keys()) == []


def test_every_parameter_of_a_route_can_be_given(api: dict[Route, Taken], sent: dict[Route, Taken]) -> None:
    missing = {
        route: lacking
        for route, takes in api.items()
        if (lacking := (takes.query - sent.get(route, Taken()).query) | (takes.body - sent.get(route, Taken()).body))
    }
    assert missing == {}


def test_nothing_is_sent_that_a_route_does_not_take(api: dict[Route, Taken], sent: dict[Route, Taken]) -> None:
    extra = {
        route: more
        for route, gave in sent.items()
        if (more := (gave.query - api[route].query) | (gave.body - api[route].body))
    }
    assert extra == {}


def test_every_parameter_is_described_to_a_model_and_no_other(sent: dict[Route, Taken]) -> None:
    with Fabula("http://fabula.test") as client:
        names = {name for _, operation in _operations(client) for name in inspect.signature(operation).parameters}
    assert names == DESCRIPTIONS.keys()


def test_the_client_is_documented_operation_by_operation() -> None:
    text = (Path(__file__).resolve().parents[2] / "docs" / "client.md").read_text()
    with Fabula("http://fabula.test") as client:
        assert [name for name, _ in _operations(client) if f"`{name}" not in text] == []


def _operations(client: Fabula) -> Iterator[tuple[str, Any]]:
    for name, value in inspect.getmembers(client, inspect.ismethod):
        if not name.startswith("_") and name != "close":
            yield name, value


def _arguments(operation: Any) -> dict[str, Any]:
    hints = get_type_hints(operation)
    return {name: _example(hints[name]) for name in inspect.signature(operation).parameters}


def _example(hint: Any) -> Any:
    kinds = get_args(hint) or (hint,)
    if get_origin(hint) is Literal:
        return kinds[0]
    for kind, example in ((bool, True), (int, 1), (str, "word"), (float, 0.5)):
        if kind in kinds:
            return example
    return ["word"]


def _route(api: dict[Route, Taken], request: httpx.Request) -> Route:
    path = request.url.path
    fits = [
        route
        for route in api
        if route[0] == request.method and re.fullmatch(re.sub(r"\{[^}]+\}", "[^/]+", route[1]), path)
    ]
    assert fits, f"{request.method} {path} is no route of the API"
    return max(fits, key=lambda route: len(re.sub(r"\{[^}]+\}", "", route[1])))


def _schema(operation: dict[str, Any]) -> dict[str, Any]:
    content = operation.get("requestBody", {}).get("content", {})
    schema: dict[str, Any] = content.get("application/json", {}).get("schema", {})
    return schema
