"""Descriptions of people and places, pronouns, and words that tell of what happens, from a parsed document."""

from __future__ import annotations

from spacy.tokens import Doc, Token

from services.extraction.offline.lexicon import NO_EVENT, words
from services.extraction.offline.nouns import HAPPENINGS, sort_of
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
_UNREAL = frozenset(("if", "unless", "whether", "though", "although"))
_USUAL = frozenset(("always", "often", "usually", "generally", "seldom", "sometimes", "never", "ever", "occasionally"))
_BEGINNING = frozenset(("begin", "start", "commence", "continue", "proceed"))
_PERCEIVED = frozenset(("see", "hear", "feel", "perceive", "distinguish", "discern", "smell", "catch"))
_NOW = frozenset(
    (
        "wonder",
        "remember",
        "see",
        "tell",
        "wish",
        "hope",
        "beg",
        "swear",
        "vow",
        "promise",
        "insist",
        "assure",
        "confess",
    )
)
"""Verbs that happen as somebody says "I" with them."""
_NO_HAPPENING = (
    (NO_EVENT - {"look", "think"})
    | words(
        "stand lie hang grow become wear bear live love use happen make give let cause fill spread teach expect intend"
    )
    | words("begin commence proceed")
)
"""Verbs of states and habits, and verbs that leave what happens to another word ("gave a cry")."""
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
            elif token.lemma_ in HAPPENINGS and _single(token) and not quotations.covers(start + token.idx):
                seen.happenings.append(_span(token, start))
        elif token.pos_ == "VERB" and _told(token, quotations.covers(start + token.idx)):
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


def _single(noun: Token) -> bool:
    """Whether a noun stands for one occurrence: not in general, not denied."""
    before = {child.lower_ for child in noun.lefts}
    if noun.tag_ != "NN" or before & {"no", "any", "every", "each", "such", "without"}:
        return False
    return bool(before) or (noun.dep_ == "pobj" and noun.head.lower_ in ("with", "by", "after"))


def _told(verb: Token, quoted: bool) -> bool:
    """Whether a verb tells of something that happens: not denied, not supposed, not wished, not in general."""
    if verb.dep_ in ("aux", "auxpass", "amod") or verb.lemma_ in _NO_HAPPENING:
        return _said_of_oneself(verb)
    children = list(verb.children)
    if any(c.dep_ == "neg" or c.lower_ in _UNREAL for c in children):
        return False
    if any(c.tag_ == "MD" for c in children):  # "he could hear": he heard
        return verb.lemma_ in _PERCEIVED and any(c.lower_ == "could" for c in children)
    if verb.tag_ == "VB":
        return _begun_or_perceived(verb)
    if any(c.dep_ == "aux" and c.tag_ == "TO" for c in children):
        return False
    if verb.lemma_ == "look" and any(c.dep_ == "acomp" for c in children):
        return False
    if verb.lemma_ in _BEGINNING and any(c.dep_ == "xcomp" for c in children):
        return False
    if _in_passing(verb, children):
        return False
    return _tensed(verb) or _said_of_oneself(verb) or (not quoted and _beside_what_is_told(verb))


def _begun_or_perceived(verb: Token) -> bool:
    """ "Began to run", "heard her speak": it is the infinitive that happens."""
    head = verb.head
    if verb.dep_ == "xcomp" and head.lemma_ in _BEGINNING:
        return _tensed(head)
    bare = not any(c.tag_ == "TO" for c in verb.children)
    return (
        verb.dep_ in ("ccomp", "xcomp") and bare and head.lemma_ in _PERCEIVED and _tensed(head) and not _denied(head)
    )


def _in_passing(verb: Token, children: list[Token]) -> bool:
    """Whether a verb only says which thing or person is meant, or what was the case for many."""
    if verb.dep_ in ("acl", "pcomp") and verb.tag_ == "VBD":
        return True
    if verb.dep_ == "relcl":
        return any(c.dep_ in _SUBJECTS and c.lower_ in ("which", "that") for c in children)
    if verb.dep_ == "advcl" and any(c.tag_ == "MD" for c in verb.head.children):
        return True
    return any(
        (c.dep_ == "auxpass" and c.lower_ == "were") or (c.dep_ == "advmod" and c.lower_ in _USUAL) for c in children
    )


def _said_of_oneself(verb: Token) -> bool:
    """ "I wonder": what happens as it is said."""
    if verb.tag_ != "VBP" or verb.lemma_ not in _NOW or any(c.dep_ in ("neg", "aux") for c in verb.children):
        return False
    return any(c.dep_ == "nsubj" and c.text == "I" for c in verb.children)


def _tensed(verb: Token) -> bool:
    """Whether the verb, by itself or its auxiliary, tells of the past."""
    if verb.tag_ == "VBD":
        return True
    auxiliaries = [c for c in verb.children if c.dep_ in ("aux", "auxpass")]
    return verb.tag_ in ("VBG", "VBN") and any(c.tag_ == "VBD" for c in auxiliaries)


def _beside_what_is_told(verb: Token) -> bool:
    """Whether a participle goes with a verb that tells of something or of how somebody was: "he sat, humming"."""
    head = verb.head
    if head.pos_ not in ("VERB", "AUX") or any(c.dep_ in ("aux", "auxpass") for c in verb.children):
        return False
    with_it = ("advcl", "conj", "acl", "xcomp") if verb.tag_ == "VBG" else ("conj",) if verb.tag_ == "VBN" else ()
    if verb.dep_ not in with_it:
        return False
    if verb.tag_ == "VBG" and verb.dep_ in ("advcl", "xcomp") and _tensed(head) and not _denied(head):
        return True
    return _told(head, quoted=False)


def _denied(verb: Token) -> bool:
    return any(c.dep_ == "neg" or c.tag_ == "MD" or c.lower_ in _UNREAL for c in verb.children)
