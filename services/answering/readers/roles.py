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
    own = frozenset(
        token.lemma_.lower()
        for subject in subjects
        for token in subject.subtree
        if token.pos_ in ("NOUN", "PROPN") and token.lower_ not in _ASKING
    )
    verb = "" if root.lemma_ in _LIGHT else root.lemma_.lower()
    return Asked(verb, _role(wh, root), own)


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
