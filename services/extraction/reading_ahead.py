"""Reading chapters ahead of their turn: what a chapter says depends on its text alone, so several processes can read.

Chapters are still taken in one after the other, in the order of the story and by one process; what was read ahead only
spares it the reading. Whatever goes wrong here costs time and nothing else: a chapter that no reader has read is read by
whoever asks for it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final, Self

import structlog

from projections.sharing import cores

MODULE: Final = "services.extraction.reading_process"
SELF_CONTAINED: Final = frozenset({"offline"})
"""The extractors whose records follow from a chapter's text alone, so that another process may read it."""
WORTH_A_READER: Final = 20_000
"""Characters from which on a process repays its start: to load the language model takes as long as to read them."""
AHEAD: Final = 2
"""Chapters a reader may be ahead of the one that is taken in: what is read and not yet asked for is kept in memory."""
_log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Unread:
    """A chapter that will be asked for. `text` is the text as it is kept."""

    chapter: int
    text: str
    language: str


@dataclass(slots=True)
class _Place:
    """A chapter in the queue: taken by a reader or not, and what was found. `found` None once it is done: not readable there."""

    unread: Unread
    taken: bool = False
    done: bool = False
    found: list[dict[str, Any]] | None = None


def readers_for(unread: Iterable[Unread], available: int | None = None) -> int:
    """How many processes repay their start, at most one a core; 0 where the process that asks does as well alone."""
    sizes = [len(each.text) for each in unread]
    wanted = min(cores() if available is None else available, len(sizes), sum(sizes) // WORTH_A_READER)
    return wanted if wanted > 1 else 0


class ReadingAhead:
    """Reads chapters in `readers` processes, in the order given, while others of them are taken in. A context manager.

    `records` is for one thread at a time, and for the chapters in the order given; some may be left out.
    """

    def __init__(self, extractor: str, unread: Iterable[Unread], readers: int) -> None:
        self._queue = deque(map(_Place, unread))
        self._changed = threading.Condition()
        self._room = readers * AHEAD
        self._alive = readers
        self._closed = False
        self._readers = [_Reader(extractor) for _ in range(readers)]
        self._threads = [
            threading.Thread(target=self._serve, args=(reader,), name="reading-ahead", daemon=True)
            for reader in self._readers
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for reader in self._readers:
            reader.end()
        for thread in self._threads:
            thread.join()
        for reader in self._readers:
            reader.close()

    @property
    def process_ids(self) -> list[int]:
        """The readers' processes."""
        return [reader.process.pid for reader in self._readers]

    def records(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]] | None:
        """What a reader found in the chapter, waiting for it; None where whoever asks has to read it."""
        with self._changed:
            place = self._arrive(Unread(chapter, text, language))
            if place is None:
                return None
            while not place.done and (place.taken or self._alive):
                self._changed.wait()
            self._queue.popleft()
            self._changed.notify_all()
            return place.found

    def _arrive(self, asked: Unread) -> _Place | None:
        """The place of the chapter, at the head of the queue: those before it were not asked for, and will not be."""
        if all(place.unread != asked for place in self._queue):
            return None
        while self._queue[0].unread != asked:
            self._queue.popleft()
        self._changed.notify_all()
        return self._queue[0]

    def _serve(self, reader: _Reader) -> None:
        """Give a reader one chapter after the other, until none is left or it has ended."""
        try:
            while (place := self._next()) is not None:
                try:
                    place.found = reader.read(place.unread)
                except (OSError, ValueError) as error:
                    if not self._closed:
                        _log.warning(
                            "a reader ended early; its chapter is read without it",
                            chapter=place.unread.chapter,
                            error=repr(error),
                        )
                    return
                finally:
                    self._finish(place)
        finally:
            with self._changed:
                self._alive -= 1
                self._changed.notify_all()

    def _next(self) -> _Place | None:
        """The next chapter nobody reads yet, once there is room for it."""
        with self._changed:
            while not self._closed:
                taken = sum(place.taken for place in self._queue)
                if taken < self._room and taken < len(self._queue):
                    place = self._queue[taken]
                    place.taken = True
                    return place
                if taken == len(self._queue):
                    return None
                self._changed.wait()
            return None

    def _finish(self, place: _Place) -> None:
        with self._changed:
            place.done = True
            self._changed.notify_all()


class _Reader:
    """A process that reads what it is given."""

    def __init__(self, extractor: str) -> None:
        # one core each: libraries that would use every core for one reader only get into the others' way
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.process = subprocess.Popen(
            [sys.executable, "-m", MODULE, extractor],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            process_group=0,  # Ctrl-C in a terminal is for the process that has it, which ends its readers
            env={**os.environ, **threads, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        )

    def read(self, unread: Unread) -> list[dict[str, Any]] | None:
        """What the process finds in the chapter, None where it fails on it. Raises OSError, ValueError where it has ended."""
        assert self.process.stdin is not None, "a pipe"
        assert self.process.stdout is not None, "a pipe"
        chapter = {"text": unread.text, "chapter": unread.chapter, "language": unread.language}
        self.process.stdin.write(json.dumps(chapter) + "\n")
        self.process.stdin.flush()
        found: list[dict[str, Any]] | None = json.loads(self.process.stdout.readline()).get("records")
        return found

    def end(self) -> None:
        self.process.kill()
        self.process.wait()

    def close(self) -> None:
        """Once nobody reads from it any more."""
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
