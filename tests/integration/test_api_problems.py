"""Every error of the API is a problem document that says what to do, and nothing a client sends brings the server down."""

from __future__ import annotations

import json
from typing import Any

import pytest
from starlette.testclient import TestClient

from services.catalogue import Catalogue
from services.composition import Application
from services.console.api import create_app
from services.settings import Settings
from tests.serving_fixtures import Reply

TEXT = "Mara Voss shut the door."


def assert_problem(reply: Reply, status: int) -> dict[str, Any]:
    assert reply.status_code == status, reply.text
    assert reply.headers["content-type"] == "application/problem+json"
    document: dict[str, Any] = reply.json()
    assert document["status"] == status
    assert document["type"].startswith("urn:fabula:problem:")
    assert document["title"]
    assert document["detail"]
    return document


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"text": None},
        {"text": 3},
        {"text": ["a"]},
        {"text": ""},
        {"text": TEXT, "title": 3},
        {"text": TEXT, "title": "t" * 501},
        {"text": TEXT, "records": "none"},
        {"text": TEXT, "records": 3},
        {"text": TEXT, "records": [3]},
        {"text": TEXT, "records": {"schema": "other/1", "records": []}},
        {"text": TEXT, "records": [{"id": "x", "kind": "prophecy", "evidence": [{"quote": "Mara"}]}]},
        {"text": TEXT, "language": 3},
        {"text": TEXT, "language": "no such language"},
        {"text": TEXT, "wait": "yes"},
        {"text": TEXT, "wait": 1},
        {"text": TEXT, "record": []},
    ],
)
def test_a_body_with_wrong_fields_is_a_422_that_says_what_to_do(
    client: TestClient, story: str, body: dict[str, Any]
) -> None:
    assert_problem(client.put(f"/v1/stories/{story}/chapters/1", json=body), 422)
    assert story not in [each["story"] for each in client.get("/v1/stories").json()["stories"]]


@pytest.mark.parametrize(
    "raw",
    [
        b"{",
        b"not json",
        b'{"text": NaN}',
        b'{"text": "a", "records": [{"confidence": Infinity}]}',
        b"\xff\xfe\x00",
        b"[" * 99_999,
    ],
)
def test_a_body_that_is_no_json_is_a_400(client: TestClient, story: str, raw: bytes) -> None:
    assert_problem(client.put(f"/v1/stories/{story}/chapters/1", content=raw), 400)


@pytest.mark.parametrize("raw", [b"[]", b"3", b"null", b'"text"'])
def test_json_that_is_no_object_is_a_422(client: TestClient, story: str, raw: bytes) -> None:
    assert_problem(client.put(f"/v1/stories/{story}/chapters/1", content=raw), 422)


@pytest.mark.parametrize("confidence", [True, "1", -0.1, 1.1])
def test_a_confidence_that_is_no_number_from_0_to_1_is_a_422(client: TestClient, story: str, confidence: Any) -> None:
    record = {
        "id": "e1", "kind": "entity", "type": "character", "name": "Mara Voss", "confidence": confidence,
        "evidence": [{"quote": "Mara Voss"}],
    }  # fmt: skip
    assert_problem(client.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": [record]}), 422)


@pytest.mark.parametrize("chapter", ["0", "-1", "1.5", "one", "99999999999999999999", "%00", "1e3"])
def test_a_chapter_that_is_no_whole_number_from_1_is_a_422(client: TestClient, story: str, chapter: str) -> None:
    assert_problem(client.put(f"/v1/stories/{story}/chapters/{chapter}", json={"text": TEXT, "records": []}), 422)


@pytest.mark.parametrize("story", ["a b", "%00", "%3Cscript%3E", "x" * 101, "..", "a%0Ab"])
def test_a_story_of_an_unusable_name_is_a_422(client: TestClient, story: str) -> None:
    reply = client.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": []})
    assert reply.status_code in (404, 422)
    assert_problem(reply, reply.status_code)


def test_an_unknown_route_is_a_404_problem(client: TestClient) -> None:
    assert_problem(client.get("/v1/nothing"), 404)


def test_a_wrong_method_is_a_405_that_names_the_right_one(client: TestClient, story: str) -> None:
    reply = client.post(f"/v1/stories/{story}/chapters/1", json={"text": TEXT})
    assert_problem(reply, 405)
    assert "PUT" in reply.headers["allow"] or "DELETE" in reply.headers["allow"]


def test_a_body_beyond_the_limit_is_a_413(environment: dict[str, str], story: str) -> None:
    settings = Settings.from_env({**environment, "FABULA_MAX_BODY_BYTES": "2048"})
    with Application(settings) as application, TestClient(create_app(application)) as client:
        problem = assert_problem(
            client.put(f"/v1/stories/{story}/chapters/1", json={"text": "x" * 4096, "records": []}), 413
        )
    assert "2,048" in problem["detail"]


def test_a_text_beyond_two_million_characters_is_a_422(client: TestClient, story: str) -> None:
    assert_problem(client.put(f"/v1/stories/{story}/chapters/1", json={"text": "x" * 2_000_001, "records": []}), 422)


def test_an_unexpected_error_is_a_500_that_tells_nothing_of_the_inside(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_catalogue: Catalogue) -> dict[str, Any]:
        raise RuntimeError("password=hunter2")

    monkeypatch.setattr(Catalogue, "stories", broken)
    problem = assert_problem(client.get("/v1/stories"), 500)
    assert "hunter2" not in json.dumps(problem)


def test_half_a_surrogate_pair_in_a_text_is_cleaned(client: TestClient, story: str) -> None:
    reply = client.put(
        f"/v1/stories/{story}/chapters/1", content=rb'{"text": "Mara \ud83d Voss", "title": "\ud83d", "records": []}'
    )
    assert reply.status_code == 201, reply.text


@pytest.mark.parametrize(
    "raw",
    [
        rb'{"text": "Mara", "\ud83d": 1}',
        rb'{"text": "Mara", "language": "\ud83d"}',
        rb'{"text": "Mara", "records": [{"id": "\ud83d", "kind": "\ud83d", "evidence": []}]}',
    ],
)
def test_half_a_surrogate_pair_elsewhere_is_a_422(client: TestClient, story: str, raw: bytes) -> None:
    assert_problem(client.put(f"/v1/stories/{story}/chapters/1", content=raw), 422)


@pytest.mark.parametrize(
    "query",
    [
        "at=0",
        "at=-1",
        "at=1.5",
        "at=",
        "at=%00",
        "as_recorded=soon",
        "as_recorded=-1",
        "as_of=3",
        "at=1&at=9",
        "entity=%00",
        "key=%00",
    ],
)
def test_a_parameter_that_cannot_be_meant_is_a_422(client: TestClient, story: str, query: str) -> None:
    client.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": []})
    assert_problem(client.get(f"/v1/stories/{story}/state?{query}"), 422)


@pytest.mark.parametrize(
    "query", ["", "from=1", "to=1", "between=1", "between=a,b", "between=1,2&from=1", "from=0&to=1"]
)
def test_a_diff_without_two_places_is_a_422(client: TestClient, story: str, query: str) -> None:
    assert_problem(client.get(f"/v1/stories/{story}/diff?{query}"), 422)


@pytest.mark.parametrize(
    "path", ["state", "history?key=owner(x)", "entities/Mara", "threads", "timeline", "diff?from=1&to=2", "audit"]
)
def test_a_story_that_does_not_exist_is_a_404(client: TestClient, path: str) -> None:
    assert_problem(client.get(f"/v1/stories/nowhere/{path}"), 404)


def test_a_checkpoint_that_does_not_exist_is_a_404(client: TestClient, story: str) -> None:
    client.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": []})
    assert_problem(client.get(f"/v1/stories/{story}/state?at=finale"), 404)


@pytest.mark.parametrize(
    "body",
    [
        {"question": 3},
        {},
        {"question": ""},
        {"question": "Who?", "budget": True},
        {"question": "Who?", "budget": "12000"},
        {"question": "Who?", "budget": -1},
        {"question": "Who?", "method": "guess"},
        {"question": "Who?", "method": 3},
        {"question": "Who?", "at": True},
        {"question": "Who?", "at": 0},
        {"question": "Who?", "at": 1.5},
        {"question": "Who?", "at": []},
    ],
)
def test_a_packet_asked_for_wrongly_is_a_422(client: TestClient, story: str, body: dict[str, Any]) -> None:
    client.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": []})
    assert_problem(client.post(f"/v1/stories/{story}/packet", json=body), 422)


def test_a_database_that_does_not_answer_is_a_503(environment: dict[str, str]) -> None:
    settings = Settings.from_env({**environment, "FABULA_POSTGRES": "postgresql://nobody@127.0.0.1:1/none"})
    with Application(settings) as application, TestClient(create_app(application)) as client:
        reply = client.get("/v1/stories")
        assert_problem(reply, 503)
        assert reply.headers["retry-after"]
        assert_problem(client.get("/readyz"), 503)
        assert client.get("/healthz").status_code == 200
