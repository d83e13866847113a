"""Which sentences of a packet a question is about: the words they share, in what order, with which verb."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from services.answering.readers.asking import Kind, asked_terms
from services.answering.readers.roles import Asked
from services.answering.readers.sentences import FUNCTION_TERMS, Sentence, Supports, is_entry, terms

if TYPE_CHECKING:
    from spacy.tokens import Doc

LOOKED_AT: Final = 6
"""Sentences that are parsed."""
_VERB: Final = 0.15
_SUBJECT: Final = 0.1
_ORDER: Final = 0.25
"""What the verb, the subject, and pairs of words in the question's order add to the share of its words."""
ORDERED: Final = 0.6
_BELIEVED: Final = 0.95
_BELIEVED_OF: Final[Mapping[Kind, float]] = {"reason": 0.7, "manner": 0.9, "feeling": 1.1}
"""What a sentence has to reach in its share of a question's words and `ORDERED` times that of its pairs.

Read off half of FairytaleQA's validation questions, and as many asked one chapter before their answer is told, by kind of question.
Why something came about is told beside it, so that a sentence about it is the place sooner than for what, where or who: at these
measures three answers in four are right, and one question in nineteen whose answer is not told yet is answered. A feeling stands
beside its place as often as not, and somebody else's, too.
"""


@dataclass(frozen=True, slots=True)
class Ranked:
    """A sentence with its parse. `share`: of the question's words; `worth`: how likely it is what is asked about, 0 to 1.5."""

    sentence: Sentence
    parsed: Doc
    share: float
    worth: float


def likeliest(supports: Supports, shares: Sequence[float], question: str) -> list[int]:
    """The places of the sentences to look at, by the words they share with the question."""
    pairs = _pairs(asked_terms(question))
    value = [share + _ORDER * _in_order(supports.sentences[n].text, pairs) for n, share in enumerate(shares)]
    told = [n for n, sentence in enumerate(supports.sentences) if not is_entry(sentence.text)]
    return sorted(told or range(len(shares)), key=lambda place: (-round(value[place], 6), place))[:LOOKED_AT]


def ranked(
    supports: Supports,
    shares: Sequence[float],
    places: Sequence[int],
    parses: Sequence[Doc],
    question: str,
    asked: Asked,
) -> list[Ranked]:
    """Those sentences, the likeliest first."""
    pairs = _pairs(asked_terms(question))
    found = []
    for place, parsed in zip(places, parses, strict=True):
        lemmas = {token.lemma_.lower() for token in parsed}
        worth = shares[place] + _ORDER * _in_order(supports.sentences[place].text, pairs)
        worth += _VERB * (asked.verb in lemmas) + _SUBJECT * bool(asked.subject & lemmas)
        found.append(Ranked(supports.sentences[place], parsed, shares[place], worth))
    return sorted(found, key=lambda each: (-round(each.worth, 6), each.sentence.place))


def believed(kind: Kind) -> float:
    """What `evidence` has to reach for a question of a kind."""
    return _BELIEVED_OF.get(kind, _BELIEVED)


def evidence(question: str, sentence: str, share: float) -> float:
    """How far a sentence with such a share of a question's words is about what is asked; see `believed`."""
    return share + ORDERED * _in_order(sentence, _pairs(asked_terms(question)))


def _pairs(found: Sequence[str]) -> frozenset[tuple[str, str]]:
    return frozenset(pairwise(term for term in found if term not in FUNCTION_TERMS))


def _in_order(text: str, pairs: frozenset[tuple[str, str]]) -> float:
    return len(pairs & _pairs(terms(text))) / len(pairs) if pairs else 0.0
