"""A wrong merge undone, with chapters published in between."""

from __future__ import annotations

from typing import Any

from starlette.testclient import TestClient

from tests.serving_fixtures import entity, owns, publish


def asked(client: TestClient, story: str, what: str, **query: Any) -> Any:
    reply = client.get(f"/v1/stories/{story}/{what}", params=query)
    assert reply.status_code == 200, reply.text
    return reply.json()


def owners(client: TestClient, story: str) -> dict[str, str]:
    return {each["key"]: each["value"] for each in asked(client, story, "state", key="owner(")["state"]}


def test_s07_a_wrong_merge_is_undone_and_each_side_has_its_own_again(client: TestClient, story: str) -> None:
    publish(client, story, 1, "Mara had the lamp. Ida had the key.", records=[
        entity("e1", "Mara"), entity("e2", "Ida"), owns("o1", "lamp", "Mara", "Mara had the lamp"),
        owns("o2", "key", "Ida", "Ida had the key"),
    ])  # fmt: skip
    before = owners(client, story)
    reply = client.post(f"/v1/stories/{story}/merge", json={"a": "Ida", "b": "Mara"})
    assert reply.status_code == 200, reply.text
    assert set(owners(client, story).values()) == {"Ida"}, "one under a's name"
    later = {2: ("Mara", "bell"), 3: ("Ida", "ring"), 4: ("Mara", "book")}
    for chapter, (who, thing) in later.items():
        text = f"{who} had the {thing}."
        publish(client, story, chapter, text, records=[owns("o1", thing, who, text.rstrip("."))])
    assert set(owners(client, story).values()) == {"Ida"}
    reply = client.post(f"/v1/stories/{story}/split", json={"alias": "Mara", "from": "Ida"})
    assert reply.status_code == 200, reply.text
    after = owners(client, story)
    assert {key: after[key] for key in before} == before == {"owner(lamp)": "Mara", "owner(key)": "Ida"}
    assert {key: after[key] for key in after if key not in before} == {
        f"owner({thing})": who for who, thing in later.values()
    }
    decided = [
        event["type"] for event in asked(client, story, "audit")["events"] if event["type"].startswith("Entities")
    ]
    assert decided == ["EntitiesMerged", "EntitiesSplit"]
