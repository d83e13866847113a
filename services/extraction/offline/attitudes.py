"""Verbs and adjectives of feeling and knowing: what the parser's notes look for is what the changes of state are read from."""

from __future__ import annotations

from typing import Final

from services.extraction.offline.lexicon import words

REGARD: Final = {
    "love": ("loves", 0.9),
    "adore": ("adores", 0.9),
    "worship": ("worships", 0.8),
    "admire": ("admires", 0.6),
    "respect": ("respects", 0.5),
    "esteem": ("esteems", 0.5),
    "trust": ("trusts", 0.5),
    "like": ("likes", 0.5),
    "hate": ("hates", -0.9),
    "detest": ("detests", -0.9),
    "loathe": ("loathes", -0.9),
    "abhor": ("abhors", -0.9),
    "despise": ("despises", -0.8),
    "dislike": ("dislikes", -0.6),
    "distrust": ("distrusts", -0.5),
    "mistrust": ("mistrusts", -0.5),
    "resent": ("resents", -0.5),
    "envy": ("envies", -0.3),
    "fear": ("fears", -0.4),
    "dread": ("dreads", -0.4),
    "pity": ("pities", 0.2),
}
"""By verb, what one who so regards another is to them, and how good that is, -1 to 1."""
VERBS_OF_KNOWING: Final = {
    "know": "knows",
    "understand": "knows",
    "believe": "believes",
    "think": "believes",
    "fancy": "believes",
    "suppose": "believes",
    "suspect": "suspects",
    "guess": "suspects",
    "fear": "suspects",
    "doubt": "doubts",
}
ADJECTIVES_OF_KNOWING: Final = {
    "aware": "knows",
    "conscious": "knows",
    "sure": "believes",
    "certain": "believes",
    "convinced": "believes",
    "persuaded": "believes",
    "positive": "believes",
    "afraid": "suspects",
}
"""By word, the stance that somebody then has to a fact."""
UNAWARE: Final = words("know suspect guess notice realise realize")
"""Verbs of which it is told, too, that somebody does not know."""
NOT_AWARE: Final = words("unaware unconscious ignorant")
