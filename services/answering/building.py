"""The reader that the settings name, with what it needs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psycopg_pool import ConnectionPool

from services.answering.answering import Answering, Evidence
from services.answering.readers.offline import OfflineReader
from services.answering.solving import Limits
from services.settings import VARIABLES, InvalidSetting, Settings


def answering(settings: Settings, evidence: Evidence, pool: Callable[[], ConnectionPool[Any]]) -> Answering:
    """Raises `InvalidSetting` where no reader is configured, `ClaudeNotConfigured` where the model lacks its key."""
    limits = Limits(settings.ask_depth, settings.ask_calls)
    if settings.reader == "offline":
        return Answering(evidence, OfflineReader(), limits=limits)
    if settings.reader == "claude":
        return _with_claude(evidence, limits, pool)
    raise InvalidSetting(VARIABLES["reader"], settings.reader, "offline or claude, so that somebody answers")


def _with_claude(evidence: Evidence, limits: Limits, pool: Callable[[], ConnectionPool[Any]]) -> Answering:
    from services.answering.planning import ClaudePlanner
    from services.answering.readers.claude import ClaudeReader
    from services.extraction.claude.options import ClaudeOptions
    from services.extraction.claude.paying import paying

    options = ClaudeOptions.from_env()
    model = paying(options, pool(), "answer")
    reader, planner = ClaudeReader(model, options.model), ClaudePlanner(model, options.model)
    return Answering(evidence, reader, planner=planner, limits=limits, lexical=False)
