"""What is deployed is what the product is: its commands, its variables, its metrics, its versions."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from services.cli.main import COMMANDS
from services.local.postgres import EXTENSIONS

ROOT = Path(__file__).resolve().parents[2]
DEPLOY = ROOT / "deploy"
LONG_RUNNING = {"serve", "worker", "project"}
SECRET = {"FABULA_POSTGRES", "ANTHROPIC_API_KEY"}
POM = "{http://maven.apache.org/POM/4.0.0}"


def _documents(path: Path) -> list[dict[str, Any]]:
    return [document for document in yaml.safe_load_all(path.read_text()) if document]


COMPOSE = _documents(DEPLOY / "compose.yaml")[0]["services"]
MANIFESTS = [document for path in sorted((DEPLOY / "kubernetes").glob("*.yaml")) for document in _documents(path)]
CONTAINERS = {
    manifest["metadata"]["name"]: manifest["spec"]["template"]["spec"]["containers"][0]
    for manifest in MANIFESTS
    if manifest["kind"] == "Deployment"
}
OURS = {name: service for name, service in COMPOSE.items() if service["image"].startswith("fabula:")}
SCRIPTS = [DEPLOY / "demo", DEPLOY / "test", DEPLOY / "stack" / "lock", ROOT / ".ci" / "run"]


def _product_source() -> str:
    return "\n".join(
        path.read_text() for package in ("events", "projections", "services") for path in (ROOT / package).rglob("*.py")
    )


def _version(component: str, artifact: str) -> str:
    pom = ElementTree.parse(DEPLOY / "stack" / component / "pom.xml")  # noqa: S314 (our own file)
    found = {d.findtext(f"{POM}artifactId"): d.findtext(f"{POM}version") for d in pom.iter(f"{POM}dependency")}
    return str(found[artifact])


def _images() -> list[str]:
    from_lines = re.findall(r"^FROM (\S+)", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    return [
        *(service["image"] for service in COMPOSE.values()),
        *(container["image"] for container in CONTAINERS.values()),
        *from_lines,
    ]


def test_compose_and_kubernetes_run_the_same_three_commands() -> None:
    compose = {name: service["command"] for name, service in OURS.items()}
    kubernetes = {name: container["args"] for name, container in CONTAINERS.items()}
    assert compose == kubernetes
    assert {command[0] for command in compose.values()} == LONG_RUNNING


def test_every_command_that_is_run_or_probed_is_one_of_fabula() -> None:
    text = "\n".join(path.read_text() for path in (DEPLOY / "compose.yaml", *(DEPLOY / "kubernetes").glob("*.yaml")))
    probed = set(re.findall(r"\[(?:CMD, )?fabula, ([a-z-]+)", text))
    assert probed
    assert probed | LONG_RUNNING <= set(COMMANDS)


@pytest.mark.parametrize("image", sorted(set(_images())))
def test_every_image_is_pinned_to_a_release(image: str) -> None:
    assert re.fullmatch(r"[^:]+:v?\d+\.\d+(\.\d+)?(-[a-z0-9-]+)?", image)


def test_every_variable_that_is_set_is_one_that_the_product_reads() -> None:
    read = set(re.findall(r"FABULA_[A-Z_]+|ANTHROPIC_API_KEY", _product_source()))
    configured = {variable for service in OURS.values() for variable in service["environment"]}
    configured |= {variable["name"] for container in CONTAINERS.values() for variable in container["env"]}
    configured |= {key for manifest in MANIFESTS if manifest["kind"] == "ConfigMap" for key in manifest["data"]}
    configured |= set(re.findall(r"(FABULA_[A-Z_]+)=", (DEPLOY / "Dockerfile").read_text()))
    assert configured
    assert configured <= read


@pytest.mark.parametrize(
    "variable",
    ["FABULA_EXTRACTOR", "FABULA_READER", "FABULA_PLANNER", "FABULA_CLAUDE_MODEL", "FABULA_CLAUDE_BUDGET"],
)
def test_who_reads_and_what_it_may_cost_can_be_said_of_every_process(variable: str) -> None:
    for service in OURS.values():
        assert service["environment"][variable] == f"${{{variable}:-}}"
    maps = {m["metadata"]["name"]: m["data"] for m in MANIFESTS if m["kind"] == "ConfigMap"}
    for container in CONTAINERS.values():
        named = [source["configMapRef"]["name"] for source in container["envFrom"]]
        assert any(variable in maps[name] for name in named)


def test_no_manifest_holds_a_secret() -> None:
    assert not [manifest for manifest in MANIFESTS if manifest["kind"] == "Secret"]
    for container in CONTAINERS.values():
        by_reference = {v["name"] for v in container["env"] if "secretKeyRef" in v.get("valueFrom", {})}
        assert by_reference == SECRET


def test_nothing_starts_before_what_it_needs_is_healthy() -> None:
    for service in COMPOSE.values():
        for needed, how in service.get("depends_on", {}).items():
            assert how["condition"] == "service_healthy"
            assert "healthcheck" in COMPOSE[needed]
    assert all(set(service["depends_on"]) == {"postgres", "kafka", "elasticsearch"} for service in OURS.values())


def test_the_gateway_is_probed_where_the_product_answers() -> None:
    from services.console.health import routes

    answered = {getattr(route, "path", "") for route in routes.routes}
    gateway = CONTAINERS["gateway"]
    assert gateway["livenessProbe"]["httpGet"]["path"] == "/healthz"
    assert gateway["readinessProbe"]["httpGet"]["path"] == "/readyz"
    assert {"/healthz", "/readyz", "/metrics"} <= answered


def test_containers_run_as_nobody_in_particular_on_a_filesystem_they_cannot_write() -> None:
    assert re.search(r"^USER 10001", (DEPLOY / "Dockerfile").read_text(), re.MULTILINE)
    assert all(service["read_only"] for service in OURS.values())
    assert all(container["securityContext"]["readOnlyRootFilesystem"] for container in CONTAINERS.values())


def test_a_worker_has_longer_to_end_than_it_takes_at_most() -> None:
    from services.extraction.worker import WorkerOptions

    allowed = next(
        manifest["spec"]["template"]["spec"]["terminationGracePeriodSeconds"]
        for manifest in MANIFESTS
        if manifest["kind"] == "Deployment" and manifest["metadata"]["name"] == "worker"
    )
    assert allowed > WorkerOptions().shutdown
    assert float(COMPOSE["worker"]["stop_grace_period"].rstrip("s")) > WorkerOptions().shutdown


def test_the_containers_and_the_local_stack_run_the_same_versions() -> None:
    assert COMPOSE["kafka"]["image"] == f"apache/kafka:{_version('kafka', 'kafka_2.13')}"
    assert COMPOSE["elasticsearch"]["image"] == f"elasticsearch:{_version('elasticsearch', 'elasticsearch')}"


def test_the_image_has_the_version_of_the_product() -> None:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]
    assert {image for image in _images() if image.startswith("fabula:")} == {f"fabula:{version}"}


def test_the_image_is_built_with_the_uv_that_a_checkout_is() -> None:
    pinned = re.search(r"UV_VERSION=(\S+)", (DEPLOY / "bootstrap").read_text())
    assert pinned
    assert f"uv=={pinned.group(1)}" in (DEPLOY / "Dockerfile").read_text()


def test_a_database_of_ones_own_gets_the_extensions_of_the_embedded_one() -> None:
    created = re.findall(r"CREATE EXTENSION IF NOT EXISTS (\w+);", (DEPLOY / "postgres" / "extensions.sql").read_text())
    assert tuple(created) == EXTENSIONS


def test_every_metric_that_is_drawn_or_alerted_on_is_one_that_the_product_has() -> None:
    dashboard = json.loads((DEPLOY / "observability" / "grafana" / "fabula.json").read_text())
    drawn = " ".join(target["expr"] for panel in dashboard["panels"] for target in panel["targets"])
    alerts = _documents(DEPLOY / "observability" / "alerts.yaml")[0]["groups"][0]["rules"]
    alerted = " ".join(rule["expr"] for rule in alerts)
    names = {
        re.sub(r"_(bucket|count|sum)$", "", name) for name in re.findall(r"\bfabula_[a-z_]+", drawn + " " + alerted)
    }
    assert names == {
        "fabula_events_appended_total",
        "fabula_projection_lag",
        "fabula_projection_stalled",
        "fabula_publications_total",
        "fabula_dead_letters",
        "fabula_http_request_seconds",
    }
    source = _product_source()
    assert not {name for name in names if f'"{name}"' not in source}


def test_prometheus_asks_the_containers_where_they_answer() -> None:
    scraped = {
        target
        for job in _documents(DEPLOY / "observability" / "prometheus.yaml")[0]["scrape_configs"]
        for static in job["static_configs"]
        for target in static["targets"]
    }
    port = COMPOSE["worker"]["environment"]["FABULA_WORKER_METRICS_PORT"]
    assert scraped == {"gateway:8077", f"worker:{port}"}


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_every_script_can_be_run_and_is_correct_bash(script: Path) -> None:
    assert script.stat().st_mode & 0o111
    checked = subprocess.run(["bash", "-n", script], capture_output=True, text=True, check=False)
    assert checked.stderr == ""


def test_kustomize_can_build_the_manifests() -> None:
    listed = set(_documents(DEPLOY / "kubernetes" / "kustomization.yaml")[0]["resources"])
    assert listed == {path.name for path in (DEPLOY / "kubernetes").glob("*.yaml")} - {"kustomization.yaml"}
    if kubectl := shutil.which("kubectl"):
        built = subprocess.run(
            [kubectl, "kustomize", DEPLOY / "kubernetes"], capture_output=True, text=True, check=False
        )
        assert built.returncode == 0, built.stderr
