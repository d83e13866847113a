"""Publishing over HTTP: what is new, what is an edit, what is the same, and what can be withdrawn or decided."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest
from starlette.testclient import TestClient

from services.composition import Application
from services.console.api import create_app
from services.settings import Settings
from tests.serving_fixtures import entity, owns, publish

FIRST = "Mara Voss held the brass key."
EDITED = "Tomas Reyle held the brass key."
MARA = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", "held the brass key")]
TOMAS = [entity("e1", "Tomas Reyle"), owns("o1", "brass key", "Tomas Reyle", "held the brass key")]


def test_a_new_chapter_is_a_201_and_its_edit_a_200(client: TestClient, story: str) -> None:
    path = f"/v1/stories/{story}/chapters/1"
    assert client.put(path, json={"text": FIRST, "records": MARA}).status_code == 201
    assert client.put(path, json={"text": EDITED, "records": TOMAS}).status_code == 200


def test_the_reply_says_what_was_published(client: TestClient, story: str) -> None:
    reply = publish(client, story, 1, FIRST, records=[*MARA, owns("o2", "lamp", "Mara Voss", "not in the text")])
    assert {"story": story, "chapter": 1, "revision": 1, "unchanged": False}.items() <= reply.items()
    assert reply["position"] > 0
    assert [each["record"] for each in reply["rejected"]] == ["o2"]


def test_publishing_the_same_again_is_unchanged_and_has_the_same_etag(client: TestClient, story: str) -> None:
    path, body = f"/v1/stories/{story}/chapters/1", {"text": FIRST, "records": MARA}
    first, again = client.put(path, json=body), client.put(path, json=body)
    assert (again.status_code, again.json()["unchanged"]) == (200, True)
    assert again.json()["position"] == first.json()["position"]
    assert first.headers["etag"] == again.headers["etag"]


def test_another_content_has_another_etag(client: TestClient, story: str) -> None:
    path = f"/v1/stories/{story}/chapters/1"
    first = client.put(path, json={"text": FIRST, "records": MARA})
    second = client.put(path, json={"text": FIRST, "records": MARA, "title": "The Key"})
    assert first.headers["etag"] != second.headers["etag"]


def test_a_sidecar_object_is_as_good_as_a_list_of_records(client: TestClient, story: str) -> None:
    publish(client, story, 1, FIRST, records={"schema": "fabula.records/1", "records": MARA})
    assert client.get(f"/v1/stories/{story}/state").json()["state"][0]["value"] == "Mara Voss"


def test_a_write_that_waits_can_be_read_at_once(client: TestClient, story: str) -> None:
    publish(client, story, 1, FIRST, records=MARA)
    assert client.get(f"/v1/stories/{story}/state").json()["state"][0]["value"] == "Mara Voss"


def test_a_retracted_chapter_says_nothing_any_more(client: TestClient, story: str) -> None:
    publish(client, story, 1, FIRST, records=MARA)
    reply = client.delete(f"/v1/stories/{story}/chapters/1")
    assert reply.status_code == 200
    assert reply.json()["position"] > 0
    assert client.get(f"/v1/stories/{story}/state?at=1").json()["state"] == []


def test_retracting_what_was_never_published_is_a_404(client: TestClient, story: str) -> None:
    assert client.delete(f"/v1/stories/{story}/chapters/1").status_code == 404


def test_a_merge_and_a_split_change_who_owns_the_key(client: TestClient, story: str) -> None:
    publish(client, story, 1, FIRST, records=MARA)
    publish(client, story, 2, "The courier waited.", records=[entity("e1", "the courier", quote="The courier")])

    def owner() -> Any:
        return client.get(f"/v1/stories/{story}/state?key=owner(").json()["state"][0]["value"]

    assert client.post(f"/v1/stories/{story}/merge", json={"a": "the courier", "b": "Mara Voss"}).status_code == 200
    assert owner() == "the courier"
    assert (
        client.post(f"/v1/stories/{story}/split", json={"alias": "Mara Voss", "from": "the courier"}).status_code == 200
    )
    assert owner() == "Mara Voss"


def test_a_checkpoint_without_a_chapter_stands_after_the_last_one(client: TestClient, story: str) -> None:
    publish(client, story, 3, FIRST, records=MARA)
    assert client.put(f"/v1/stories/{story}/checkpoints/part one", json={}).status_code == 200
    assert client.get(f"/v1/stories/{story}/state?at=part one").json()["at"] == 3


@pytest.mark.parametrize(("named", "kept"), [("part 1/2", "part 1/2"), ("the%09end", "the end"), ("a%2Fb%3F", "a/b?")])
def test_a_checkpoint_is_read_by_the_name_that_its_reply_has(
    client: TestClient, story: str, named: str, kept: str
) -> None:
    publish(client, story, 3, FIRST, records=MARA)
    assert client.put(f"/v1/stories/{story}/checkpoints/{named}", json={}).json()["name"] == kept
    for name in (named, kept.replace("?", "%3F")):
        assert client.get(f"/v1/stories/{story}/state?at={name}").json()["at"] == 3


def test_a_checkpoint_of_a_story_without_chapters_is_a_404(client: TestClient, story: str) -> None:
    assert client.put(f"/v1/stories/{story}/checkpoints/start", json={}).status_code == 404


def test_the_stories_are_listed_with_their_chapters(client: TestClient, story: str) -> None:
    position = publish(client, story, 4, FIRST, records=MARA)["position"]
    listed = client.get("/v1/stories").json()["stories"]
    assert {"story": story, "chapters": 1, "last_chapter": 4, "position": position} in listed


def test_a_slow_publication_holds_up_no_other_request(
    shared_environment: dict[str, str], story: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings.from_env({**shared_environment, "FABULA_PUBLISH_THREADS": "1"})
    entered, release = threading.Event(), threading.Event()
    with Application(settings) as application, TestClient(create_app(application)) as client:
        publisher = application.publisher

        def stall(*_: Any, **__: Any) -> dict[str, Any]:
            entered.set()
            assert release.wait(60)
            return {"story": story, "chapter": 1, "revision": 1, "position": 1, "unchanged": False}

        monkeypatch.setattr(publisher, "publish", stall)
        slow = [
            threading.Thread(
                target=client.put, args=(f"/v1/stories/{story}/chapters/{n}",), kwargs={"json": {"text": "x"}}
            )
            for n in (1, 2, 3)
        ]
        for thread in slow:
            thread.start()
        assert entered.wait(30)
        started = time.perf_counter()
        assert client.get("/healthz").status_code == 200
        assert client.get("/v1/stories").status_code == 200
        took = time.perf_counter() - started
        release.set()
        for thread in slow:
            thread.join(30)
    assert took < 20
