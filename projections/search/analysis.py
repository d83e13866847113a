"""The terms of a text, for the lexical index and for BM25: one definition, so that both mean the same by a match.

Compatibility forms and case are folded. A term is a word without its possessive ending, lightly stemmed where it is of
plain Latin letters; runs of Han, Kana and Hangul characters give their overlapping pairs (a lone character stands for itself).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

LONGEST_TERM: Final = 60
"""Longer words are cut here: they are no words, and an index has to hold them."""

_CJK: Final = "\u3040-\u30ff\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN: Final = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+(?:['’][^\\W_{_CJK}]+)*")
_IS_CJK: Final = re.compile(f"[{_CJK}]")
_PLAIN: Final = re.compile(r"[a-z]+")
_VOWEL: Final = re.compile(r"[aeiouy]")
_KEPT_DOUBLE: Final = frozenset("lsz")


def terms(text: str) -> list[str]:
    """The terms of a text in order, with repetitions. A text without letters and digits has none."""
    return [term for token in tokens(text) for term in terms_of(token)]


def tokens(text: str) -> list[str]:
    """What a text is cut into before it is analysed: words, and runs of characters that are written without spaces."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).casefold())


@lru_cache(maxsize=200_000)
def terms_of(token: str) -> tuple[str, ...]:
    """The terms of one token."""
    if _IS_CJK.match(token):
        return (token,) if len(token) == 1 else tuple(token[i : i + 2] for i in range(len(token) - 1))
    word = token.replace("’", "'")
    word = word.removesuffix("'s").replace("'", "")[:LONGEST_TERM] or word[:LONGEST_TERM]
    return (stem(word) if _PLAIN.fullmatch(word) else word,)


def stem(word: str) -> str:
    """A word without a plural, -ed or -ing ending and without a final e, so that hide, hides and hiding meet.

    Words of three letters and fewer stay; an ending goes only if three letters with a vowel remain. Deliberately light: it
    joins the forms of one word, never two different words by derivation.
    """
    if len(word) <= 3:
        return word
    word = _singular(word)
    for ending in ("ing", "ed"):
        rest = word.removesuffix(ending)
        if rest != word and len(rest) >= 3 and _VOWEL.search(rest):
            word = _undoubled(rest)
            break
    if word.endswith("e") and len(word) > 3:
        return word[:-1]
    return word[:-1] + "i" if word.endswith("y") and len(word) > 3 and not _VOWEL.match(word[-2]) else word


def _singular(word: str) -> str:
    if not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    return word[:-1]


def _undoubled(stem_: str) -> str:
    """`stopp` as `stop`; `fall` stays, as the word itself has the double letter."""
    twice = len(stem_) > 3 and stem_[-1] == stem_[-2] and stem_[-1] not in _KEPT_DOUBLE
    return stem_[:-1] if twice and not _VOWEL.match(stem_[-1]) else stem_
