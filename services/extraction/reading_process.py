"""A reader of chapters in a process of its own (see `reading_ahead`): `python -m services.extraction.reading_process NAME`.

Each line of its standard input is a chapter, each line of its standard output the records of one, or that reading it
failed. It ends with its input, so that it never outlives the process that started it.
"""

from __future__ import annotations

import json
import os
import sys
from typing import Any

from services.collecting import collect_seldom
from services.extraction.extractors import extractor


def main(name: str) -> None:
    collect_seldom()
    reader = extractor(name)
    for line in sys.stdin:
        chapter = json.loads(line)
        try:
            reply: dict[str, Any] = {"records": reader.extract(**chapter)}
        except Exception as error:  # noqa: BLE001 - whoever publishes the chapter reads it again, and meets the error there
            reply = {"failed": f"{type(error).__name__}: {error}"}
        try:
            print(json.dumps(reply), flush=True)
        except BrokenPipeError:
            # the process that asked is gone, and the interpreter would complain at its own flush
            os._exit(1)


if __name__ == "__main__":
    main(sys.argv[1])
