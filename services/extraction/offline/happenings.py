"""Words that tell of something that happens: verbs and nouns of one occurrence, told as a fact.

What counts is what LitBank's annotators call a realis event (Sims, Park and Bamman 2019): asserted, particular, not denied,
supposed, planned or usual.
"""

from __future__ import annotations

from spacy.tokens import Token

from services.extraction.offline.lexicon import NO_EVENT, words
from services.extraction.offline.nouns import HAPPENINGS, PHENOMENA, STIRRINGS

_SUBJECTS = ("nsubj", "nsubjpass")
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
_IN_GENERAL = frozenset(("no", "any", "every", "each", "such", "without"))
_OF_A_VERB = ("dobj", "nsubj", "nsubjpass", "attr")
_MEANT = frozenset(("for", "on", "as", "like", "without"))
"""Prepositions after which an occurrence is only meant, or likened to: "dressed for the dinner"."""


def occurs(noun: Token, quoted: bool) -> bool:
    """Whether a noun stands for one occurrence: not in general, not denied, not only wished for or meant."""
    before = {child.lower_ for child in noun.lefts}
    if before & _IN_GENERAL or noun.dep_ in ("compound", "nmod", "amod"):
        return False
    if noun.dep_ in _OF_A_VERB and noun.head.tag_ in ("VB", "VBP", "VBZ"):
        return False
    if noun.lemma_ in PHENOMENA:
        return not quoted and noun.tag_ == "NN"
    if noun.lemma_ in STIRRINGS:
        return not quoted
    if noun.lemma_ not in HAPPENINGS:
        return False
    if noun.dep_ == "pobj":
        preposition = noun.head.lower_
        if preposition in _MEANT:
            return False
        if noun.tag_ == "NNS" or not before:
            return not quoted and preposition in ("with", "by", "after")
        return not quoted
    told = noun.dep_ in _OF_A_VERB and noun.head.tag_ == "VBD"
    return told if quoted or noun.tag_ == "NNS" or not before else True


def is_told(verb: Token, quoted: bool) -> bool:
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
        return any(c.dep_ in _SUBJECTS and (c.lower_ in ("which", "that") or c.tag_ == "NNS") for c in children)
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
    auxiliaries = [c.lower_ for c in verb.children if c.dep_ in ("aux", "auxpass")]
    if auxiliaries[:1] == ["having"]:  # "having locked the door, he left"
        return verb.dep_ in ("advcl", "acl")
    if verb.tag_ == "VBG" and verb.dep_ == "pcomp" and head.lower_ in ("by", "before", "after", "on", "upon"):
        return _tensed(head.head) and not _denied(head.head)
    if head.pos_ not in ("VERB", "AUX") or auxiliaries:
        return False
    if verb.tag_ == "VBG" and verb.dep_ == "ccomp":  # "saw him coming"
        return head.lemma_ in _PERCEIVED | {"watch", "find", "notice"} and _tensed(head) and not _denied(head)
    with_it = ("advcl", "conj", "acl", "xcomp") if verb.tag_ == "VBG" else ("conj",) if verb.tag_ == "VBN" else ()
    if verb.dep_ not in with_it:
        return False
    if verb.tag_ == "VBG" and verb.dep_ in ("advcl", "xcomp") and _tensed(head) and not _denied(head):
        return True
    if verb.tag_ == "VBG" and verb.dep_ == "conj" and head.tag_ == "VBG":
        return head.dep_ != "pcomp" and not _denied(head)
    return is_told(head, quoted=False)


def _denied(verb: Token) -> bool:
    return any(c.dep_ == "neg" or c.tag_ == "MD" or c.lower_ in _UNREAL for c in verb.children)
