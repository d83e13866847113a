"""The second process of a shared rebuild (see `sharing`): `python -m projections.rebuild_process`.

Its task is the first line of its standard input. It asks for each story on its standard output and commits when there is
none left; where nobody answers, it ends without.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Iterator
from typing import Any

import psycopg

from events.ledger import Ledger
from projections import progress
from projections.errors import UnknownEventType
from projections.rebuilding import writing
from projections.sharing import UNKNOWN_EVENT
from projections.tables import StoryProjection
from projections.watched_log import CancellableLog


def main() -> None:
    task = json.loads(sys.stdin.readline())
    try:
        _fill(task)
    except UnknownEventType as error:
        _say({UNKNOWN_EVENT: [error.topic, error.position]})
        sys.exit(1)
    _say({"done": True})


def _fill(task: dict[str, Any]) -> None:
    projection = _projection(task["projection"])
    with Ledger(task["conninfo"], pool_size=1) as ledger, psycopg.connect(task["conninfo"]) as conn:
        log = CancellableLog(ledger, projection.name, lambda: False)
        progress.use_schema(conn, task["schema"])
        with writing(conn) as tables:
            for story in _stories():
                projection.fill(tables, log, story, task["until"])


def _projection(path: str) -> StoryProjection:
    module, _, name = path.partition(":")
    made = getattr(importlib.import_module(module), name)()
    assert isinstance(made, StoryProjection), f"{path} cannot be built by several processes"
    return made


def _stories() -> Iterator[str]:
    """What is handed out. Raises EOFError where nobody hands out any more: then nothing may be committed."""
    while True:
        _say({"next": True})
        line = sys.stdin.readline()
        if not line:
            raise EOFError("the rebuild that this process takes part in has ended")
        story = json.loads(line)["story"]
        if story is None:
            return
        yield story


def _say(message: dict[str, Any]) -> None:
    print(json.dumps(message), flush=True)


if __name__ == "__main__":
    main()
