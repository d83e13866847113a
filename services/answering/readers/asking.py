"""What a question asks for, told by its wording."""

from __future__ import annotations

import re
from typing import Final, Literal

from services.answering.readers.sentences import split, terms

Kind = Literal["person", "place", "time", "number", "reason", "feeling", "manner", "deed", "thing", "polar", "other"]

_KINDS: Final[tuple[tuple[Kind, str], ...]] = (
    ("number", r"\bhow (?:many|much|old|often|long|far|tall|big|large)\b|\bwhat (?:number|age)\b"),
    ("feeling", r"\b(?:how|what)\b.*\bfe(?:el|els|elt|eling|elings)\b|\bin what (?:mood|temper)\b"),
    ("reason", r"\bwhy\b|\bwhat (?:made|caused|causes|prompted|prompts|reason)\b|\bfor what reason\b|\bwhat .* for\?$"),
    ("place", r"\bwhere\b|\b(?:in|at|to|from) (?:what|which) (?:place|town|city|country|house|room|street)\b"),
    ("place", r"\bwhat (?:place|town|city|country|street)\b"),
    ("time", r"\bwhen\b(?=.*\?)(?<=^when)|^when\b|\b(?:what|which) (?:time|day|year|month|date|season|hour)\b"),
    ("person", r"^(?:to |with |by |for |from |of )?who(?:m|se)?\b|\b(?:what|which) (?:person|man|woman|character)\b"),
    ("deed", r"\bwhat\b.*\b(?:do|does|did|is|was|were|has|have|had|will|would|must|should|can|could)\b\s+(?:\S+\s+){1,12}do(?:ing|ne)?\b"),
    ("deed", r"\bwhat (?:will |would )?happen(?:s|ed)?\b|\bwhat (?:became|becomes|has become|had become) of\b"),
    ("manner", r"\bhow\b"),
    ("person", r"\bwho(?:m|se)?\b"),
    ("thing", r"\b(?:what|which)\b"),
)  # fmt: skip
_PATTERNS: Final = tuple((kind, re.compile(pattern, re.IGNORECASE)) for kind, pattern in _KINDS)
_POLAR: Final = re.compile(
    r"(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|must)(?:n['’]t)?\b",
    re.IGNORECASE,
)


def kind_of(question: str) -> Kind:
    """The kind of answer a question wants; `polar`: yes or no; `other` where nothing tells."""
    text = question.strip()
    if _POLAR.match(text):
        return "polar"
    return next((kind for kind, pattern in _PATTERNS if pattern.search(text)), "other")


_FEELING: Final = frozenset(
    term for word in ("feel", "felt", "feeling", "feelings", "emotion", "mood", "will", "would") for term in terms(word)
)
"""Terms of a question that only say that a feeling is asked for, or when: the text that tells it seldom has them."""


def asked_terms(question: str) -> list[str]:
    """The terms of a question that the place it is about has to have."""
    found = terms(question)
    return [term for term in found if term not in _FEELING] if kind_of(question) == "feeling" else found


_ASKS: Final = re.compile(
    r"(?:^|[?!,;:—–]\s*|\b(?:and|but|or)\s+)(?:\w+\s+){0,2}?(?:who(?:m|se)?|where|when|why|how|what|which)\b",
    re.IGNORECASE,
)
"""A word that asks where a clause begins; inside one it only relates (`did when the dog and the cat grew poor`)."""
_LONG: Final = 24


def is_composite(question: str) -> bool:
    """Whether a question has several parts, so that no single phrase can answer it."""
    return len(question.split()) > _LONG or len(_ASKS.findall(question)) > 1 or len(list(split(question))) > 1


_STATES: Final = (
    "has have own owns possess possesses hold holds keep keeps love loves hate hates trust trusts distrust distrusts believe believes"
    " fear fears like likes dislike dislikes want wants wish wishes need needs live lives dwell dwells stay stays work works serve"
    " serves rule rules reign reigns belong belongs wear wears stand stands lie lies know knows think thinks feel feels suspect"
    " suspects remain remains sit sits sleep sleeps carry carries guard guards mean means contain contains"
)
_STATE: Final = rf"(?:{'|'.join(_STATES.split())})"
_NOW: Final = re.compile(
    r"\s*(?!.*\b(?:did|will|would|shall|was|were|had|could)\b)"
    r"(?:(?:is|are|am)(?:n['’]t)?\b"
    rf"|(?:do|does)(?:n['’]t)?\b.*\b{_STATE}\b"
    r"|(?:who|whom|what|where|which|whose)(?:\s+\w+){0,3}?\s+(?:is|are)\b(?! \w+ed\b)"
    rf"|(?:who|what|which|whose)(?:\s+\w+){{0,2}}?\s+{_STATE}\b"
    rf"|(?:to |with |in |on )?(?:who|whom|what|where|which|whose)(?:\s+\w+){{0,2}}?\s+(?:do|does)\b.*\b{_STATE}\b)",
    re.IGNORECASE | re.DOTALL,
)
_CLAIMED: Final = re.compile(rf"(?:[^\W_]\S*\s+){{1,4}}(?:is|are|{_STATE})\b(?! \w+ing\b)", re.IGNORECASE)
_SHORT: Final = 12
"""Words of a claim that tells one thing."""


def is_of_now(question: str) -> bool:
    """Whether it asks how things are, rather than what happened (also where that is told in the present: `What does she find?`)."""
    if _NOW.match(question):
        return True
    return "?" not in question and len(question.split()) <= _SHORT and _CLAIMED.match(question) is not None
