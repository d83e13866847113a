"""Every audit view as of a chapter is the same, byte for byte, whatever comes later."""

from __future__ import annotations

import secrets
from typing import Any, Final

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.serving_fixtures import publish

PEOPLE: Final = ("Mara", "Tomas", "Odran", "the Clerk")
PLACES: Final = ("mill", "quay")
FACTS: Final = ("Mara burnt the will", "the ferry is late")
VIEWS: Final = (
    "knowledge", "knowledge?irony=true", "promises", "trajectories/Mara", "interactions", "timeline?order=story", "chains",
    "recap?length=300", "recap?for=writer&since=1",
)  # fmt: skip
TEXT: Final = "Mara, Tomas, Odran and the Clerk were at the mill and on the quay, and one thing led to another."

DRAFT: Final = "Mara burnt the will. Tomas took the key, and Odran stood at the mill. The oath was kept."
DRAFTED: Final = [
    {"id": "d1", "kind": "event", "summary": "Mara burns the will", "participants": ["Mara"], "evidence": [{"quote": "Mara burnt"}]},
    {"id": "d2", "kind": "object_delta", "object": "key", "owner": "Tomas", "evidence": [{"quote": "Tomas took the key"}]},
    {"id": "d3", "kind": "presence", "entity": "Odran", "location": "mill", "evidence": [{"quote": "Odran stood at the mill"}]},
    {"id": "d4", "kind": "thread", "thread": "the oath", "status": "paid_off", "evidence": [{"quote": "The oath was kept"}]},
    {"id": "d5", "kind": "knowledge", "knower": "Odran", "fact": FACTS[0], "stance": "knows", "evidence": [{"quote": "will"}]},
]  # fmt: skip

people, places, facts = st.sampled_from(PEOPLE), st.sampled_from(PLACES), st.sampled_from(FACTS)
modality = st.sampled_from(("actual", "actual", "actual", "past", "dream"))


def _kind(kind: str, **fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({"kind": st.just(kind), "modality": modality, **fields})


RECORDS: Final = st.one_of(
    _kind("presence", entity=people, location=places),
    _kind("situation", summary=st.sampled_from(("They wait.", "They quarrel.")), participants=st.lists(people), location=places),
    _kind("event", summary=facts, participants=st.lists(people, max_size=2)),
    _kind("interaction", source=people, target=people, type=st.sampled_from(("greets", "hits")), polarity=st.sampled_from((0.5, -1))),
    _kind("character_delta", character=people, attribute=st.sampled_from(("status", "goal")), value=st.sampled_from(("dead", "glad"))),
    _kind("relationship_delta", source=people, target=people, relation=st.sampled_from(("friends", "rivals"))),
    _kind("object_delta", object=st.just("key"), owner=people),
    _kind("knowledge", knower=people, fact=facts, stance=st.sampled_from(("knows", "unaware", "suspects", "mistaken"))),
    _kind("revelation", fact=facts, revealed_to=st.sampled_from(("reader", "Tomas"))),
    _kind("identity", a=st.just("the Clerk"), b=st.sampled_from(("Odran", "Tomas"))),
    _kind(
        "thread", thread=st.sampled_from(("the oath", "the letter")), status=st.sampled_from(("opened", "advanced", "paid_off")),
        description=st.sampled_from(("It is to be kept by chapter 2", "Who wrote it")),
    ),
)  # fmt: skip
ORDERS: Final = st.one_of(st.none(), st.integers(0, 9))
CHAPTERS: Final = st.lists(st.lists(st.tuples(RECORDS, ORDERS), max_size=5), min_size=1, max_size=3)


def tell(client: TestClient, story: str, chapter: int, records: list[tuple[dict[str, Any], int | None]]) -> None:
    made = [
        {
            "id": f"r{number}", "evidence": [{"quote": TEXT.split()[number]}], **record,
            **({} if order is None else {"story_time": {"order": order}, "scene": 1 + number // 3}),
        }
        for number, (record, order) in enumerate(records)
    ]  # fmt: skip
    mara = {"id": "e", "kind": "entity", "type": "character", "name": "Mara", "evidence": [{"quote": "Mara"}]}
    publish(client, story, chapter, f"{TEXT} {chapter}", records=[mara, *made])


def views(client: TestClient, story: str, last: int) -> list[bytes]:
    found = []
    for at in range(1, last + 1):
        for view in VIEWS:
            reply = client.get(f"/v1/stories/{story}/{view}{'&' if '?' in view else '?'}at={at}")
            assert reply.status_code == 200, reply.text
            found.append(reply.content)
        for asked, body in (
            ("check", {"text": DRAFT, "after": at, "records": DRAFTED}),
            ("constraints", {"at": at, "scaffold": "Mara takes the key"}),
        ):
            reply = client.post(f"/v1/stories/{story}/{asked}", json=body)
            assert reply.status_code == 200, reply.text
            found.append(reply.content)
    return found


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CHAPTERS, st.lists(st.lists(st.tuples(RECORDS, ORDERS), min_size=1, max_size=6), min_size=1, max_size=2))
def test_what_is_audited_as_of_a_chapter_is_the_same_whatever_comes_later(
    client: TestClient,
    chapters: list[list[tuple[dict[str, Any], int | None]]],
    later: list[list[tuple[dict[str, Any], int | None]]],
) -> None:
    story = f"blind-{secrets.token_hex(6)}"
    for chapter, records in enumerate(chapters, start=1):
        tell(client, story, chapter, records)
    last = len(chapters)
    before = views(client, story, last)
    for chapter, records in enumerate(later, start=last + 1):
        tell(client, story, chapter, records)
    tell(client, story, last + 1, [])
    assert views(client, story, last) == before
