"""The second process of a shared rebuild (see `sharing`): `python -m projections.rebuild_process`.

Its task is the first line of its standard input. It asks for each part of a story on its standard output and commits when
there is none left; told that the others have committed too, it derives its part of the rest. Where nobody answers, it ends
without. It imports little, so that it is at work soon.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any, Final

import psycopg

from events.stored import StoredLog
from projections import progress
from projections.errors import UnknownEventType
from projections.parts import Part, StoryPart
from projections.rebuilding import writing
from projections.tables import StoryProjection
from projections.watched_log import WatchedStoredLog

UNKNOWN_EVENT: Final = "unknown event"
"""What it says of an event that only a newer release knows: its topic and position."""


def main() -> None:
    task = json.loads(sys.stdin.readline())
    try:
        _build(task)
    except UnknownEventType as error:
        _say({UNKNOWN_EVENT: [error.topic, error.position]})
        sys.exit(1)
    _say({"done": True})


def _build(task: dict[str, Any]) -> None:
    projection = _projection(task["projection"])
    conninfo, schema = task["conninfo"], task["schema"]
    with psycopg.connect(conninfo, autocommit=True) as reading, psycopg.connect(conninfo, autocommit=True) as conn:
        log = WatchedStoredLog(StoredLog(lambda: nullcontext(reading)), projection.name, lambda: False)
        with conn.transaction():
            progress.use_schema(conn, schema)
            with writing(conn) as tables:
                for of in _parts():
                    projection.fill(tables, log, of, task["until"])
        told = _asked({"filled": True})
        part, stories = Part(**told["part"]), told["stories"]
        with conn.transaction():
            progress.use_schema(conn, schema)
            with writing(conn) as tables:
                projection.derive(conn, tables, part, stories, log.check)


def _projection(path: str) -> StoryProjection:
    module, _, name = path.partition(":")
    made = getattr(importlib.import_module(module), name)()
    assert isinstance(made, StoryProjection), f"{path} cannot be built by several processes"
    return made


def _parts() -> Iterator[StoryPart]:
    """What is handed out."""
    while True:
        told = _asked({"next": True})
        if not told:
            return
        yield StoryPart(told["story"], Part(**told["part"]), told["with_keys"])


def _asked(message: dict[str, Any]) -> dict[str, Any]:
    """The answer. Raises EOFError where nobody answers any more: then nothing more may be committed."""
    _say(message)
    line = sys.stdin.readline()
    if not line:
        raise EOFError("the rebuild that this process takes part in has ended")
    answer: dict[str, Any] = json.loads(line)
    return answer


def _say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
