"""The parts of a parsed sentence that a verb or a noun has: its subjects, the words of its phrase, the words of its clause."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from spacy.tokens import Token

EXCEPT: Final = frozenset(("except", "but", "save", "without", "unlike", "instead", "besides"))
"""Prepositions of whom or what has no part in it."""
_DOER: Final = frozenset(("nsubj", "csubj"))
_NESTED: Final = frozenset(("ccomp", "advcl", "relcl", "acl", "parataxis"))
_WITHIN: Final = frozenset(("in", "at", "inside", "within"))


def subjects_of(verb: Token) -> list[Token]:
    """The subjects of a verb, or of the verb that it goes on from (`came and took`, `tried to take`)."""
    own = [child for child in verb.children if child.dep_ in _DOER or child.dep_ == "nsubjpass"]
    before = [t for t in verb.children if t.dep_ == "ccomp" and t.i < verb.i and t.pos_ == "VERB"]
    if (
        not own and verb.dep_ == "ROOT" and before
    ):  # `she clears the stones, finds him`, of which the last is taken for the head
        return subjects_of(before[-1])
    if own or verb.dep_ not in ("conj", "xcomp", "advcl") or verb.head == verb:
        return own
    beside = _taken_for_an_object(verb)
    if beside is not None:
        return [beside]
    above = verb.head
    if verb.dep_ == "xcomp":  # whom one tells to go, goes
        objects = [child for child in above.children if child.dep_ in ("dobj", "obj", "dative")]
        return objects or subjects_of(above)
    return subjects_of(above)


def _taken_for_an_object(verb: Token) -> Token | None:
    """Leo in `bought a horse and Leo sold one`, where a parser joins him to the horse."""
    if verb.dep_ != "conj" or verb.tag_ not in ("VBD", "VBZ", "VBP"):
        return None
    before = next((t for t in reversed(verb.doc[: verb.i]) if t.pos_ != "ADV"), None)
    is_it = before is not None and before.dep_ == "conj" and before.pos_ in ("PROPN", "NOUN", "PRON")
    return before if is_it else None


def antecedent(subject: Token) -> Token:
    """Whom `who` stands for: the noun that its clause belongs to."""
    if subject.lower_ not in ("who", "which", "that") or subject.head.dep_ != "relcl":
        return subject
    return subject.head.head


def each_of(parts: Iterable[Token]) -> Iterator[Token]:
    """Noun phrases and those joined to them by `and`, not by `or` or `but`."""
    for part in parts:
        yield part
        joined = [c for c in part.children if c.dep_ == "cc"]
        if all(c.lower_ == "and" for c in joined):
            yield from each_of(c for c in part.children if c.dep_ in ("conj", "appos"))


def name_of(head: Token) -> list[Token]:
    """A noun or, of a name, all its words."""
    own = (
        [c for c in head.children if c.dep_ in ("compound", "flat") and c.pos_ == "PROPN"]
        if head.pos_ == "PROPN"
        else []
    )
    return [head, *own]


def phrase_of(head: Token) -> Iterator[Token]:
    """A noun with what is said of it, without clauses, what is set beside it, and what is excepted."""
    yield head
    for child in head.children:
        if child.dep_ not in _NESTED | {"conj", "cc", "appos", "punct"} and child.lower_ not in EXCEPT:
            yield from phrase_of(child)


def clause_of(verb: Token) -> list[Token]:
    """The words of a verb's own clause."""
    found = [verb]
    for child in verb.children:
        joined = child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")
        if child.dep_ not in _NESTED and not joined and child.lower_ not in EXCEPT:
            found += clause_of(child)
    return found


def like(preposition: Token) -> str:
    return "in" if preposition.lower_ in _WITHIN else preposition.lower_


def prepositions(tokens: Iterable[Token]) -> set[str]:
    return {like(t) for t in tokens if t.pos_ == "ADP"}
