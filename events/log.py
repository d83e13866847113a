"""The log: the library's application over PostgreSQL, with our mapper and recorder."""

from __future__ import annotations

from eventsourcing.application import Application
from eventsourcing.persistence import Mapper
from eventsourcing.utils import Environment, EnvType
from psycopg.conninfo import conninfo_to_dict

from events.mapping import NoTranscoder, StoryMapper
from events.recorder import LedgerFactory, LedgerRecorder


class Log(Application[str]):
    """The library's application over the log. Its tables are made by `Ledger.migrate` only."""

    name = "stored"
    recorder: LedgerRecorder

    def construct_env(self, name: str, env: EnvType | None = None) -> Environment:
        """Only what `_environment` says: a variable of the process cannot switch the log to a path that loses events."""
        return Environment(name, dict(env or {}))

    def construct_mapper(self) -> Mapper[str]:
        return StoryMapper(transcoder=NoTranscoder())


def environment(dsn: str, *, create: bool) -> dict[str, str]:
    parts = conninfo_to_dict(dsn)
    return {
        "PERSISTENCE_MODULE": "events.recorder:LedgerFactory",
        LedgerFactory.CONNINFO: dsn,
        "POSTGRES_DBNAME": str(parts.get("dbname") or "fabula"),
        "POSTGRES_HOST": str(parts.get("host") or "127.0.0.1"),
        "POSTGRES_PORT": str(parts.get("port") or 5432),
        "POSTGRES_USER": str(parts.get("user") or "postgres"),
        "POSTGRES_PASSWORD": str(parts.get("password") or ""),
        "POSTGRES_SCHEMA": "ledger",
        "ORIGINATOR_ID_TYPE": "text",
        "POSTGRES_IDLE_IN_TRANSACTION_SESSION_TIMEOUT": "60",
        "POSTGRES_ENABLE_DB_FUNCTIONS": "no",
        "CREATE_TABLE": "yes" if create else "no",
    }
