"""Where a draft says that those whom the story knows are, at places that it knows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from events.names import PERSON, THING, class_of
from services.auditing.checking.case import Case
from services.auditing.checking.narrated import Sentence, is_done, places, subjects

if TYPE_CHECKING:
    from spacy.tokens import Token

_AT: Final = frozenset(("at", "in", "inside", "within", "on", "upon", "under", "outside", "aboard"))
_BEING: Final = frozenset(
    (
        "be", "sit", "stand", "lie", "sleep", "stay", "wait", "wake", "remain", "live", "kneel", "linger", "lodge", "dwell",
        "crouch", "rest", "hang", "lean", "work", "watch", "eat", "sup", "dine", "lay", "hide", "loiter", "breakfast", "doze",
    )
)  # fmt: skip
"""Verbs of being somewhere, not of going there."""
_FINDING: Final = frozenset(("find", "see", "meet", "discover", "spy", "catch", "surprise", "leave"))


def whereabouts(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of who, and of what, is at which place: by the place's own verb, of being there and not of going."""
    found: list[dict[str, Any]] = []
    for sentence in sentences:
        if not places(sentence) or sentence.unreal:
            continue
        for entity, place in dict.fromkeys(_there(sentence)):
            who, where = case.name(entity), case.name(place)
            number = f"{len(found)}-there"
            if class_of(entity) == PERSON:
                found.append(sentence.record(number, "presence", entity=who, location=where))
            elif class_of(entity) == THING:
                found.append(sentence.record(number, "object_delta", object=who, location=where))
    return found


def _there(sentence: Sentence) -> Iterator[tuple[str, str]]:
    for verb, entity in subjects(sentence):
        if verb.lemma_.lower() in _BEING:
            yield from ((entity, place) for place in (*_placed(sentence, verb), *_place_of(sentence, verb)))
    for token in sentence.parsed:
        met = sentence.entity(token)
        if met is not None and is_found(token):
            found = token.head if token.dep_ == "dobj" else token.head.head
            around = (place for each in found.subtree for place in _placed(sentence, each))
            yield from ((met, place) for place in around)


def is_found(token: Token) -> bool:
    """Whether somebody is found by the verb above: its object, or the subject of what it is found to be (`found her awake`)."""
    if token.dep_ == "dobj":
        verb = token.head
    elif token.dep_ in ("nsubj", "ccomp") and token.head.dep_ in ("ccomp", "xcomp") and _is_small(token.head):
        verb = token.head.head
    else:
        return False
    return verb.lemma_.lower() in _FINDING and is_done(verb)


def _is_small(clause: Token) -> bool:
    """Whether a clause has no verb of its own tense: `found her peeling an apple`, not `found that she had lied`."""
    return clause.tag_ == "VBG" or clause.pos_ not in ("VERB", "AUX")


def _placed(sentence: Sentence, token: Token) -> list[str]:
    """The places that prepositions of place have at the token."""
    beside = [token, *(child for child in token.children if child.dep_ in ("acomp", "advmod"))]
    preps = [child for each in beside for child in each.children if child.dep_ == "prep" and child.lower_ in _AT]
    nouns = [noun for prep in preps for noun in prep.children if noun.dep_ == "pobj"]
    return [place for place in places(sentence) if any(sentence.is_called(noun, place) for noun in nouns)]


def _place_of(sentence: Sentence, verb: Token) -> list[str]:
    """`the mill, where she slept`."""
    if verb.dep_ != "relcl" or not any(child.lower_ == "where" for child in verb.children):
        return []
    return [place for place in places(sentence) if sentence.is_called(verb.head, place)]
