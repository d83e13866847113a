"""Names: when two spellings are the same name, and what an entity is called in the log.

An entity id is `<class>/<name key>`. The class keeps a character and a place of one name apart; it is one of
`person` (character, creature, group), `place` (location), `thing` (object), `idea` (concept), `unknown` (a name that
nobody had introduced where it was used) and `ambiguous` (a name that several entities share).
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final

from events.ids import EntityId

MAX_NAME: Final = 300
"""The longest name, in characters."""

PERSON, PLACE, THING, IDEA, UNKNOWN, AMBIGUOUS = "person", "place", "thing", "idea", "unknown", "ambiguous"

CLASS_OF_TYPE: Final = {
    "character": PERSON,
    "creature": PERSON,
    "group": PERSON,
    "location": PLACE,
    "object": THING,
    "concept": IDEA,
    "unknown": UNKNOWN,
}
READER: Final = "reader"
"""The one knower who is no entity of the story."""

_FOLD: Final = str.maketrans(
    dict.fromkeys("‘’‚‛ʼ′＇`", "'") | dict.fromkeys("“”„‟«»″＂", '"') | dict.fromkeys("‐‑‒–—―−", "-")
)
_ARTICLE: Final = re.compile(r"^(?:an?|the)\s+(?=\S)")
_SPACE: Final = re.compile(r"\s+")
_LONG_DASH: Final = re.compile(r"[–—―]|--+")
_NOT_WORD: Final = re.compile(r"[^\w\s]|_")


def is_invisible(name: str) -> bool:
    """Whether there is nothing to be seen of a name but space: joiners, marks of direction and the like."""
    return all(c.isspace() or unicodedata.category(c) in ("Cc", "Cf", "Cs") for c in name)


def literal_key(text: str) -> str:
    """How literals (attribute values, thread names) are compared: Unicode form, case, quotes and white space folded."""
    return _short_key(text) if len(text) <= MAX_NAME else _fold_literal(text)


@lru_cache(maxsize=50_000)
def _short_key(text: str) -> str:
    """A story uses the same names over and over."""
    return _fold_literal(text)


def _fold_literal(text: str) -> str:
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text).translate(_FOLD)).strip().casefold()


@lru_cache(maxsize=50_000)
def name_key(name: str) -> str:
    """How names are compared: as literals, without a leading article and surrounding quotation marks.

    A name that is nothing else keeps them: there is no name without a key.
    """
    literal = literal_key(name)
    key = literal.strip("\"'")
    return _ARTICLE.sub("", key).strip("\"'") or key or literal


def fact_key(fact: str) -> str:
    """The text of a fact in a state key: lower case, articles and punctuation dropped, white space collapsed.

    A fact that is nothing but punctuation keeps it: a key without it could not be asked for.
    """
    words = _NOT_WORD.sub("", literal_key(_LONG_DASH.sub(" ", fact))).split()
    kept = [word for word in words if word not in ("a", "an", "the")]
    return " ".join(kept or words) or literal_key(fact)


def entity_id(kind_class: str, key: str) -> EntityId:
    return EntityId(f"{kind_class}/{key}")


def class_of(entity: str) -> str:
    return entity.partition("/")[0]


def key_of(entity: str) -> str:
    return entity.partition("/")[2]
