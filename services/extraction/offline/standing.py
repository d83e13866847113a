"""Clauses of the narration that say how things are, from a parsed document: "Mara was afraid", "he knew that it was gone"."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from spacy.tokens import Doc, Token

from services.extraction.offline.attitudes import ADJECTIVES_OF_KNOWING, NOT_AWARE, REGARD, UNAWARE, VERBS_OF_KNOWING
from services.extraction.offline.clauses import PRONOUNS
from services.extraction.offline.lexicon import words
from services.extraction.offline.observations import Argument, Observations, Standing
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.verbs import argument, coordinated, earlier, end_of, finite, happens, subject_of

_BEING: Final = words("be feel seem look become grow get turn")
_WANTING: Final = words("want wish intend mean resolve determine decide desire long hope plan aim purpose propose")
_KNOWING: Final = VERBS_OF_KNOWING.keys() | UNAWARE
_KNOWING_ADJECTIVES: Final = ADJECTIVES_OF_KNOWING.keys() | NOT_AWARE
_TAKING_PURPOSE: Final = words("determined resolved anxious eager bent")
_OBJECTS: Final = ("dobj", "obj")
_BETWEEN: Final = ("ADV", "PUNCT", "SPACE", "ADP", "ADJ")
"""What may stand between a verb and what is known."""
_LONGEST: Final = 240


def note_standings(document: Doc, start: int, quotations: Quotations, seen: Observations) -> None:
    """Adds the clauses outside direct speech that say how things are; `start` is where the document begins in the chapter."""
    for token in document:
        if token.pos_ not in ("VERB", "AUX") or quotations.covers(start + token.idx):
            continue
        subject = subject_of(token)
        if subject is None or quotations.covers(start + subject.idx) or len(list(coordinated(subject))) > 1:
            continue
        denied = _denied(token)
        if not (denied or happens(token)):
            continue
        for complement in _complements(token, start):
            if not denied or complement.role == "content":
                seen.standings.append(_standing(token, subject, complement, denied, start))


def _denied(verb: Token) -> bool:
    """Whether it is told that somebody does not know something."""
    negated = any(child.dep_ == "neg" for child in verb.children)
    modal = any(child.tag_ == "MD" for child in verb.children)
    return negated and not modal and verb.lemma_ in UNAWARE and verb.dep_ == "ROOT" and finite(verb)


def _standing(verb: Token, subject: Token, complement: Argument, denied: bool, start: int) -> Standing:
    left = start + subject.left_edge.idx
    begin = (
        left
        if subject.i < verb.i and subject.head == verb and complement.span.end - left <= _LONGEST
        else start + verb.idx
    )
    return Standing(
        subject=start + subject.idx,
        pronoun=subject.lower_ if subject.lower_ in PRONOUNS else "",
        verb=verb.lemma_,
        span=Span(begin, complement.span.end),
        complement=complement,
        denied=denied,
        present=_present(verb),
        earlier=earlier(verb),
    )


def _present(verb: Token) -> bool:
    """Whether the first verb of the group is in the present; the perfect counts as past."""
    auxiliaries = [child for child in verb.children if child.dep_ in ("aux", "auxpass")]
    return (auxiliaries[0] if auxiliaries else verb).tag_ in ("VBP", "VBZ")


def _complements(verb: Token, start: int) -> Iterator[Argument]:
    """What the clause says, where the verb is one that says how things are."""
    passive = any(child.dep_ == "auxpass" for child in verb.children)
    if passive:  # "was frightened" is parsed as what somebody does to her
        if verb.tag_ == "VBN" and any(child.lemma_ == "be" for child in verb.children if child.dep_ == "auxpass"):
            yield _phrase("quality", verb, verb, start)
            if verb.lower_ in _TAKING_PURPOSE:
                yield from _purposes(verb, start)
            if verb.lower_ in _KNOWING_ADJECTIVES:
                yield from _contents(verb, start)
        return
    for child in verb.children:
        if child.i < verb.i:
            continue
        if verb.lemma_ in _BEING and child.dep_ == "acomp":
            yield _phrase("quality", child, child, start)
            if child.lower_ in _KNOWING_ADJECTIVES:
                yield from _contents(child, start)
            if child.lower_ in _TAKING_PURPOSE:
                yield from _purposes(child, start)
        elif verb.lemma_ in ("be", "become") and child.dep_ == "attr" and child.pos_ == "NOUN":
            yield _phrase("attribute", child, child.left_edge, start)
        elif verb.lemma_ in REGARD and child.dep_ in _OBJECTS:
            yield argument("object", child, start)
    if verb.lemma_ in _WANTING:
        yield from _purposes(verb, start)
    if verb.lemma_ in _KNOWING:
        yield from _contents(verb, start)


def _purposes(word: Token, start: int) -> Iterator[Argument]:
    """ "To find the key"."""
    for child in word.children:
        to = next((c for c in child.children if c.lower_ == "to" and c.dep_ == "aux"), None)
        if child.i > word.i and child.dep_ == "xcomp" and to is not None:
            yield _phrase("purpose", child, to, start)


def _contents(word: Token, start: int) -> Iterator[Argument]:
    """ "That the key was gone", or the same without that."""
    for child in word.children:
        if child.i < word.i or child.dep_ != "ccomp" or not finite(child):
            continue
        mark = next((c for c in child.children if c.dep_ == "mark"), None)
        if mark is not None and mark.lower_ != "that":
            continue
        own = next((c for c in child.children if c.dep_ in ("nsubj", "nsubjpass", "expl")), None)
        first = child.left_edge
        between = word.doc[word.i + 1 : first.i]
        aside = len(between) > 1 and between[0].text == between[-1].text == ","
        beside = first.i > word.i and (aside or all(token.pos_ in _BETWEEN for token in between))
        if own is not None and beside and (mark is not None or not len(between)):
            yield _phrase("content", child, first, start)


def _phrase(role: str, head: Token, first: Token, start: int) -> Argument:
    return Argument(role, start + head.idx, Span(start + first.idx, start + end_of(head)))
