"""Suggestions for an editor over HTTP and by command: as of a chapter, without what was decided, blind to the future."""

from __future__ import annotations

import json
import secrets
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from services.cli.main import cli
from tests.serving_fixtures import entity, publish


def tell(client: TestClient, story: str, chapter: int, *names: str) -> None:
    text = " ".join(f"{name} came in." for name in names)
    records = [entity(f"e{i}", name) | {"evidence": [{"quote": name}]} for i, name in enumerate(names)]
    publish(client, story, chapter, text, records=records)


def suggestions(client: TestClient, story: str, at: int | None = None) -> list[dict[str, Any]]:
    query = {} if at is None else {"at": at}
    found: list[dict[str, Any]] = client.get(f"/v1/stories/{story}/suggestions", params=query).json()["suggestions"]
    return found


def pairs(client: TestClient, story: str, at: int | None = None) -> list[tuple[str, str]]:
    return [(each["a"]["name"], each["b"]["name"]) for each in suggestions(client, story, at)]


def test_a_suggestion_has_reasons_evidence_and_the_command_that_decides(client: TestClient, story: str) -> None:
    tell(client, story, 1, "Mara Voss")
    tell(client, story, 2, "Miss Voss", "Odran")
    (found,) = suggestions(client, story)
    assert (found["a"]["name"], found["b"]["name"]) == ("Mara Voss", "Miss Voss")
    assert [reason["kind"] for reason in found["reasons"]] == ["surname"]
    assert found["b"]["since"] == 2
    assert found["b"]["evidence"][0]["quote"] == "Miss Voss"
    assert found["merge"] == f"fabula merge {story} 'person/mara voss' 'person/miss voss'"


def test_nobody_is_suggested_before_the_chapter_that_names_both(client: TestClient, story: str) -> None:
    tell(client, story, 1, "Mara Voss")
    tell(client, story, 2, "Miss Voss")
    assert pairs(client, story, 1) == []
    assert pairs(client, story, 2) == [("Mara Voss", "Miss Voss")]


def test_what_was_merged_is_not_suggested_and_what_was_split_is_not_again(client: TestClient, story: str) -> None:
    tell(client, story, 1, "Mara Voss", "Odran")
    tell(client, story, 2, "Mara")
    assert pairs(client, story) == [("Mara Voss", "Mara")]
    client.post(f"/v1/stories/{story}/merge", json={"a": "Mara Voss", "b": "person/mara"})
    assert pairs(client, story) == []
    assert client.post(f"/v1/stories/{story}/split", json={"alias": "Mara", "from": "Mara Voss"}).status_code == 200
    assert pairs(client, story) == []


def test_people_of_one_given_name_are_candidates_and_never_one(client: TestClient, story: str) -> None:
    tell(client, story, 1, "Anna Petrova")
    tell(client, story, 2, "Anna Berg")
    tell(client, story, 3, "Anna")
    assert sorted(pairs(client, story)) == [("Anna Berg", "Anna"), ("Anna Petrova", "Anna")]


def test_the_command_prints_what_the_route_answers(
    client: TestClient, story: str, shared_environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tell(client, story, 1, "Mara Voss", "Miss Voss")
    for name, value in shared_environment.items():
        monkeypatch.setenv(name, value)
    printed = CliRunner().invoke(cli, ["suggestions", story, "--at", "1", "--json"]).stdout
    assert json.loads(printed) == client.get(f"/v1/stories/{story}/suggestions", params={"at": 1}).json()
    assert "both have the surname 'voss'" in CliRunner().invoke(cli, ["suggestions", story], terminal_width=200).stdout


CASTS = st.lists(
    st.lists(st.sampled_from(("Mara Voss", "Mara", "Miss Voss", "Tom Voss", "Anna", "Odran")), unique=True, min_size=1),
    min_size=2,
    max_size=4,
)


@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CASTS, st.lists(st.sampled_from(("Mara", "Miss Voss", "Anna Berg", "Lady Mara")), unique=True, min_size=1))
def test_suggestions_as_of_a_chapter_are_the_same_whatever_comes_later(
    client: TestClient, casts: list[list[str]], later: list[str]
) -> None:
    story = f"blind-{secrets.token_hex(6)}"
    for chapter, cast in enumerate(casts, start=1):
        tell(client, story, chapter, *cast)
    last = len(casts)
    before = [client.get(f"/v1/stories/{story}/suggestions", params={"at": n}).content for n in range(1, last + 1)]
    tell(client, story, last + 1, *later)
    after = [client.get(f"/v1/stories/{story}/suggestions", params={"at": n}).content for n in range(1, last + 1)]
    assert after == before
