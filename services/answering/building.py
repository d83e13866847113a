"""The reader that the settings name, with what it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from psycopg_pool import ConnectionPool

from services.answering.answering import Answering, Evidence
from services.answering.readers.offline import OfflineReader
from services.answering.solving import Limits
from services.settings import VARIABLES, InvalidSetting, Settings

_READER: Final = "reader"


def answering(settings: Settings, evidence: Evidence, pool: Callable[[], ConnectionPool[Any]]) -> Answering:
    """Raises `InvalidSetting` where no reader is configured, or the one that is lacks its key."""
    limits = Limits(settings.ask_depth, settings.ask_calls)
    if settings.reader == "offline":
        return Answering(evidence, OfflineReader(), limits=limits)
    raise InvalidSetting(VARIABLES[_READER], settings.reader, "offline or claude, so that somebody answers")
