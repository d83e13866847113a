"""What an operator's machinery asks of the server."""

from __future__ import annotations

import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest
from starlette.testclient import TestClient

from services.composition import Application
from services.console.api import create_app
from services.local.postgres import LocalPostgres
from services.settings import Settings
from tests.serving_fixtures import publish, served


def test_a_server_that_can_read_and_write_is_ready(client: TestClient, story: str) -> None:
    publish(client, story, 1, "Mara waited.", records=[])
    reply = client.get("/readyz")
    assert reply.status_code == 200, reply.text
    assert set(reply.json()["projections"]) == {"story_state", "entities", "timeline", "passages_hash"}


def test_a_stalled_read_model_makes_the_server_unready(environment: dict[str, str]) -> None:
    with Application(Settings.from_env(environment)) as application, TestClient(create_app(application)) as client:
        publish(client, "s", 1, "Mara waited.", records=[])
        with psycopg.connect(application.dsn) as conn:
            conn.execute(
                "UPDATE projections.read_models SET stalled_at = now(), error = 'a defect', position = 1 "
                "WHERE name = 'timeline'"
            )
        reply = client.get("/readyz")
        assert reply.status_code == 503
        assert "timeline" in reply.json()["reasons"][0]
        assert "a defect" in reply.json()["detail"]
        assert 'fabula_projection_stalled{projection="timeline"} 1.0' in client.get("/metrics").text


def test_a_read_model_far_behind_makes_the_server_unready(environment: dict[str, str]) -> None:
    with Application(Settings.from_env(environment)) as application, TestClient(create_app(application)) as client:
        publish(client, "s", 1, "Mara waited.", records=[])
        with psycopg.connect(application.dsn) as conn:
            conn.execute("UPDATE projections.read_models SET position = -20000 WHERE name = 'entities'")
        assert client.get("/readyz").status_code == 503


def test_a_search_index_that_is_away_leaves_the_server_ready_and_is_told(environment: dict[str, str]) -> None:
    settings = Settings.from_env({**environment, "FABULA_ELASTICSEARCH": "http://127.0.0.1:1"})
    with Application(settings) as application, TestClient(create_app(application)) as client:
        application.runner.prepare()
        with psycopg.connect(application.dsn) as conn:
            conn.execute("UPDATE projections.read_models SET stalled_at = now(), error = 'away' WHERE name = 'search'")
        reply = client.get("/readyz")
        assert reply.status_code == 200, reply.text
        assert "search" in reply.json()["degraded"][0]


def test_read_models_that_nobody_has_built_make_the_server_unready(environment: dict[str, str]) -> None:
    with Application(Settings.from_env(environment)) as application, TestClient(create_app(application)) as client:
        reply = client.get("/readyz")
    assert reply.status_code == 503
    assert "fabula project" in reply.json()["detail"]


def test_metrics_are_there_while_the_database_is_away(environment: dict[str, str]) -> None:
    settings = Settings.from_env({**environment, "FABULA_POSTGRES": "postgresql://nobody@127.0.0.1:1/none"})
    with Application(settings) as application, TestClient(create_app(application)) as client:
        client.get("/healthz")
        reply = client.get("/metrics")
    assert reply.status_code == 200
    assert "fabula_http_request_seconds_count" in reply.text


def test_a_database_that_goes_away_makes_the_server_unready_within_seconds(
    environment: dict[str, str], services_directory: Path
) -> None:
    server = LocalPostgres(services_directory / "away", settings={"fsync": "off"})
    settings = Settings.from_env({**environment, "FABULA_POSTGRES": server.start()})
    try:
        with Application(settings) as application, TestClient(create_app(application)) as client:
            application.runner.prepare()
            assert client.get("/readyz").status_code == 200
            server.stop()
            start = time.monotonic()
            assert [client.get("/readyz").status_code for _ in range(2)] == [503, 503]
            assert time.monotonic() - start < 15
            start = time.monotonic()
            with pytest.raises(Exception, match="connection"):
                application.ledger.last_position()
            assert time.monotonic() - start < 60
    finally:
        server.wipe()


def test_readiness_is_told_while_every_reader_waits(application: Application, monkeypatch: pytest.MonkeyPatch) -> None:
    let_go, busy = threading.Event(), threading.Semaphore(0)

    def state(*_: object, **__: object) -> dict[str, object]:
        busy.release()
        let_go.wait(30)
        return {}

    monkeypatch.setattr(application.reader, "state", state)
    with (
        TestClient(create_app(application), raise_server_exceptions=False) as client,
        ThreadPoolExecutor(45) as clients,
    ):
        waiting = [clients.submit(client.get, "/v1/stories/s/state") for _ in range(45)]
        try:
            assert all(busy.acquire(timeout=20) for _ in range(40))  # every thread that reads has its reader
            assert client.get("/readyz").status_code == 200
            assert not any(each.done() for each in waiting)
        finally:
            let_go.set()


def test_what_was_taken_in_is_a_metric(client: TestClient, story: str) -> None:
    publish(client, story, 1, "Mara waited.", records=[])
    assert 'fabula_publications_total{outcome="appended"}' in client.get("/metrics").text


def test_requests_are_timed_by_their_route_and_never_by_their_path(client: TestClient, story: str) -> None:
    publish(client, story, 1, "Mara waited.", records=[])
    client.get(f"/v1/stories/{story}/state")
    client.get(f"/no/such/route/{story}")
    metrics = client.get("/metrics").text
    assert 'fabula_http_request_seconds_count{method="GET",route="/v1/stories/{story}/state",status="200"}' in metrics
    assert 'route="(none)",status="404"' in metrics
    assert story not in metrics


def test_the_lag_of_each_read_model_is_a_metric(client: TestClient) -> None:
    metrics = client.get("/metrics").text
    for name in ("story_state", "entities", "timeline", "passages_hash"):
        assert f'fabula_projection_lag{{projection="{name}"}}' in metrics


@pytest.mark.parametrize("method", ["GET", "HEAD"])
def test_a_process_that_is_up_says_so(client: TestClient, method: str) -> None:
    assert client.request(method, "/healthz").status_code == 200


def test_every_route_is_described(client: TestClient) -> None:
    paths = client.get("/openapi.json").json()["paths"]
    described = {
        (method.upper(), path) for path, operations in paths.items() for method in operations if method != "head"
    }
    assert {
        ("PUT", "/v1/stories/{story}/chapters/{n}"),
        ("DELETE", "/v1/stories/{story}/chapters/{n}"),
        ("GET", "/v1/stories/{story}/state"),
        ("GET", "/v1/stories/{story}/history"),
        ("GET", "/v1/stories/{story}/entities/{name}"),
        ("GET", "/v1/stories/{story}/threads"),
        ("GET", "/v1/stories/{story}/timeline"),
        ("GET", "/v1/stories/{story}/diff"),
        ("GET", "/v1/stories/{story}/audit"),
        ("POST", "/v1/stories/{story}/packet"),
        ("POST", "/v1/stories/{story}/merge"),
        ("POST", "/v1/stories/{story}/split"),
        ("PUT", "/v1/stories/{story}/checkpoints/{name}"),
        ("GET", "/v1/stories"),
        ("GET", "/healthz"),
        ("GET", "/readyz"),
        ("GET", "/metrics"),
    } <= described


def test_the_page_of_routes_needs_nothing_from_elsewhere(client: TestClient) -> None:
    page = client.get("/docs").text
    assert "PUT /v1/stories/{story}/chapters/{n}" in page
    assert "<script" not in page
    assert "http://" not in page
    assert "https://" not in page


def test_a_server_ends_in_order_when_it_is_told_to(environment: dict[str, str], tmp_path: Path) -> None:
    with served(environment):
        pass  # `served` sends SIGTERM and expects exit status 0
