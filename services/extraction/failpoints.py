"""Places where a fault can be caused from outside, to prove that it does no harm. Inert unless FABULA_FAILPOINTS is set.

FABULA_FAILPOINTS holds faults separated by commas, each `<place>=<fault>[@<story>[/<chapter>]][#<times>]`:

    extract=stall:60@slow          the extractor takes 60 s longer for every chapter of the story `slow`
    before_append=kill@a/3         the process is killed (SIGKILL) before it appends chapter 3 of the story `a`
    extract=fail#2                 the extractor fails the first two times
    extract=unavailable#4          the extractor's service does not answer the first four times

Places: `extract`, `before_append`, `after_append` (events are committed, the broker knows nothing of it), `register`.
"""

from __future__ import annotations

import os
import re
import signal
import threading
import time
from dataclasses import dataclass
from typing import Final

from events.errors import InvalidInput, Unavailable

VARIABLE: Final = "FABULA_FAILPOINTS"
_FAULT: Final = re.compile(
    r"(?P<place>\w+)=(?P<fault>kill|stall|fail|unavailable)(?::(?P<seconds>[\d.]+))?"
    r"(?:@(?P<story>[^/#]+)(?:/(?P<chapter>\d+))?)?(?:#(?P<times>\d+))?"
)


class FaultCaused(RuntimeError):
    """A fault that was asked for."""


@dataclass(slots=True)
class Fault:
    """One fault; `left` counts how often it will still happen, None for always."""

    place: str
    fault: str
    seconds: float
    story: str | None
    chapter: int | None
    left: int | None

    def concerns(self, place: str, story: str, chapter: int) -> bool:
        return (
            self.place == place and self.story in (None, story) and self.chapter in (None, chapter) and self.left != 0
        )


def parse(text: str) -> list[Fault]:
    """The faults that a value of FABULA_FAILPOINTS asks for. Raises `InvalidInput`."""
    faults = []
    for part in filter(None, (p.strip() for p in text.split(","))):
        match = _FAULT.fullmatch(part)
        if match is None:
            raise InvalidInput(
                f"{VARIABLE} has {part!r}, which is no fault; write <place>=<fault>[@story/chapter][#n]."
            )
        chapter, times = match["chapter"], match["times"]
        faults.append(
            Fault(
                place=match["place"],
                fault=match["fault"],
                seconds=float(match["seconds"] or 0),
                story=match["story"],
                chapter=None if chapter is None else int(chapter),
                left=None if times is None else int(times),
            )
        )
    return faults


_faults: list[Fault] = parse(os.environ.get(VARIABLE, ""))
_counting = threading.Lock()


def hit(place: str, story: str, chapter: int) -> None:
    """Cause the faults asked for at this place. Returns at once when there are none."""
    for fault in _faults:
        with _counting:
            if not fault.concerns(place, story, chapter):
                continue
            if fault.left is not None:
                fault.left -= 1
        _cause(fault)


def _cause(fault: Fault) -> None:
    if fault.fault == "kill":
        os.kill(os.getpid(), signal.SIGKILL)
    if fault.fault == "fail":
        raise FaultCaused(f"a fault was asked for at {fault.place}")
    if fault.fault == "unavailable":
        raise Unavailable(f"an outage was asked for at {fault.place}")
    time.sleep(fault.seconds)
