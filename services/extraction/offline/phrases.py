"""Descriptions of people and places, and pronouns, from a parsed document; what happens is in `happenings`."""

from __future__ import annotations

from spacy.tokens import Doc, Token

from services.extraction.offline.happenings import is_told, occurs
from services.extraction.offline.lexicon import words
from services.extraction.offline.nouns import sort_of
from services.extraction.offline.observations import Observations, Phrase, Pronoun
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

PRONOUNS = words(
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its itself we us our ours "
    "ourselves they them their theirs themselves"
)
_SUBJECTS = ("nsubj", "nsubjpass")
_LEFT = ("det", "amod", "poss", "compound", "nummod", "predet", "quantmod", "nmod", "advmod")
_RIGHT = ("prep", "relcl", "acl")
_DEFINITE = ("the", "this", "that", "these", "those")
_SOMEBODY = words("somebody someone anybody anyone nobody everybody everyone")
_LONGEST_PHRASE = 45
"""Words of a description at most: what the parser makes longer is a mistake of its own."""


def note_phrases(document: Doc, start: int, quotations: Quotations, seen: Observations) -> None:
    """Adds descriptions, pronouns and happenings; `start` is where the document begins in the chapter."""
    for token in document:
        word = token.lower_
        if token.dep_ in _SUBJECTS:
            seen.subjects.append(start + token.idx)
        if token.pos_ in ("PRON", "DET") and word in PRONOUNS:
            quoted = quotations.covers(start + token.idx)
            seen.references.append(Pronoun(start + token.idx, word, token.dep_ in _SUBJECTS, quoted))
        elif word in _SOMEBODY or (word == "one" and _some_one(token)):
            seen.phrases.append(_phrase(token, start, "PER"))
        elif token.pos_ == "NOUN":
            sort = sort_of(token.lemma_.lower())
            if sort is not None and token.dep_ not in ("compound", "amod", "nmod"):
                seen.phrases.append(_phrase(token, start, sort))
            elif occurs(token, quotations.covers(start + token.idx)):
                seen.happenings.append(_span(token, start))
        elif token.pos_ == "VERB" and is_told(token, quotations.covers(start + token.idx)):
            seen.happenings.append(_span(token, start))


def _some_one(one: Token) -> bool:
    return one.i > 0 and one.nbor(-1).lower_ in ("no", "any", "some", "every")


def _span(token: Token, start: int) -> Span:
    return Span(start + token.idx, start + token.idx + len(token))


def _phrase(head: Token, start: int, sort: str) -> Phrase:
    first, last = _extent(head)
    determiner = next((child.lower_ for child in head.lefts if child.dep_ == "det"), "")
    owner = next((child for child in head.lefts if child.dep_ == "poss"), None)
    return Phrase(
        span=Span(start + first.idx, start + last.idx + len(last)),
        head=start + head.idx,
        noun=head.lemma_.lower(),
        sort=sort,
        plural=head.tag_ == "NNS",
        definite=determiner in _DEFINITE,
        indefinite=determiner in ("a", "an", "another", "any", "some", "no", "every", "each"),
        owner=None if owner is None else start + owner.idx,
        subject=head.dep_ in _SUBJECTS,
        modifiers=tuple(child.lower_ for child in head.lefts if child.dep_ in ("amod", "compound", "nummod")),
        appositive_of=start + head.head.idx if head.dep_ == "appos" else None,
    )


def _extent(head: Token) -> tuple[Token, Token]:
    """The first and last word of the phrase: with what stands before the noun and, after it, what says which is meant."""
    first = head
    for child in head.lefts:
        if child.dep_ in _LEFT:
            first = min(first, child.left_edge, key=lambda t: t.i)
    last = head
    for child in head.rights:
        if child.dep_ == "punct" or child.dep_ not in _RIGHT:
            if child.dep_ in ("cc", "conj", "appos"):
                break
            continue
        if child.right_edge.i - first.i > _LONGEST_PHRASE:
            break
        if child.left_edge.i > last.i + 1 and child.dep_ == "prep":
            break
        last = child.right_edge
    while last.i > head.i and (last.is_punct or last.is_space):
        last = last.nbor(-1)
    return first, last
