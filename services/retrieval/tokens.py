"""Budgets in tokens: the largest packet whose rendering has no more of them.

Tokens are those of WordPiece with the vocabulary of BERT (uncased), the tokenizer of the offline embedder: about four characters
of English each. Readers count by tokenizers of their own, so leave them a tenth.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from projections.minilm import token_count
from services.retrieval.packing import Item, render

TOKENIZER: Final = "wordpiece (bert-base-uncased)"
_CHARACTERS: Final = 6
"""Characters a token, at most, in prose: where the search for the budget begins."""
_TRIES: Final = 5


@lru_cache(maxsize=4_096)
def tokens(text: str) -> int:
    return token_count(text)


def within(budget: int, answer: Callable[[int], list[Item]]) -> tuple[list[Item], int]:
    """The items of the largest packet that was found to fit into `budget` tokens, and its budget in characters.

    Each try asks again with as many characters as the last one's tokens suggest; what still exceeds is left out from the
    lowest score up.
    """
    characters = budget * _CHARACTERS
    items = answer(characters)
    for _ in range(_TRIES):
        taken = tokens(render(items))
        if taken <= budget:
            return items, characters
        characters = max(1, min(characters - 1, len(render(items)) * budget // taken))
        items = answer(characters)
    while items and tokens(render(items)) > budget:
        items.remove(min(items, key=lambda item: (item.score, item.id)))
    return items, characters
