"""The pages for what is not published yet: a form, what a draft contradicts, and what an edit would change. Nothing is written."""

from __future__ import annotations

from starlette.testclient import TestClient

from tests.serving_fixtures import entity, owns, publish

ONE = "Mara took the brass key from the wall. Tomas lay dead on the stairs."


def tell(client: TestClient, story: str) -> None:
    died = {
        "id": "c1", "kind": "character_delta", "character": "Tomas", "attribute": "status", "value": "dead",
        "evidence": [{"quote": "Tomas lay dead"}],
    }  # fmt: skip
    cast = [entity("e1", "Mara"), entity("e2", "Tomas"), entity("e3", "brass key", "object")]
    publish(client, story, 1, ONE, records=[*cast, owns("o1", "brass key", "Mara", "Mara took the brass key"), died])


def test_the_page_of_a_story_leads_to_the_form(client: TestClient, story: str) -> None:
    tell(client, story)
    assert f"/stories/{story}/draft?at=1" in client.get(f"/stories/{story}").text
    page = client.get(f"/stories/{story}/draft", params={"at": 1})
    assert page.status_code == 200
    assert "<textarea" in page.text
    assert client.get("/stories/no-such-story/draft").status_code == 404


def test_a_draft_is_checked_on_a_page_that_keeps_its_words(client: TestClient, story: str) -> None:
    tell(client, story)
    text = "Tomas came up the stair & <laughed>."
    page = client.post(f"/stories/{story}/draft/check", data={"text": text, "number": "1"})
    assert page.status_code == 200
    assert "Tomas is dead since chapter 1, and acts here." in page.text
    assert "Tomas lay dead" in page.text
    assert "&lt;laughed&gt;" in page.text
    assert "<laughed>" not in page.text


def test_what_an_edit_would_do_is_shown_and_not_done(client: TestClient, story: str) -> None:
    tell(client, story)
    page = client.post(f"/stories/{story}/draft/impact", data={"text": "Nothing happened.", "number": "1"})
    assert page.status_code == 200
    assert "owner(brass key)" in page.text
    state = client.get(f"/v1/stories/{story}/state").json()["state"]
    assert "owner(brass key)" in [each["key"] for each in state]


def test_an_empty_form_and_a_chapter_that_is_none_are_refused_in_words(client: TestClient, story: str) -> None:
    tell(client, story)
    assert "There is no text" in client.post(f"/stories/{story}/draft/check", data={"text": " ", "number": "1"}).text
    for number in ("", "x", "0"):
        page = client.post(f"/stories/{story}/draft/impact", data={"text": "A text.", "number": number})
        assert page.status_code == 422
