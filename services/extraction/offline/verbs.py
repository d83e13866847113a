"""How a verb stands in its sentence: its subject, whether it asserts a fact, where its phrases end."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Token

from services.extraction.offline.factuality import is_denied, is_hedged
from services.extraction.offline.lexicon import SPEECH_VERBS
from services.extraction.offline.observations import Argument
from services.extraction.offline.paragraphs import Span

SUBJECTS = ("nsubj", "nsubjpass")
LONGEST_CHAIN = 8
_TIMES = frozenset(("when", "while", "as", "after", "before", "until", "till", "since"))
_TRAILING = frozenset(("relcl", "advcl", "parataxis", "punct", "acl", "cc", "conj"))


def subject_of(verb: Token) -> Token | None:
    """The verb's own subject, or that of the verb it is coordinated with ("she rose and left")."""
    for _ in range(5):
        for child in verb.children:
            if child.dep_ in SUBJECTS:
                return child
        if verb.dep_ != "conj":
            return None
        verb = verb.head
    return None


def happens(verb: Token) -> bool:
    """Whether the clause asserts that something happened: finite, unconditional, not negated."""
    for _ in range(LONGEST_CHAIN):
        if (
            any(child.dep_ == "neg" or child.tag_ == "MD" for child in verb.children)
            or is_hedged(verb)
            or is_denied(verb)
        ):
            return False
        if verb.dep_ != "conj":
            return _stands(verb)
        if verb.head.pos_ != "VERB" or not (finite(verb) or _shares_auxiliary(verb)):
            return False
        verb = verb.head
    return False


def _shares_auxiliary(verb: Token) -> bool:
    """Whether a participle is coordinated with one that has an auxiliary ("had come and gone")."""
    return verb.tag_ == verb.head.tag_ and any(child.dep_ in ("aux", "auxpass") for child in verb.head.children)


def _stands(verb: Token) -> bool:
    """`happens` of a verb that is not coordinated with another."""
    if verb.dep_ == "advcl":
        marks = [child.lower_ for child in verb.children if child.dep_ in ("mark", "advmod")]
        return finite(verb) and any(mark in _TIMES for mark in marks) and "if" not in marks
    if verb.dep_ == "ccomp" and verb.head.lemma_ in SPEECH_VERBS:
        return False
    question = any(child.text == "?" for child in verb.children)
    return verb.dep_ in ("ROOT", "ccomp", "parataxis") and finite(verb) and not question and _free(verb)


def _free(verb: Token) -> bool:
    """Whether a clause without conjunction stands on its own ("he rose, she left"), not as what someone thinks or says."""
    if verb.dep_ != "ccomp":
        return True
    complement = any(child.dep_ == "mark" for child in verb.children) or verb.i > verb.head.i
    return not complement and verb.head.dep_ == "ROOT" and finite(verb.head)


def finite(verb: Token) -> bool:
    """Whether the verb has a tense of its own: no infinitive, participle or modal."""
    auxiliaries = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    if any(child.tag_ in ("TO", "MD") for child in auxiliaries):
        return False
    return verb.tag_ in ("VBD", "VBZ", "VBP") or any(child.tag_ in ("VBD", "VBZ", "VBP") for child in auxiliaries)


def earlier(verb: Token) -> bool:
    """Whether it is told in the past perfect."""
    for _ in range(LONGEST_CHAIN):
        if verb.dep_ != "conj" or any(child.dep_ in ("aux", *SUBJECTS) for child in verb.children):
            break
        verb = verb.head
    return any(child.dep_ == "aux" and child.lower_ in ("had", "’d", "'d") for child in verb.children)


def argument(role: str, head: Token, start: int, preposition: str = "") -> Argument:
    """The phrase of `head` in the chapter, in which the document begins at `start`."""
    return Argument(role, start + head.idx, Span(start + head.left_edge.idx, start + end_of(head)), preposition)


def coordinated(head: Token) -> Iterator[Token]:
    """The word and the nouns that are listed after it ("Jane and Lizzy")."""
    yield head
    for child in head.conjuncts:
        if child.i > head.i and child.pos_ in ("NOUN", "PROPN", "PRON"):
            yield child


def end_of(head: Token) -> int:
    """Where the phrase of `head` ends, its relative clauses and the clauses after it left out."""
    end = head.idx + len(head)
    waiting = [head]
    while waiting:
        for child in waiting.pop().rights:
            if child.dep_ == "cc":
                continue
            if child.dep_ in _TRAILING and not (child.dep_ == "conj" and child.pos_ in ("NOUN", "PROPN", "PRON")):
                break
            end = max(end, child.idx + len(child))
            waiting.append(child)
    return end
