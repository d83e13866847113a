"""How often a process looks for objects that only hold each other."""

from __future__ import annotations

import gc
from typing import Final

THRESHOLDS: Final = (100_000, 20, 20)


def collect_seldom() -> None:
    """Look for cycles once in a hundred thousand new objects instead of seven hundred.

    What a batch of events or a parsed chapter consists of is in no cycle and is let go at once; looking through all of it
    again and again took as long as the work itself.
    """
    gc.set_threshold(*THRESHOLDS)
