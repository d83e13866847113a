"""The configuration: one frozen object, read once from the environment at the entry point.

Every variable is optional. Unset or empty means the embedded default: nothing to install, no network, no key.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from events.errors import InvalidInput

EXTRACTORS: Final = ("offline", "claude", "none")
READERS: Final = ("offline", "claude", "none")
PLANNERS: Final = ("rules", "claude")
EMBEDDERS: Final = ("minilm", "hash")
LOG_FORMATS: Final = ("console", "json")
LOG_LEVELS: Final = ("debug", "info", "warning", "error")


class InvalidSetting(InvalidInput):
    """A variable of the environment has a value that cannot be used; the message names it."""

    title = "The configuration cannot be used"
    slug = "invalid-setting"

    def __init__(self, variable: str, value: str, wanted: str) -> None:
        super().__init__(f"{variable} is {value!r}; set it to {wanted}, or unset it for the default")
        self.variable = variable


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the environment says. None stands for "embedded": the part runs in this process or is started by it."""

    home: Path
    """The data directory (FABULA_HOME): the embedded PostgreSQL, the local stack."""
    cache: Path
    """What can be deleted and is made again (FABULA_CACHE): the embedder's ONNX file."""
    kafka: str | None = None
    """Bootstrap servers, `host:port[,host:port]` (FABULA_KAFKA)."""
    postgres: str | None = field(default=None, repr=False)
    """A conninfo (FABULA_POSTGRES)."""
    elasticsearch: str | None = field(default=None, repr=False)
    """A URL (FABULA_ELASTICSEARCH)."""
    anthropic_api_key: str | None = field(default=None, repr=False)
    claude_budget: str | None = None
    """What reading with Claude may cost, such as 25, 25/month or 2.50/day in US dollars (FABULA_CLAUDE_BUDGET)."""
    extractor: str = "offline"
    """What reads a chapter that comes without records (FABULA_EXTRACTOR)."""
    reader: str = "offline"
    """What answers questions from a packet (FABULA_READER)."""
    ask_depth: int = 2
    """How many levels of sub-questions a question may be taken apart into (FABULA_ASK_DEPTH)."""
    ask_calls: int = 6
    """How often the reader and the planner may be called for one question (FABULA_ASK_CALLS)."""
    planner: str = "rules"
    """What takes questions apart and chooses among evidence while a packet is made (FABULA_PLANNER)."""
    embedder: str = "minilm"
    """What turns texts into vectors (FABULA_EMBEDDER)."""
    log: str = "console"
    log_level: str = "warning"
    host: str = "127.0.0.1"
    port: int = 8077
    wait_seconds: float = 120.0
    """How long a write that waits may wait for the read models (FABULA_WAIT_SECONDS)."""
    publish_threads: int = 4
    """How many publications the server handles at once (FABULA_PUBLISH_THREADS)."""
    max_body_bytes: int = 32 * 1024 * 1024
    """The largest request body the server reads (FABULA_MAX_BODY_BYTES)."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None) -> Settings:
        """Read the environment (this process's by default). Raises InvalidSetting naming the variable."""
        env = os.environ if environ is None else environ
        values = {name: read(variable, text) for name, variable, read, text in _given(env)}
        values.setdefault("home", _xdg(env, "XDG_DATA_HOME", ".local/share"))
        values.setdefault("cache", _xdg(env, "XDG_CACHE_HOME", ".cache"))
        return cls(**values)

    @property
    def embedded(self) -> bool:
        """Whether chapters are handled in this process (no Kafka)."""
        return self.kafka is None


def _given(env: Mapping[str, str]) -> list[tuple[str, str, Callable[[str, str], Any], str]]:
    """Settings whose variable is there and not blank, as (field, variable, reader, text)."""
    found = []
    for name, (variable, read) in _VARIABLES.items():
        text = env.get(variable, "").strip()
        if text:
            found.append((name, variable, read, text))
    return found


def _xdg(env: Mapping[str, str], variable: str, otherwise: str) -> Path:
    root = env.get(variable, "").strip()
    # the XDG specification says to ignore a relative path
    base = Path(root) if root.startswith("/") else Path(env.get("HOME") or Path.home()) / otherwise
    return base / "fabula"


def _path(variable: str, text: str) -> Path:
    if "\0" in text:
        raise InvalidSetting(variable, text, "a directory")
    path = Path(text).expanduser().absolute()
    if path.exists() and not path.is_dir():
        raise InvalidSetting(variable, text, "a directory (there is a file of that name)")
    return path


def _brokers(variable: str, text: str) -> str:
    wanted = "the address of a broker, such as localhost:9092 (several are separated by commas)"
    servers = []
    for part in text.removeprefix("kafka://").split(","):
        try:
            address = urlsplit(f"//{part.strip()}")
            host, port = address.hostname, address.port
        except ValueError:
            host, port = None, None
        if not host or not port or "/" in part or "@" in part or any(c.isspace() for c in part.strip()):
            raise InvalidSetting(variable, text, wanted)
        servers.append(part.strip())
    return ",".join(servers)


def _conninfo(variable: str, text: str) -> str:
    url = text.startswith(("postgresql://", "postgres://"))
    if not url and "=" not in text:
        shown = f"{text[:12]}…" if len(text) > 12 else text
        raise InvalidSetting(variable, shown, "a connection string, such as postgresql://user@host:5432/database")
    return text


def _url(variable: str, text: str) -> str:
    try:
        address = urlsplit(text)
        usable = address.scheme in ("http", "https") and bool(address.hostname) and (address.port or 1) > 0
    except ValueError:
        usable = False
    if not usable:
        raise InvalidSetting(variable, text, "a URL, such as http://localhost:9200")
    return text.rstrip("/")


def _budget(variable: str, text: str) -> str:
    amount, slash, period = (part.strip() for part in text.removeprefix("$").partition("/"))
    whole, _, cents = amount.partition(".")
    if not (whole.isascii() and whole.isdigit()) or (slash and period.lower() not in ("day", "month")):
        raise InvalidSetting(variable, text, "US dollars, such as 25, 25/month or 2.50/day")
    if "." in amount and not (cents.isascii() and cents.isdigit()):
        raise InvalidSetting(variable, text, "US dollars, such as 25, 25/month or 2.50/day")
    return text


def _secret(_variable: str, text: str) -> str:
    return text


def _host(variable: str, text: str) -> str:
    if any(c.isspace() or c in "/@" for c in text):
        raise InvalidSetting(variable, text, "a host name or an address, such as 127.0.0.1")
    return text


def _one_of(options: tuple[str, ...]) -> Callable[[str, str], str]:
    def read(variable: str, text: str) -> str:
        chosen = text.lower()
        if chosen not in options:
            raise InvalidSetting(variable, text, "one of " + ", ".join(options))
        return chosen

    return read


def _whole(low: int, high: int) -> Callable[[str, str], int]:
    def read(variable: str, text: str) -> int:
        if not (text.isascii() and text.isdigit() and len(text) < 19 and low <= int(text) <= high):
            raise InvalidSetting(variable, text, f"a whole number from {low} to {high}")
        return int(text)

    return read


def _seconds(variable: str, text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= 86_400.0:
        raise InvalidSetting(variable, text, "a number of seconds above 0, at most 86400")
    return value


_VARIABLES: Final[Mapping[str, tuple[str, Callable[[str, str], Any]]]] = {
    "home": ("FABULA_HOME", _path),
    "cache": ("FABULA_CACHE", _path),
    "kafka": ("FABULA_KAFKA", _brokers),
    "postgres": ("FABULA_POSTGRES", _conninfo),
    "elasticsearch": ("FABULA_ELASTICSEARCH", _url),
    "anthropic_api_key": ("ANTHROPIC_API_KEY", _secret),
    "claude_budget": ("FABULA_CLAUDE_BUDGET", _budget),
    "extractor": ("FABULA_EXTRACTOR", _one_of(EXTRACTORS)),
    "reader": ("FABULA_READER", _one_of(READERS)),
    "ask_depth": ("FABULA_ASK_DEPTH", _whole(0, 4)),
    "ask_calls": ("FABULA_ASK_CALLS", _whole(1, 50)),
    "planner": ("FABULA_PLANNER", _one_of(PLANNERS)),
    "embedder": ("FABULA_EMBEDDER", _one_of(EMBEDDERS)),
    "log": ("FABULA_LOG", _one_of(LOG_FORMATS)),
    "log_level": ("FABULA_LOG_LEVEL", _one_of(LOG_LEVELS)),
    "host": ("FABULA_HOST", _host),
    "port": ("FABULA_PORT", _whole(1, 65_535)),
    "wait_seconds": ("FABULA_WAIT_SECONDS", _seconds),
    "publish_threads": ("FABULA_PUBLISH_THREADS", _whole(1, 64)),
    "max_body_bytes": ("FABULA_MAX_BODY_BYTES", _whole(1024, 1 << 30)),
}
VARIABLES: Final = {name: variable for name, (variable, _) in _VARIABLES.items()}
"""The variable of each field."""
