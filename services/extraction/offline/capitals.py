"""Capitals that say little: words that only begin a sentence, abbreviations, and figures of speech.

"Meantime Orlov" is Orlov, "Jan." is Jan where the chapter has a Jan, and "Prayer", written so once or twice, is a common word
and nobody in particular.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Final

from services.extraction.offline.language import is_abstract
from services.extraction.offline.lexicon import GIVEN_NAMES, TITLES
from services.extraction.offline.names import KnownEntity, Name, spelling
from services.extraction.offline.observations import Surface, Votes

_SELDOM: Final = 2
"""Uses up to which a common word with a capital is taken for a figure of speech."""


def plain(
    runs: Mapping[Surface, Votes], openers: Collection[str], known: Mapping[str, KnownEntity]
) -> dict[Surface, Votes]:
    """The runs of a chapter without what only begins or ends a sentence; what is known as an entity stays as it is.

    `openers` are common words in lower case that are no nouns alone.
    """
    kept: dict[Surface, Votes] = {}
    for tokens, votes in sorted(runs.items()):
        if spelling(" ".join(tokens)) not in known:
            tokens = _without_point(_without_opener(tokens, votes, runs, openers), runs)
        kept.setdefault(tokens, Votes()).add(votes)
    return kept


def without_figures_of_speech(
    names: Sequence[Name], words: Collection[str], known: Mapping[str, KnownEntity]
) -> list[Name]:
    """The names without people called by a common word of `words` once or twice, unless known or a part of a longer name."""
    parts = {word for name in names if len(name.tokens) > 1 for word in name.tokens}
    return [
        name
        for name in names
        if name.text in parts or not _figure_of_speech(name, words) or spelling(name.text) in known
    ]


def _without_opener(tokens: Surface, votes: Votes, runs: Mapping[Surface, Votes], openers: Collection[str]) -> Surface:
    """The run without a word that stood before a name because it began the sentence ("Confound Jane")."""
    first = tokens[0].lower()
    if len(tokens) < 2 or votes.inner or first not in openers or first in GIVEN_NAMES | TITLES:
        return tokens
    rest = tokens[1:]
    named = rest[0].lower().rstrip(".") in GIVEN_NAMES | TITLES or (rest in runs and runs[rest].total > votes.total)
    return rest if named else tokens


def _without_point(tokens: Surface, runs: Mapping[Surface, Votes]) -> Surface:
    """The run with a full stop that ends its sentence left out, where the chapter has it without."""
    last = tokens[-1].rstrip(".")
    bare = (*tokens[:-1], last)
    return bare if tokens[-1].endswith(".") and len(last) > 2 and bare in runs else tokens


def _figure_of_speech(name: Name, words: Collection[str]) -> bool:
    word = name.text.lower()
    if name.votes.inner and name.votes.speaks and not is_abstract(word):
        return False  # "the Duck" that says something
    return (
        name.type == "character" and name.votes.total <= _SELDOM and word in words and word not in GIVEN_NAMES | TITLES
    )
