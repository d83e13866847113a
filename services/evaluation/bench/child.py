"""Measuring in a process of its own, so that its memory is that of the task and of nothing else.

`python -m services.evaluation.bench.child MODULE:FUNCTION JSON` calls the function with the arguments and prints what
it returns, with its time and the peak of its resident memory.
"""

from __future__ import annotations

import importlib
import json
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Final

from services.collecting import collect_seldom

_KIB: Final = 1024


class ChildFailed(RuntimeError):
    """The process that measured ended with an error, which is the message."""


def measured(function: str, **arguments: Any) -> dict[str, Any]:
    """What the function (`module:name`) returns, with `seconds`, `cpu_seconds`, `peak_rss_mb`. Raises `ChildFailed`."""
    done = subprocess.run(
        [sys.executable, "-m", "services.evaluation.bench.child", function, json.dumps(arguments)],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise ChildFailed(done.stderr.strip()[-2000:])
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def peak_rss_mb() -> float:
    """The peak of this process, and of its largest child, in MB."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / _KIB
    return _own_peak_kib() / _KIB + children


def _own_peak_kib() -> int:
    # Linux hands the peak of the process that forks on to the one that is started, unless it is read from here
    try:
        for line in Path("/proc/self/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def cpu_seconds() -> float:
    """Of this process and of those it has started and seen end."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def main(function: str, arguments: str) -> None:
    module, _, name = function.partition(":")
    task = getattr(importlib.import_module(module), name)
    collect_seldom()
    before = peak_rss_mb()
    started, cpu = time.perf_counter(), cpu_seconds()
    found = task(**json.loads(arguments))
    figures = {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": cpu_seconds() - cpu,
        "peak_rss_mb": peak_rss_mb(),
        "rss_before_mb": before,
    }
    print(json.dumps({**figures, **found}))


if __name__ == "__main__":
    main(*sys.argv[1:3])
