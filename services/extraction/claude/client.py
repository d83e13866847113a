"""Calling the model: one question, one reply, with patience for a busy service and none for an endless one."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, Literal, Protocol, TypeVar

import anthropic
import httpx2
import structlog

from services.extraction.claude.errors import ClaudeUnavailable, ExtractionFailed
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.pricing import Tokens

Ending = Literal["complete", "truncated", "refused"]
_ENDINGS: Final[dict[str | None, Ending]] = {
    "end_turn": "complete",
    "stop_sequence": "complete",
    "tool_use": "complete",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
}
_BUSY: Final = frozenset({"overloaded_error", "rate_limit_error", "api_error", "timeout_error"})
_PASSING: Final = frozenset({408, 409, 429})
_CONFIGURATION: Final = frozenset({401, 402, 403, 404})
_FIRST_WAIT: Final = 0.5
T = TypeVar("T")
_logger = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `text` is the raw text of the answer; thinking is not part of it."""

    text: str
    ending: Ending
    tokens: Tokens
    seconds: float = 0.0


class Model(Protocol):
    """Answers a request's body."""

    def ask(self, body: dict[str, Any]) -> Reply:
        """Raises `ClaudeUnavailable` once patience is at an end, `ExtractionFailed` for a request it does not take."""
        ...


class Claude:
    """The Messages API through the official SDK. Safe in several threads."""

    def __init__(
        self,
        options: ClaudeOptions,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
        draw: random.Random | None = None,
    ) -> None:
        self._options = options
        self._sleep = sleep
        self._clock = clock
        self._draw = draw or random.Random()
        # the SDK's own retries know no bound on the wait that a service asks for
        self.sdk = anthropic.Anthropic(
            api_key=options.api_key,
            base_url=options.base_url,
            max_retries=0,
            timeout=httpx2.Timeout(options.silence, connect=10.0),
        )

    def close(self) -> None:
        self.sdk.close()

    def ask(self, body: dict[str, Any]) -> Reply:
        return self.patiently(lambda: self._stream(body) if self._options.stream else self._whole(body))

    def patiently(self, call: Callable[[], T]) -> T:
        """The call's result, after as many attempts as the options allow while the service is busy or silent."""
        for attempt in range(1, self._options.attempts + 1):
            try:
                return call()
            except (anthropic.APIError, httpx2.TransportError, _NoReply) as error:
                wait = self._wait(error, attempt)
                _logger.info("the model service did not answer", error=repr(error)[:200], attempt=attempt, wait=wait)
                self._sleep(wait)
        raise AssertionError("the last attempt returns or raises")

    def _stream(self, body: dict[str, Any]) -> Reply:
        started = self._clock()
        with self.sdk.messages.stream(**body) as stream:
            ended = False
            for event in stream:
                ended = event.type == "message_stop"
                if self._clock() - started > self._options.deadline:
                    raise _NoReply(f"no end after {self._options.deadline:.0f} s")
            if not ended:
                raise _NoReply("the reply broke off")
            message = stream.get_final_message()
        return reply_of(message, self._clock() - started)

    def _whole(self, body: dict[str, Any]) -> Reply:
        started = self._clock()
        message: anthropic.types.Message = self.sdk.messages.create(**body, timeout=self._options.deadline)
        return reply_of(message, self._clock() - started)

    def _wait(self, error: Exception, attempt: int) -> float:
        """Seconds to wait before the next attempt. Raises where there is none."""
        if not _is_passing(error):
            raise _refusal(error) from error
        asked = _retry_after(error)
        if attempt >= self._options.attempts or (asked or 0.0) > self._options.longest_wait:
            raise ClaudeUnavailable(
                f"The model service did not answer (attempt {attempt}: {_short(error)}); the chapter waits for it.",
                retry_after=asked,
            ) from error
        if asked is not None:
            # never earlier than asked, and not everybody at the same moment
            return asked + self._draw.random() * min(1.0, asked)
        return float(min(self._options.longest_wait, _FIRST_WAIT * 2.0**attempt) * (0.5 + 0.5 * self._draw.random()))


def reply_of(message: anthropic.types.Message, seconds: float) -> Reply:
    """A message of the API as a reply. Raises `ExtractionFailed` for a way to end that no question of ours allows."""
    ending = _ENDINGS.get(message.stop_reason)
    if ending is None:
        raise ExtractionFailed(f"The model ended its reply with {message.stop_reason!r}; the chapter is tried again.")
    usage = message.usage
    tokens = Tokens(
        input=usage.input_tokens,
        cache_write=usage.cache_creation_input_tokens or 0,
        cache_read=usage.cache_read_input_tokens or 0,
        output=usage.output_tokens,
    )
    text = "".join(block.text for block in message.content if block.type == "text")
    if not text:
        # not every model keeps to the schema of the reply: some call a tool of that shape instead
        text = next((json.dumps(block.input) for block in message.content if block.type == "tool_use"), "")
    return Reply(text, ending, tokens, seconds)


class _NoReply(Exception):
    """Something came, but the connection broke off, or it came too slowly to ever end."""


def _is_passing(error: Exception) -> bool:
    if isinstance(error, anthropic.APIStatusError):
        return error.status_code in _PASSING or error.status_code >= 500 or _kind(error) in _BUSY
    # an error in the middle of a stream comes as an APIError without a status
    return isinstance(error, (anthropic.APIConnectionError, httpx2.TransportError, _NoReply)) or (
        isinstance(error, anthropic.APIError) and _kind(error) in _BUSY
    )


def _kind(error: anthropic.APIError) -> str:
    body = error.body
    inner = body.get("error") if isinstance(body, dict) else None
    return str(inner.get("type")) if isinstance(inner, dict) else ""


def _retry_after(error: Exception) -> float | None:
    if not isinstance(error, anthropic.APIStatusError):
        return None
    try:
        asked = float(error.response.headers.get("retry-after", ""))
    except ValueError:
        return None
    return asked if 0 <= asked < float("inf") else None


def _refusal(error: Exception) -> Exception:
    if isinstance(error, anthropic.APIStatusError) and error.status_code in _CONFIGURATION:
        return ClaudeUnavailable(
            f"The model service takes no requests from us ({_short(error)}); check ANTHROPIC_API_KEY, the account and "
            "FABULA_CLAUDE_MODEL. Chapters wait until then."
        )
    return ExtractionFailed(f"The model service does not take the request ({_short(error)}).")


def _short(error: Exception) -> str:
    if isinstance(error, anthropic.APIStatusError):
        return f"{error.status_code} {_kind(error)}".strip()
    return f"{type(error).__name__}: {error}"[:200]
