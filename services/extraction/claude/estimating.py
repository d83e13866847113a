"""What reading a back catalogue would cost, before anything is sent."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from services.extraction.claude.chunking import chunks
from services.extraction.claude.context import NOTHING
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.pricing import Tokens, cost
from services.extraction.claude.requests import Requests

_OUTPUT_PER_SECOND = 70
_OVERHEAD_SECONDS = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Estimate:
    """An estimate on the high side: nothing is taken from the prompt cache. `usd_batch` is for the first look as a batch."""

    chapters: int
    calls: int
    tokens: Tokens
    usd: float
    usd_batch: float
    seconds: float
    """One chapter after the other; a batch takes up to a day whatever its size."""

    def to_json(self) -> dict[str, Any]:
        return {
            "chapters": self.chapters,
            "calls": self.calls,
            "input_tokens": self.tokens.input,
            "output_tokens": self.tokens.output,
            "usd": round(self.usd, 4),
            "usd_batch": round(self.usd_batch, 4),
            "seconds": round(self.seconds),
        }


def estimate(chapters: Iterable[str], options: ClaudeOptions) -> Estimate:
    """The estimate for the texts of chapters, none of which has been read."""
    requests = Requests(options)
    first, second = Tokens(), Tokens()
    number = calls = 0
    for text in chapters:
        number += 1
        for chunk in chunks(text):
            stretch = text[chunk.start : chunk.end]
            first += requests.extract(stretch, NOTHING).expected
            calls += 1
            if options.second_look:
                second += requests.follow_up(stretch, NOTHING, [], []).expected
                calls += 1
    both = first + second
    return Estimate(
        chapters=number,
        calls=calls,
        tokens=both,
        usd=cost(both, options.model),
        usd_batch=cost(first, options.model, batch=True) + cost(second, options.model),
        seconds=both.output / _OUTPUT_PER_SECOND + calls * _OVERHEAD_SECONDS,
    )
