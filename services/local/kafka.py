"""A real Kafka broker (KRaft, one node) on this machine, for development and tests."""

from __future__ import annotations

import base64
import logging
import shutil
import socket
import string
import subprocess
import uuid
from collections.abc import Sequence
from pathlib import Path

from kafka.admin import KafkaAdminClient
from kafka.errors import KafkaError

from services.local.errors import ServiceDidNotStart
from services.local.jars import STACK, cache_directory, jars
from services.local.java import find_java
from services.local.jvm import JvmService
from services.local.supervision import ServiceStatus, free_port, tail

JAVA_VERSION = 17
READY_WITHIN = 180.0
"""Seconds; 3 to 4 are usual."""


class LocalKafka:
    """A Kafka broker of our own in `data_dir`, on 127.0.0.1; topics are created by whoever uses it.

    `port` asks for a port; without it a free one is chosen and remembered. The jars are kept in `cache`.
    """

    def __init__(self, data_dir: Path, port: int | None = None, cache: Path | None = None) -> None:
        self._cache = cache or cache_directory()
        self._service = JvmService(
            "kafka", data_dir, port, command=self._command, is_ready=_answers, timeout=READY_WITHIN
        )

    def start(self) -> str:
        """Start the broker unless it runs; returns its bootstrap address once it answers as a member of its cluster.

        Raises PrerequisiteMissing without Java 17 or a way to fetch the jars, ServiceDidNotStart with its log's end.
        """
        return _address(self._service.start())

    def stop(self) -> None:
        """Stop the broker; nothing happens when it does not run."""
        self._service.stop()

    def wipe(self) -> None:
        """Stop the broker and remove its data for good."""
        self._service.wipe()

    def status(self) -> ServiceStatus:
        """Whether the broker runs, and where; starts nothing."""
        return self._service.status(_address)

    def _command(self, port: int) -> Sequence[str]:
        java = find_java(JAVA_VERSION)
        classpath = f"{jars(STACK / 'kafka', self._cache)}/*"
        properties = self._configure(port)
        self._format(str(java.executable), classpath, properties)
        return [
            str(java.executable), "-Xms256m", "-Xmx512m", "-XX:+UseG1GC",
            "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classpath, "kafka.Kafka", str(properties),
        ]  # fmt: skip

    def _configure(self, port: int) -> Path:
        template = string.Template((STACK / "kafka" / "server.properties").read_text())
        properties = self._service.data_dir / "server.properties"
        controller_port = free_port()
        while controller_port == port:
            controller_port = free_port()
        values = {"port": port, "controller_port": controller_port, "log_dir": self._service.data_dir / "topics"}
        # the header's own "${…}" is no placeholder
        properties.write_text(template.safe_substitute(values))
        return properties

    def _format(self, java: str, classpath: str, properties: Path) -> None:
        topics = self._service.data_dir / "topics"
        if (topics / "meta.properties").exists():
            return
        shutil.rmtree(topics, ignore_errors=True)  # what an interrupted format left behind
        cluster = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        formatted = subprocess.run(
            [java, "-Xmx128m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn", "-cp", classpath,
             "kafka.tools.StorageTool", "format", f"--cluster-id={cluster}", "--config", str(properties)],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, timeout=120, check=False,
        )  # fmt: skip
        if formatted.returncode != 0:
            said = "\n".join(formatted.stdout.splitlines()[-20:])
            raise ServiceDidNotStart(
                "kafka", "its storage could not be formatted", self._service.log, said or tail(properties)
            )


def _address(port: int) -> str:
    return f"127.0.0.1:{port}"


def _answers(port: int) -> bool:
    """Whether the broker is registered with its controller: before that, it accepts connections and refuses work."""
    try:
        socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
    except OSError:
        return False
    client_log = logging.getLogger("kafka")
    level = client_log.level
    client_log.setLevel(logging.CRITICAL + 1)
    try:
        admin = KafkaAdminClient(bootstrap_servers=_address(port), request_timeout_ms=5_000, bootstrap_timeout_ms=5_000)
        try:
            return bool(admin.describe_cluster()["brokers"])
        finally:
            admin.close()
    except (KafkaError, OSError):
        return False
    finally:
        client_log.setLevel(level)
