"""The API as a real process: what only a socket shows."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import urlsplit

import httpx
import pytest

from tests.serving_fixtures import entity, fabula, owns, served

RECORDS = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", "held the brass key")]
TEXT = "Mara Voss held the brass key."


@pytest.fixture(scope="module")
def address(shared_environment: dict[str, str]) -> Iterator[str]:
    with served({**shared_environment, "FABULA_MAX_BODY_BYTES": "100000"}) as found:
        yield found


@pytest.fixture(scope="module")
def api(address: str) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.mark.parametrize("size", [100_001, 450_000, 5_000_000])
def test_a_body_that_is_too_large_is_answered_and_not_cut_off(api: httpx.Client, story: str, size: int) -> None:
    body = json.dumps({"text": "x" * size}).encode()
    reply = api.put(f"/v1/stories/{story}/chapters/1", content=body)
    assert reply.status_code == 413
    assert reply.headers["content-type"] == "application/problem+json"


def test_a_body_without_an_announced_length_is_measured(api: httpx.Client, story: str) -> None:
    reply = api.put(f"/v1/stories/{story}/chapters/1", content=(b"x" * 1000 for _ in range(200)))
    assert reply.status_code == 413


def test_a_client_that_goes_away_leaves_the_server_well(address: str, api: httpx.Client, story: str) -> None:
    where = urlsplit(address)
    for sent in (
        b"PUT /v1/stories/%b/chapters/1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5000\r\n\r\n{" % story.encode(),
        b"GET /v1/stories HTTP/1.1\r\nHost: x\r\n",
        b"\x00\xff nonsense\r\n\r\n",
    ):
        with socket.create_connection((where.hostname, where.port), timeout=10) as client:
            client.sendall(sent)
    assert api.get("/v1/stories").status_code == 200


def test_stories_that_are_written_at_once_stay_apart(api: httpx.Client, story: str) -> None:
    def tell(number: int) -> str:
        name = f"{story}-{number}"
        owner = f"Owner {number}"
        records = [entity("e1", owner), owns("o1", "brass key", owner, "held the brass key")]
        body = {"text": f"{owner} held the brass key.", "records": records}
        assert api.put(f"/v1/stories/{name}/chapters/1", json=body).status_code == 201
        return str(api.get(f"/v1/stories/{name}/state").json()["state"][0]["value"])

    with ThreadPoolExecutor(8) as threads:
        assert list(threads.map(tell, range(16))) == [f"Owner {number}" for number in range(16)]


def test_chapters_of_one_story_that_are_written_at_once_are_all_there(api: httpx.Client, story: str) -> None:
    def write(chapter: int) -> int:
        records = [owns("o1", f"thing {chapter}", "Mara", "Mara waited")]
        body = {"text": f"Mara waited, day {chapter}.", "records": records}
        return api.put(f"/v1/stories/{story}/chapters/{chapter}", json=body).status_code

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(write, range(1, 17))) == {201}
    state = api.get(f"/v1/stories/{story}/state").json()
    assert (len(state["state"]), state["incomplete"]) == (16, [])


def test_the_same_chapter_written_twice_at_once_is_one_revision(api: httpx.Client, story: str) -> None:
    def write(_: int) -> int:
        reply = api.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": RECORDS})
        return int(reply.json()["revision"])

    with ThreadPoolExecutor(4) as threads:
        assert set(threads.map(write, range(8))) == {1}
    published = [e for e in api.get(f"/v1/stories/{story}/audit").json()["events"] if e["type"] == "ChapterPublished"]
    assert len(published) == 1


def test_the_command_line_reads_what_the_server_wrote(
    api: httpx.Client, shared_environment: dict[str, str], story: str
) -> None:
    api.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": RECORDS})
    result = fabula("state", story, "--json", environment=shared_environment)
    assert result.stdout == api.get(f"/v1/stories/{story}/state").content + b"\n"


def test_an_address_that_is_taken_is_one_message(address: str, shared_environment: dict[str, str]) -> None:
    port = str(urlsplit(address).port)
    result = fabula("serve", "--port", port, environment=shared_environment)
    assert (result.returncode, result.stdout) == (1, b"")
    assert port.encode() in result.stderr
    assert len(result.stderr.splitlines()) == 1
