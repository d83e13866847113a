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
from services.local.jars import STACK, jars
from services.local.java import find_java
from services.local.jvm import JvmService
from services.local.supervision import free_port, tail

JAVA_VERSION = 17
READY_WITHIN = 180.0
"""Seconds; 3 to 4 are usual."""


class LocalKafka(JvmService):
    """A Kafka broker, ready once it is a member of its cluster; topics are created by whoever uses it. Needs Java 17."""

    name = "kafka"
    ready_within = READY_WITHIN

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
        properties = self.data_dir / "server.properties"
        controller_port = free_port()
        while controller_port == port:
            controller_port = free_port()
        values = {"port": port, "controller_port": controller_port, "log_dir": self.data_dir / "topics"}
        # the header's own "${…}" is no placeholder
        properties.write_text(template.safe_substitute(values))
        return properties

    def _format(self, java: str, classpath: str, properties: Path) -> None:
        topics = self.data_dir / "topics"
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
            raise ServiceDidNotStart("kafka", "its storage could not be formatted", self.log, said or tail(properties))

    def _address(self, port: int) -> str:
        return f"127.0.0.1:{port}"

    def _answers(self, port: int) -> bool:
        """Whether the broker is registered with its controller: before that, it accepts connections and refuses work."""
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
        except OSError:
            return False
        client_log = logging.getLogger("kafka")
        level = client_log.level
        client_log.setLevel(logging.CRITICAL + 1)
        try:
            admin = KafkaAdminClient(
                bootstrap_servers=self._address(port), request_timeout_ms=5_000, bootstrap_timeout_ms=5_000
            )
            try:
                return bool(admin.describe_cluster()["brokers"])
            finally:
                admin.close()
        except (KafkaError, OSError):
            return False
        finally:
            client_log.setLevel(level)
