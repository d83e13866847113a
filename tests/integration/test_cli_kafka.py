"""With a broker configured the same commands go through it: publish, worker and projection runner are processes apart."""

from __future__ import annotations

import json
import secrets

import pytest

from tests.serving_fixtures import entity, fabula, owns, started

TEXT = b"Mara Voss held the brass key."
RECORDS = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", "held the brass key")]


@pytest.fixture
def over_kafka(environment: dict[str, str], kafka_broker: str) -> dict[str, str]:
    return {**environment, "FABULA_KAFKA": kafka_broker, "FABULA_LOG_LEVEL": "info", "FABULA_WAIT_SECONDS": "90"}


@pytest.mark.timeout(240)
def test_a_chapter_goes_through_the_broker_and_can_be_read(
    over_kafka: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    story = f"over-kafka-{secrets.token_hex(4)}"
    records = tmp_path_factory.mktemp("records") / "records.json"
    records.write_text(json.dumps(RECORDS))
    with (
        started("worker", environment=over_kafka),
        started("project", environment=over_kafka) as (projector, line),
    ):
        line(lambda said: "Read models follow the log" in said)
        publish = ("publish", story, "1", "-", "--records", str(records), "--wait", "--json")
        published = fabula(*publish, environment=over_kafka, stdin=TEXT)
        assert published.returncode == 0, published.stderr.decode()
        state = fabula("state", story, "--json", environment=over_kafka)
        assert [each["value"] for each in json.loads(state.stdout)["state"]] == ["Mara Voss"]
        projector.terminate()
        assert projector.wait(30) == 0


@pytest.mark.timeout(120)
def test_a_worker_logs_as_it_is_told(over_kafka: dict[str, str]) -> None:
    told = {**over_kafka, "FABULA_LOG": "json", "FABULA_LOG_LEVEL": "debug"}
    story = f"told-{secrets.token_hex(4)}"
    with started("worker", environment=told) as (_, line):
        sent = fabula("publish", story, "1", "-", "--no-wait", environment=over_kafka, stdin=TEXT)
        assert sent.returncode == 0, sent.stderr.decode()
        said = json.loads(line(lambda said: "taken in" in said and story in said))
    assert (said["level"], said["story"], said["chapter"]) == ("debug", story, 1)


@pytest.mark.timeout(120)
def test_without_a_worker_a_publication_is_kept_and_the_user_hears_of_it(over_kafka: dict[str, str]) -> None:
    environment = {**over_kafka, "FABULA_WAIT_SECONDS": "2"}
    waited = fabula("publish", "kept", "1", "-", "--wait", environment=environment, stdin=TEXT)
    assert waited.returncode == 1
    assert b"fabula worker" in waited.stderr
    accepted = fabula("publish", "kept", "2", "-", "--no-wait", "--json", environment=environment, stdin=TEXT)
    assert accepted.returncode == 0, accepted.stderr.decode()
    assert json.loads(accepted.stdout)["position"] is None


@pytest.mark.timeout(120)
def test_a_broker_that_does_not_answer_is_one_message(environment: dict[str, str]) -> None:
    result = fabula("publish", "s", "1", "-", environment={**environment, "FABULA_KAFKA": "127.0.0.1:1"}, stdin=TEXT)
    assert result.returncode == 1
    assert b"broker" in result.stderr
    assert b"Traceback" not in result.stderr
