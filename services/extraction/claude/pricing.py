"""Models, what they cost, and how long a text is for them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

DEFAULT_MODEL: Final = "claude-sonnet-5-5"
BATCH_DISCOUNT: Final = 0.5
_MILLION: Final = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prices:
    """US dollars for a million tokens."""

    input: float
    output: float
    cache_write: float
    cache_read: float


# as published in November 2026; the write price is that of the cache that lasts five minutes
_PRICES: Final[dict[str, Prices]] = {
    "claude-sonnet-5": Prices(input=2.0, output=10.0, cache_write=2.5, cache_read=0.2),
    "claude-opus-5-5": Prices(input=4.0, output=20.0, cache_write=5.0, cache_read=0.4),
    "claude-opus-5": Prices(input=5.0, output=25.0, cache_write=6.25, cache_read=0.5),
    "claude-sonnet-4": Prices(input=3.0, output=15.0, cache_write=3.75, cache_read=0.3),
    "claude-haiku-4": Prices(input=1.0, output=5.0, cache_write=1.25, cache_read=0.1),
}
_DEAREST: Final = Prices(input=10.0, output=50.0, cache_write=12.5, cache_read=1.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """What one call, or several, took. Thinking counts as output; the four do not overlap."""

    input: int = 0
    cache_write: int = 0
    cache_read: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        return self.input + self.cache_write + self.cache_read + self.output

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            input=self.input + other.input,
            cache_write=self.cache_write + other.cache_write,
            cache_read=self.cache_read + other.cache_read,
            output=self.output + other.output,
        )


def prices(model: str) -> Prices:
    """The prices of a model; those of the dearest for one that is not known, so that a budget is never overrun."""
    known = [name for name in _PRICES if model == name or model.startswith(f"{name}-")]
    return _PRICES[max(known, key=len)] if known else _DEAREST


def cost(tokens: Tokens, model: str, *, batch: bool = False) -> float:
    """US dollars."""
    per = prices(model)
    whole = (
        tokens.input * per.input
        + tokens.cache_write * per.cache_write
        + tokens.cache_read * per.cache_read
        + tokens.output * per.output
    )
    return whole / _MILLION * (BATCH_DISCOUNT if batch else 1.0)


def tokens_in(text: str) -> int:
    """About how many tokens a text has, on the high side: for ceilings and estimates, never for bills."""
    plain = sum(character.isascii() for character in text)
    return round(plain / 3.4 + (len(text) - plain) * 0.9) + 1
