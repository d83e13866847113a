"""How somebody feels: the word of feeling near the place that a question is about, and whose feeling it is."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from services.answering.readers.ranking import Ranked
from services.answering.readers.roles import Asked
from services.answering.readers.sentences import Sentence, Supports
from services.answering.readers.telling import neighbour
from services.answering.readers.wordlists import FEELINGS

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

NEAR: Final = ((0, 1.0), (1, 0.8), (-1, 0.7), (2, 0.5))
"""How far from the place a feeling may be told, in sentences, and what it is worth there."""
_OPEN: Final = 0.7
"""The worth of a feeling that nothing says whose it is."""
_WISH: Final = re.compile(r"\b(?:not|never|n['’]t)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Felt:
    """A feeling in the words of a text, with the sentence that the question is about and the one that tells the feeling."""

    text: str
    about: Sentence
    told: Sentence
    worth: float


def felt(supports: Supports, found: Sequence[Ranked], wanted: Asked, parse: Callable[[str], Doc]) -> Felt | None:
    """The feeling that is likeliest asked for; None where none is told near any of the sentences."""
    best: Felt | None = None
    for place in found:
        for step, near in NEAR:
            told = place.sentence if step == 0 else neighbour(supports, place.sentence, step)
            for token, fit in _feelings(parse(told.text), wanted) if told else ():
                worth = place.worth * near * fit
                if told is not None and worth and (best is None or worth > best.worth + 1e-9):
                    best = Felt(token.text, place.sentence, told, worth)
    return best


def nearby(place: int, told: Sequence[int]) -> bool:
    """Whether a sentence is one that a feeling told in any of `told` may be felt at, by their places."""
    return any(each - place == step for each in told for step, _ in NEAR)


def _feelings(sentence: Doc, wanted: Asked) -> Iterator[tuple[Token, float]]:
    for token in sentence:
        if token.lower_ not in FEELINGS and token.lemma_.lower() not in FEELINGS:
            continue
        if token.pos_ == "ADV" or (
            token.pos_ == "VERB" and any(child.dep_ in ("dobj", "xcomp") for child in token.children)
        ):
            continue
        denied = any(child.dep_ == "neg" for child in token.head.children) or _WISH.search(
            sentence[max(0, token.i - 3) : token.i].text
        )
        yield token, (0.2 if denied else 1.0) * _whose(token, wanted)


def _whose(token: Token, wanted: Asked) -> float:
    """How well whoever feels it suits who is asked about; 0: it is somebody else."""
    owner = next((child for child in token.children if child.dep_ == "poss"), None)
    subject = owner
    for above in (token, *token.ancestors):
        if subject is None:
            subject = next((child for child in above.children if child.dep_ in ("nsubj", "nsubjpass")), None)
    if subject is None:
        return _OPEN
    lemmas = {each.lemma_.lower() for each in subject.subtree if each.pos_ in ("NOUN", "PROPN")}
    if wanted.subject and wanted.subject & lemmas:
        return 1.3
    # `his heart`, `she`, `who`: likely of whom the sentence is about
    bodily = any(each.pos_ == "PRON" for each in subject.subtree)
    return 1.0 if bodily or not lemmas else 0.0
