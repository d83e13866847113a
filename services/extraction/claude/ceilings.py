"""What reading one chapter may cost: 8 calls and 25,000 tokens for 3,000 words, in proportion for longer ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from services.extraction.claude.errors import CeilingReached
from services.extraction.claude.pricing import Tokens, tokens_in

CALLS: Final = 8
TOKENS: Final = 25_000
_WORDS: Final = 3_000
_TEXT_TOKENS: Final = 5_500
_HARD: Final = 3
"""What failures may add: replies cut off and asked for again in halves have been paid for."""


@dataclass(frozen=True, slots=True)
class Ceiling:
    calls: int
    tokens: int


def ceiling(text: str) -> Ceiling:
    """The ceiling of a chapter. Scripts without spaces are measured by tokens."""
    share = max(1.0, len(text.split()) / _WORDS, tokens_in(text) / _TEXT_TOKENS)
    return Ceiling(round(CALLS * share), round(TOKENS * share))


class Meter:
    """Counts what a chapter takes. Calls that can be done without stop at the ceiling; the others at three times of it."""

    def __init__(self, most: Ceiling) -> None:
        self.most = most
        self.calls = 0
        self.recalled = 0
        self.usd = 0.0
        self.tokens = Tokens()

    def affords(self, expected: Tokens) -> bool:
        """Whether another call of about that size stays under the ceiling."""
        return self.calls < self.most.calls and self.tokens.total + expected.total <= self.most.tokens

    def demand(self) -> None:
        """Before a call that has to be made. Raises `CeilingReached`."""
        if self.calls >= _HARD * self.most.calls or self.tokens.total >= _HARD * self.most.tokens:
            raise CeilingReached(
                f"Reading the chapter took {self.calls} calls and {self.tokens.total} tokens and is not done; publish it "
                "with records, in smaller chapters, or with another extractor. What was read is kept."
            )

    def count(self, tokens: Tokens, usd: float) -> None:
        self.calls += 1
        self.tokens += tokens
        self.usd += usd
