"""The parts of a parsed sentence that can be an answer, by what a question asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from services.answering.readers.asking import Kind
from services.answering.readers.roles import Asked, identifies, role_of
from services.answering.readers.wordlists import FEELINGS, LOCATIVE, TIMES
from services.answering.wording import is_person

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

SUBJECTS: Final = frozenset(("nsubj", "nsubjpass", "csubj", "expl"))
_OBJECTS: Final = frozenset(("dobj", "obj", "attr", "oprd", "dative", "ccomp", "xcomp", "acomp", "pobj"))
_SINCE: Final = frozenset(("because", "since", "as", "for", "that", "so", "lest"))
_WHEN: Final = frozenset(("when", "after", "before", "until", "till", "while", "as", "once", "whenever"))
_THIRD: Final = frozenset(("he", "she", "they", "him", "her", "them"))
_SPEAKING: Final = frozenset(("i", "we", "you"))
_LONGEST: Final = 30
_WHOLE: Final = 12
"""Words up to which a thing is told with all that is said of it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """Tokens [start, end) of a sentence; `fit` is how well they suit the question, above 0."""

    start: int
    end: int
    fit: float
    plays: bool = False
    """Whether it is the part that is asked for, of the verb that is asked about."""


def candidates(sentence: Doc, kind: Kind, wanted: Asked) -> Iterator[Candidate]:
    """The parts that suit the kind; those of the question's verb suit better, best in the part that is asked for."""
    for token in sentence:
        for start, end, fit in _parts(token, kind):
            while end > start and (sentence[end - 1].is_punct or sentence[end - 1].pos_ in ("CCONJ", "SCONJ")):
                end -= 1
            while start < end and (sentence[start].is_punct or sentence[start].pos_ == "CCONJ"):
                start += 1
            if 0 < end - start <= _LONGEST:
                times, plays = _playing(token, wanted)
                yield Candidate(start, end, fit * times, plays)


def is_left_to_a_pronoun(sentence: Doc, wanted: Asked) -> bool:
    """Whether the part that is asked for is only `he`, `she` or `they`."""
    return any(token.pos_ == "PRON" and token.lower_ in _THIRD and _playing(token, wanted)[1] for token in sentence)


def is_left_to_the_speaker(sentence: Doc, wanted: Asked) -> bool:
    """Whether it is `I`, `we` or `you` who have or do what is asked for, so that the sentence alone does not say who that is."""
    verbs = [token for token in sentence if wanted.verb and token.lemma_.lower() == wanted.verb]
    subjects = [child.lower_ for verb in verbs for child in verb.children if child.dep_ in SUBJECTS]
    return wanted.role == "subject" and bool(subjects) and all(subject in _SPEAKING for subject in subjects)


def is_told_of(sentence: Doc, wanted: Asked) -> bool:
    """Whether a sentence that is to say who somebody is has him for its subject or what is said of it; any, where that is not asked."""
    places = SUBJECTS | {"attr", "appos"}
    return wanted.role != "identity" or any(t.lemma_.lower() in wanted.subject and t.dep_ in places for t in sentence)


def named_first(sentence: Doc) -> Candidate | None:
    """Whom a sentence names as its first subject: to whom a pronoun of the next one likely refers."""
    for token in sentence:
        if token.dep_ in SUBJECTS and token.pos_ in ("PROPN", "NOUN"):
            start, end = _phrase(token)
            return Candidate(start, end, 1.0, plays=True)
    return None


def _playing(token: Token, wanted: Asked) -> tuple[float, bool]:
    """How well the token's place at its verb suits what the question asks for, and whether it is that very place."""
    own = _verb(token)
    if wanted.role == "identity":
        return (1.5, True) if identifies(token, wanted) else (1.0, False)
    if own is None or not wanted.verb or own.lemma_.lower() != wanted.verb:
        return 1.0, False
    if wanted.role and (role := role_of(token)):
        return (2.2, True) if role == wanted.role else (0.7, False)
    return 1.6, False


def _parts(token: Token, kind: Kind) -> Iterable[tuple[int, int, float]]:
    if kind == "person":
        return _people(token)
    if kind == "place":
        return _places(token)
    if kind == "time":
        return _times(token)
    if kind == "number":
        return _numbers(token)
    if kind == "reason":
        return _reasons(token)
    if kind == "feeling":
        return _feelings(token)
    if kind == "manner":
        return [*_manners(token), *_deeds(token, 0.6)]
    if kind == "deed":
        return _deeds(token, 1.0)
    return [*_things(token), *_deeds(token, 0.4)]


def _people(token: Token) -> Iterator[tuple[int, int, float]]:
    if token.pos_ not in ("PROPN", "NOUN") or token.dep_ == "compound" or any(c.tag_ == "WP$" for c in token.children):
        return
    fit = 1.0 if token.pos_ == "PROPN" else 0.7
    if token.dep_ in SUBJECTS or token.dep_ in ("agent", "attr", "appos") or _under(token, "agent"):
        fit *= 1.3
    if token.ent_type_ in ("GPE", "LOC", "DATE", "TIME", "CARDINAL"):
        fit *= 0.4
    yield (*_phrase(token), fit)


def _places(token: Token) -> Iterator[tuple[int, int, float]]:
    if token.pos_ == "ADP" and token.lower_ in LOCATIVE:
        for child in token.children:
            if child.dep_ == "pobj" and child.lemma_.lower() not in TIMES and not _is_somebody(child):
                named = 1.3 if child.ent_type_ in ("GPE", "LOC", "FAC") else 1.0
                yield token.i, _phrase(child)[1], named


def _is_somebody(token: Token) -> bool:
    """Who is near is no place: `in front of them`, `to Harry`."""
    return token.pos_ not in ("NOUN", "PROPN") or token.ent_type_ == "PERSON" or is_person(token.lemma_.lower())


def _times(token: Token) -> Iterator[tuple[int, int, float]]:
    if token.dep_ == "advcl" and any(c.lower_ in _WHEN for c in token.children if c.dep_ in ("mark", "advmod")):
        yield (*_edges(token), 1.0)
    elif token.lemma_.lower() in TIMES or token.ent_type_ in ("DATE", "TIME"):
        start, end = _phrase(token)
        yield (token.head.i if token.dep_ == "pobj" else start), end, 0.9


def _numbers(token: Token) -> Iterator[tuple[int, int, float]]:
    if (token.like_num and token.tag_ == "CD") or token.ent_type_ in ("CARDINAL", "QUANTITY", "MONEY"):
        if token.head.like_num and token.dep_ == "compound":  # the four of four hundred
            return
        start, end = (token.i, token.i + 1)
        if token.dep_ == "nummod":
            start, end = min(token.i, token.left_edge.i), token.head.i + 1
        yield start, end, 1.0


def _reasons(token: Token) -> Iterator[tuple[int, int, float]]:
    marks = [c for c in token.children if c.dep_ in ("mark", "prep", "cc")]
    if token.dep_ == "advcl" and any(c.lower_ in _SINCE for c in marks):
        start, end = _edges(token)
        strong = any(c.lower_ in ("because", "for", "since") for c in marks)
        yield start + 1, end, 1.4 if strong else 0.8
    elif token.dep_ in ("advcl", "xcomp") and any(c.lower_ == "to" and c.dep_ == "aux" for c in token.children):
        yield (*_edges(token), 0.8)
    elif token.dep_ in ("conj", "ROOT") and token.pos_ in ("VERB", "AUX"):
        first = token.left_edge
        before = token.doc[first.i - 1].lower_ if first.i else ""
        yield (*_edges(token), 1.3 if before == "for" else 0.6)


def _feelings(token: Token) -> Iterator[tuple[int, int, float]]:
    if token.lower_ in FEELINGS or token.lemma_.lower() in FEELINGS:
        bound = token.dep_ in ("acomp", "oprd", "conj", "ROOT")
        yield token.i, token.i + 1, 2.0 if bound else 1.2


def _manners(token: Token) -> Iterator[tuple[int, int, float]]:
    if token.lower_ == "by" and token.dep_ in ("prep", "agent"):
        yield (*_edges(token), 1.2)
    elif token.dep_ == "advcl" and token.tag_ == "VBG":
        yield (*_edges(token), 0.9)


def _deeds(token: Token, fit: float) -> Iterator[tuple[int, int, float]]:
    """What somebody did: the verb with all that follows it, without its subject."""
    if token.pos_ in ("VERB", "AUX") and token.dep_ in ("ROOT", "conj", "ccomp", "advcl", "relcl", "xcomp"):
        subjects = [c for c in token.children if c.dep_ in SUBJECTS]
        start = max((c.right_edge.i + 1 for c in subjects if c.i < token.i), default=token.left_edge.i)
        yield start, token.right_edge.i + 1, fit * (1.2 if subjects else 0.9)


def _things(token: Token) -> Iterator[tuple[int, int, float]]:
    if token.dep_ in _OBJECTS and token.pos_ != "PRON":
        clause = token.pos_ in ("VERB", "AUX")
        start, end = _edges(token)
        if not clause and end - start > _WHOLE:
            start, end = _phrase(token)
        yield start, end, (0.7 if clause else 0.6 if token.dep_ == "pobj" else 1.0)
    elif token.dep_ in SUBJECTS and token.pos_ in ("NOUN", "PROPN"):
        yield (*_phrase(token), 0.6)


def _phrase(token: Token) -> tuple[int, int]:
    """A noun with what stands before it, and its `of`-phrase or a name set beside it; no clauses."""
    end = token.i + 1
    for child in token.rights:
        if (child.dep_ == "prep" and child.lower_ == "of" and child.i == end) or (
            child.dep_ in ("cc", "conj", "compound", "flat") and child.i <= end + 1 and not _has_verb(child)
        ):
            end = child.right_edge.i + 1
    return token.left_edge.i, end


def _edges(token: Token) -> tuple[int, int]:
    return token.left_edge.i, token.right_edge.i + 1


def _has_verb(token: Token) -> bool:
    return any(t.pos_ == "VERB" for t in token.subtree)


def _under(token: Token, dep: str) -> bool:
    return token.head.dep_ == dep


def _verb(token: Token) -> Token | None:
    for above in (token, *token.ancestors):
        if above.pos_ in ("VERB", "AUX") and above.dep_ not in ("aux", "auxpass"):
            return above
    return None
