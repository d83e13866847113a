"""Clauses that rules read off a text: which of them can stand alone in a recap, and how much they are about what their chapter is about."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable
from typing import Final

from projections.search.analysis import terms
from projections.story_state.found import RecordRow
from services.answering.readers.wordlists import BASES

_LEANING: Final = re.compile(
    r"\b(?:I|me|my|mine|we|us|our|it|its|itself|them|him|this|that|these|those|there|thus|such|so|another|others|both|latter"
    r"|former|thither|hither)\b(?! \w+ed\b)"
    r"|\bher\b(?=\s*(?:[.,;]|$)|\s+(?:to|in|on|at|with|from|for|and|as|by|of|down|up|off|away|into|over|out|back|again|there|through)\b)"
    r"|\b(?:his|her|their) (?:voice|reply|answer|words?|question|tone)\b",
    re.IGNORECASE,
)
"""Words that lean on a sentence before: on what was left out."""
_RELATING: Final = re.compile(
    r"\b(?:saw|found|knew|felt|thought|heard|said|told|fancied|believed|remembered|forgot|so \w+) that\b", re.IGNORECASE
)
_CUT_OFF: Final = re.compile(
    r"(?:,|\b(?i:and|or|but|then|to|that|of|with|as|if|so|say|says|said|when|while|because|for|at|in|on|had come|again|it|the|a|an))[.…]?$"
    r"|\band(?: then)?,|\band (?:the )?[A-Z][\w.]*$",
)
_BESIDE: Final = re.compile(r"^(?:and (?:the )?[A-Z][\w.’'-]*(?: [A-Z][\w.’'-]*)* )+")
"""Who does it, too."""
_IDLE: Final = frozenset(
    (
        "sit", "stand", "look", "walk", "go", "come", "turn", "lie", "rise", "run", "lean", "nod", "smile", "sigh", "glance", "gaze",
        "stare", "pause", "shake", "laugh", "hurry", "step", "move", "seem", "appear", "be", "eye", "hold", "put", "lift", "begin",
        "speak", "say", "cry", "answer", "reply", "draw", "drop", "hasten", "stop", "start", "wait", "think", "fancy", "get", "feel",
    )
)  # fmt: skip
"""What people do all the time."""
_IDLE_WORTH: Final = 0.55
_PLAIN_WORTH: Final = 0.5
"""The worth of a clause that has none of its chapter's own words."""
_ADVERB: Final = re.compile(
    r"(?:\w+ly|never|always|then|now|soon|once|suddenly|at last|still|only|just) ", re.IGNORECASE
)


def stands_alone(clause: str, name: str) -> bool:
    """Whether a clause says who (`name` begins it) does what, and leans on nothing that goes before."""
    if not name or not clause.startswith(f"{name} "):
        return False
    rest = clause[len(name) + 1 :]
    first = _BESIDE.sub("", rest).partition(" ")[0]
    if not first[:1].islower() or first.endswith("ing") or first in ("who", "whose", "which", "of", "as", "with"):
        return False
    return not _LEANING.search(_RELATING.sub("", rest)) and not _CUT_OFF.search(rest)


class Topics:
    """What chapters are about, by the words that their records say often and other chapters seldom (tf-idf; Luhn 1958 for the use)."""

    def __init__(self, rows: Iterable[RecordRow]) -> None:
        self._said: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for row in rows:
            self._said[row.chapter].update(set(terms(str(row.payload.get("summary") or ""))))
        self._chapters = Counter(term for said in self._said.values() for term in said)
        self._most = {
            chapter: max((self._weight(chapter, t) for t in said), default=1.0) for chapter, said in self._said.items()
        }

    def worth(self, row: RecordRow, name: str) -> float:
        """From `_PLAIN_WORTH` to 1 by how much of its chapter's own words the clause has; less where it is of an idle deed."""
        clause = str(row.payload.get("summary") or "")
        found = sorted({self._weight(row.chapter, term) for term in terms(clause)}, reverse=True)[:3]
        own = sum(found) / 3 / (self._most.get(row.chapter) or 1.0)
        return (_PLAIN_WORTH + (1 - _PLAIN_WORTH) * own) * (_IDLE_WORTH if _is_idle(clause, name) else 1.0)

    def _weight(self, chapter: int, term: str) -> float:
        return math.log1p(self._said[chapter][term]) * math.log(1 + len(self._said) / self._chapters[term])


def _is_idle(clause: str, name: str) -> bool:
    rest = clause[len(name) + 1 :] if clause.startswith(f"{name} ") else clause
    word = _ADVERB.sub("", rest).partition(" ")[0].casefold().strip(",.")
    stems = {BASES.get(word, word), word.removesuffix("ed"), word.removesuffix("d"), word.removesuffix("s")}
    return bool(stems & _IDLE) or word in ("was", "were", "is", "are", "had", "has")
