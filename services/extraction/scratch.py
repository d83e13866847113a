"""A directory for as long as a worker runs; what workers that were killed left behind goes with the next one."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

PREFIX: Final = "fabula-worker-"
_FRESH_SECONDS: Final = 60.0
"""A directory as young as this may have been made by a worker that has not locked it yet."""


@contextmanager
def scratch() -> Iterator[str]:
    """The path of an empty directory, gone afterwards. It is locked meanwhile, which is how others know that it is in use."""
    _sweep(Path(tempfile.gettempdir()))
    with tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True) as directory:
        handle = os.open(directory, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield directory
        finally:
            os.close(handle)


def _sweep(place: Path) -> None:
    """Remove the directories of workers that are no more, as far as they are ours to remove."""
    for left in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if time.time() - left.stat().st_mtime > _FRESH_SECONDS and _is_free(left):
                shutil.rmtree(left, ignore_errors=True)


def _is_free(directory: Path) -> bool:
    handle = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(handle)
    return True
