"""What part of its sentence a question asks for, and which tokens of a parsed sentence play that part."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Role = Literal["subject", "object", "identity", ""]

_ASKING: Final = frozenset(("who", "whom", "whose", "what", "which"))
_LIGHT: Final = frozenset(("do", "be", "happen"))
_FIRST: Final = frozenset(("nsubj", "csubj", "expl"))
_SECOND: Final = frozenset(("dobj", "obj", "dative", "attr", "oprd", "ccomp", "xcomp", "acomp"))
_COPULAS: Final = frozenset(("be", "become", "remain"))


@dataclass(frozen=True, slots=True)
class Asked:
    """The verb of a parsed question, as a dictionary has it, and which of its parts is asked for; empty where nothing tells."""

    verb: str
    role: Role
    subject: frozenset[str]
    """The lemmas of the question's own subject: who is asked about."""


def asked(question: Doc) -> Asked:
    root = next((token for token in question if token.dep_ == "ROOT"), None)
    if root is None:
        return Asked("", "", frozenset())
    wh = next((token for token in question if token.lower_ in _ASKING), None)
    subjects = [child for child in root.children if child.dep_ in _FIRST | {"nsubjpass"}]
    role = _role(wh, root)
    if role == "identity":  # `Who is the convict?` has him behind its verb
        subjects += [child for child in root.children if child.dep_ == "attr"]
    own = frozenset(
        token.lemma_.lower()
        for subject in subjects
        for token in subject.subtree
        if token.pos_ in ("NOUN", "PROPN") and token.lower_ not in _ASKING
    )
    verb = "" if root.lemma_ in _LIGHT else root.lemma_.lower()
    return Asked(verb, role, own)


def _role(wh: Token | None, root: Token) -> Role:
    """By the arc of the word that asks, or of the noun it stands before (`which key`)."""
    if wh is None:
        return ""
    if wh.lower_ == "whom":  # which names that a parser does not know make it take for a subject
        return "object"
    head = wh.head if wh.dep_ in ("det", "poss") else wh
    if root.lemma_ in _COPULAS and head.head == root and head.dep_ in ("nsubj", "attr"):
        return "identity"
    if head.dep_ == "nsubjpass":
        return "object"
    if head.dep_ in _FIRST:
        return "subject"
    return "object" if head.dep_ in _SECOND or head.dep_ in ("pobj", "dep") else ""


def identifies(token: Token, asked: Asked) -> bool:
    """Whether a token says who or what the question's own subject is: as its predicate, or set beside it, not in a list with it."""
    if token.dep_ == "appos":
        listed = any(child.dep_ in ("conj", "appos") for child in token.children) or token.head.dep_ in (
            "conj",
            "appos",
        )
        return not listed and token.head.lemma_.lower() in asked.subject and _is_plural(token) == _is_plural(token.head)
    if token.head.lemma_ not in _COPULAS or token.dep_ not in ("attr", "nsubj"):
        return False
    other = "nsubj" if token.dep_ == "attr" else "attr"
    return any(child.dep_ == other and child.lemma_.lower() in asked.subject for child in token.head.children)


def _is_plural(noun: Token) -> bool:
    return noun.tag_ in ("NNS", "NNPS")


def role_of(token: Token) -> Role:
    """Which part of its verb a token is, the passive turned about."""
    if token.dep_ == "nsubjpass":
        return "object"
    if token.dep_ in _FIRST:
        return "subject"
    if token.dep_ == "pobj" and token.head.dep_ == "agent":
        return "subject"
    if token.dep_ in ("attr", "appos"):
        return "identity"
    if token.dep_ in _SECOND or (token.dep_ == "pobj" and token.head.head.pos_ in ("VERB", "AUX")):
        return "object"
    return ""
