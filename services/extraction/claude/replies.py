"""From a reply's text to records, read generously: a fence, a preamble or a bare list costs no chapter its records."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from events.domain_events import Json
from services.extraction.claude.errors import ReplyUnreadable

_FENCE: Final = re.compile(r"```[a-zA-Z]*\s*\n?(.*?)```", re.DOTALL)
_THOUGHT: Final = re.compile(r"^\s*<think(?:ing)?>.*?</think(?:ing)?>", re.DOTALL | re.IGNORECASE)
_TRAILING_COMMA: Final = re.compile(r",(\s*[\]}])")


def listed(text: str) -> list[Any]:
    """The records a reply lists, as they are written. Raises `ReplyUnreadable`; never takes silence for an empty list."""
    text = _THOUGHT.sub("", text).strip()
    for candidate in (text, *_FENCE.findall(text)):
        found = _records(_parsed(candidate.strip()))
        if found is not None:
            return found
    found = _embedded(text)
    if found is None:
        raise ReplyUnreadable(f"The model's reply is no list of records: {text[:120]!r}…; the chapter is tried again.")
    return found


def _parsed(text: str) -> Json:
    for attempt in (text, _TRAILING_COMMA.sub(r"\1", text)):
        try:
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _records(value: Json) -> list[Any] | None:
    if isinstance(value, dict):
        value = value.get("records")
    return value if isinstance(value, list) and all(isinstance(each, dict) for each in value) else None


def _embedded(text: str) -> list[Any] | None:
    """The first JSON value inside prose that lists records; braces in the prose itself are passed over."""
    decoder = json.JSONDecoder(strict=False)
    for match in list(re.finditer(r'\{\s*"records"|\[\s*\{', text))[:20]:
        try:
            value, _ = decoder.raw_decode(_TRAILING_COMMA.sub(r"\1", text[match.start() :]))
        except (ValueError, RecursionError):
            continue
        if (found := _records(value)) is not None:
            return found
    return None
