"""Structured logs, on standard error only: standard output belongs to the reply.

The same keys everywhere: story, chapter, revision, position, correlation.
"""

from __future__ import annotations

import logging
import sys
from typing import TYPE_CHECKING

import structlog

if TYPE_CHECKING:
    from structlog.typing import EventDict, Processor, WrappedLogger

    from services.settings import Settings


def configure(settings: Settings) -> None:
    """Send the logs of the product and of its libraries to standard error, as lines for people or as JSON."""
    level = logging.getLevelNamesMapping()[settings.log_level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_last(settings.log == "json")],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)


def _last(as_json: bool) -> list[Processor]:
    if as_json:
        return [structlog.processors.format_exc_info, _printable, structlog.processors.JSONRenderer()]
    # a plain traceback: the default one shows what variables hold, passwords and texts among them
    plain = structlog.dev.plain_traceback
    return [_printable, structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=plain)]


def _printable(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Control characters of a story's text must not reach a terminal, nor start a line of their own."""
    return {
        key: _tame(value) if isinstance(value, str) and key != "exception" else value for key, value in event.items()
    }


def _tame(value: str) -> str:
    return "".join(c if c.isprintable() or c == " " else repr(c)[1:-1] for c in value)
