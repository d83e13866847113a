"""The pages: what they show, and that a story's words are never more than words."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from tests.serving_fixtures import entity, owns, publish

EVIL = "<script>alert('x')</script>"
THING = '"><img src=x onerror=alert(1)>'


@pytest.fixture
def told(client: TestClient, story: str) -> str:
    """A story whose names and text are markup."""
    text = f"{EVIL} kept the {THING} in the hall."
    records: list[dict[str, Any]] = [
        entity("e1", EVIL),
        owns("o1", THING, EVIL, f"kept the {THING}"),
        {
            "id": "p1",
            "kind": "presence",
            "entity": EVIL,
            "location": "the hall",
            "evidence": [{"quote": "in the hall"}],
        },
        {
            "id": "t1",
            "kind": "thread",
            "thread": EVIL,
            "thread_kind": "mystery",
            "status": "opened",
            "evidence": [{"quote": "kept the"}],
        },
    ]
    publish(client, story, 1, text, records=records, title=EVIL)
    publish(client, story, 2, "Nothing else.", records=[])
    return story


def addresses(story: str) -> list[str]:
    key, name = quote(f"owner({THING})"), quote(EVIL)
    return [
        "/",
        f"/stories/{story}",
        f"/stories/{story}?at=1",
        f"/stories/{story}/history?key={key}",
        f"/stories/{story}/history?key={key}&at=1",
        f"/stories/{story}/entity?name={name}",
        f"/stories/{story}/audit",
        f"/stories/{story}/audit?chapter=1",
        f"/stories/{story}/audit?record=1:o1",
    ]


def test_every_page_shows_and_runs_nothing(client: TestClient, told: str) -> None:
    for address in addresses(told):
        reply = client.get(address)
        assert reply.status_code == 200, (address, reply.text)
        assert reply.headers["content-type"] == "text/html; charset=utf-8"
        assert "default-src 'none'" in reply.headers["content-security-policy"]
        assert "<script" not in reply.text, address
        assert "<img" not in reply.text, address


def test_the_page_of_a_story_shows_its_state_threads_and_presence(client: TestClient, told: str) -> None:
    page = client.get(f"/stories/{told}?at=1").text
    assert "&lt;script&gt;alert(&#x27;x&#x27;)&lt;/script&gt;" in page
    assert "location(" in page
    assert "mystery" in page
    assert "●" in page


def test_every_link_of_a_page_leads_to_a_page(client: TestClient, told: str) -> None:
    import html
    import re

    page = client.get(f"/stories/{told}?at=1").text
    links = {html.unescape(each) for each in re.findall(r'href="([^"]+)"', page)}
    assert len(links) > 8
    for link in links:
        assert client.get(link).status_code == 200, link


def test_the_way_back_to_the_story_keeps_the_place_and_the_belief(client: TestClient, told: str) -> None:
    key, name = quote(f"owner({THING})"), quote(EVIL)
    for page in (f"history?key={key}", f"entity?name={name}"):
        shown = client.get(f"/stories/{told}/{page}&at=1&as_recorded=999999").text
        assert f'href="/stories/{told}?at=1&amp;as_recorded=999999"' in shown, page


def test_the_audit_of_a_record_tells_how_it_came_to_its_last_change(client: TestClient, story: str) -> None:
    publish(client, story, 1, "Mara kept the key.", records=[owns("o1", "key", "Mara", "kept the key")])
    publish(client, story, 1, "Nothing of the kind.", records=[])
    steps = client.get(f"/stories/{story}/audit?record=1:o1").text.partition("<ol>")[2]
    assert "ChapterPublished  chapter 1, revision 2" in steps
    assert "RecordInvalidated  1:o1  superseded revision" in steps


def test_every_operation_of_the_description_has_an_id_of_its_own(
    client: TestClient, recwarn: pytest.WarningsRecorder
) -> None:
    assert client.get("/openapi.json").status_code == 200
    assert [str(each.message) for each in recwarn if "Duplicate Operation ID" in str(each.message)] == []


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/stories/nowhere", 404),
        ("/stories/nowhere/audit", 404),
        ("/stories/nowhere?at=0", 422),
        ("/stories/nowhere/history?key=", 422),
        ("/stories/%00", 422),
    ],
)
def test_a_page_that_cannot_be_shown_says_why(client: TestClient, path: str, status: int) -> None:
    reply = client.get(path)
    assert reply.status_code == status
    assert reply.headers["content-type"].startswith("text/html")


def test_the_style_comes_from_the_server_itself(client: TestClient) -> None:
    reply = client.get("/static/console.css")
    assert (reply.status_code, reply.headers["content-type"]) == (200, "text/css; charset=utf-8")
