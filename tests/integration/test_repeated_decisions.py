"""A decision that is made again where it stands is answered with the first one's event, and nothing is appended."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from events.errors import Conflict
from services.composition import Application
from services.publishing.gateway import Publisher
from tests.serving_fixtures import entity, owns, served

TEXT = "Mara met Voss and Ilse at Mara Hill, and swore to bring the letter."
THREAD = {
    "id": "t1",
    "kind": "thread",
    "thread": "the letter",
    "status": "opened",
    "evidence": [{"quote": "swore to bring the letter"}],
}
PEOPLE = [entity("e1", "Mara"), entity("e2", "Voss"), entity("e3", "Ilse"), THREAD]
FINDING = "3-owner-0123456789-0123456789"

Decide = Callable[[Publisher, str], dict[str, Any]]


def merge(publisher: Publisher, story: str, a: str = "Mara", b: str = "Voss") -> dict[str, Any]:
    return publisher.merge(story, a, b)


def split(publisher: Publisher, story: str) -> dict[str, Any]:
    return publisher.split(story, "Voss", "Mara")


def due(publisher: Publisher, story: str, chapter: int | None = 7) -> dict[str, Any]:
    return publisher.due(story, "the letter", chapter)


def exempt(publisher: Publisher, story: str, reason: str = "a dream") -> dict[str, Any]:
    return publisher.exempt(story, FINDING, reason)


@pytest.fixture
def publisher(application: Application, story: str) -> Publisher:
    application.publisher.publish(story, 1, TEXT, records=PEOPLE)
    return application.publisher


def events(application: Application, story: str) -> int:
    return sum(1 for _ in application.ledger.story_events(story))


@pytest.mark.parametrize("decide", [merge, due, exempt])
def test_a_decision_made_again_changes_nothing(
    application: Application, publisher: Publisher, story: str, decide: Decide
) -> None:
    first = decide(publisher, story)
    told = events(application, story)
    assert not first["unchanged"]
    assert decide(publisher, story) == {**first, "unchanged": True}
    assert events(application, story) == told


def test_a_split_made_again_changes_nothing(application: Application, publisher: Publisher, story: str) -> None:
    merge(publisher, story)
    publisher.publish(story, 2, "She slept.", records=[owns("o1", "lamp", "Mara", "She slept")])
    first = split(publisher, story)
    told = events(application, story)
    assert split(publisher, story) == {**first, "unchanged": True}
    assert events(application, story) == told


def test_a_decision_that_was_undone_meanwhile_is_made_anew(publisher: Publisher, story: str) -> None:
    unchanged = [decide(publisher, story)["unchanged"] for decide in (merge, split, merge, merge, split, split)]
    assert unchanged == [False, False, False, True, False, True]


def test_other_decisions_in_between_do_not_make_it_new(publisher: Publisher, story: str) -> None:
    merge(publisher, story)
    merge(publisher, story, "Mara", "Ilse")
    assert merge(publisher, story)["unchanged"]
    publisher.split(story, "Ilse", "Mara")
    assert merge(publisher, story)["unchanged"]


def test_the_other_way_round_is_another_decision(publisher: Publisher, story: str) -> None:
    merge(publisher, story)
    with pytest.raises(Conflict, match="one already"):
        merge(publisher, story, "Voss", "Mara")


def test_the_last_word_on_a_thread_and_on_a_finding_stands(publisher: Publisher, story: str) -> None:
    planned = [due(publisher, story, chapter)["unchanged"] for chapter in (7, 9, 9, 7, None, None)]
    assert planned == [False, False, True, False, False, True]
    reasons = [exempt(publisher, story, reason)["unchanged"] for reason in ("a dream", "a lie", "a lie", "a dream")]
    assert reasons == [False, False, True, False]


@pytest.fixture(scope="module")
def api(shared_environment: dict[str, str]) -> Iterator[httpx.Client]:
    with served(shared_environment) as address, httpx.Client(base_url=address, timeout=60) as client:
        yield client


@pytest.mark.parametrize(
    ("method", "where", "body"),
    [
        ("POST", "merge", {"a": "Mara", "b": "Voss"}),
        ("POST", "split", {"alias": "Voss", "from": "Mara"}),
        ("PUT", "threads/the letter/due", {"chapter": 4}),
        ("PUT", "checkpoints/the meeting", {"at": 1}),
        ("PUT", "branches/draft", {"at": 1}),
    ],
)
def test_one_decision_made_eight_times_at_once_is_one_event(
    application: Application, api: httpx.Client, story: str, method: str, where: str, body: dict[str, Any]
) -> None:
    records = [*PEOPLE, {**entity("e4", "Mara"), "aliases": ["Voss"]}] if where == "split" else PEOPLE
    api.put(f"/v1/stories/{story}/chapters/1", json={"text": TEXT, "records": records}).raise_for_status()
    told = events(application, story)
    with ThreadPoolExecutor(8) as pool:
        replies = [*pool.map(lambda _: api.request(method, f"/v1/stories/{story}/{where}", json=body), range(8))]
    assert [reply.status_code // 100 for reply in replies] == [2] * 8, replies[-1].text
    documents = [reply.json() for reply in replies]
    assert sorted(document["unchanged"] for document in documents) == [False] + [True] * 7
    assert len({document["position"] for document in documents}) == 1
    again = api.request(method, f"/v1/stories/{story}/{where}", json=body).json()
    assert (again["unchanged"], again["position"]) == (True, documents[0]["position"])
    if not where.startswith("branches"):
        correlations = [each.event.correlation for each in application.ledger.story_events(story)][told:]
        assert len(set(correlations)) == 1
