"""Who does what to whom in a sentence: its verbs, each with the figures that are its doers and whom it is done to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from events.ids import EntityId
from services.answering.naming import Named
from services.answering.occurrences.phrases import EXCEPT, antecedent, subjects_of
from services.answering.occurrences.verbs import base_of
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.answering.wording import is_person
from services.extraction.offline.factuality import is_denied, is_fact

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

_DONE_TO: Final = frozenset(("nsubjpass", "dobj", "obj", "dative", "iobj"))
_THIRD: Final = frozenset(("he", "she", "they", "it", "him", "her", "them", "who", "whom"))
_SEVERAL: Final = frozenset(("they", "we", "both", "all"))
_ARRIVING: Final = "arrive"
_NOBODY: Final = frozenset(("nobody", "nothing", "none", "no"))
_PARTICLES: Final = frozenset(("out", "off", "away", "up", "upon", "back", "into", "in", "free", "across"))
Figures = frozenset[EntityId]


@dataclass(frozen=True, slots=True)
class Clause:
    """A verb as a dictionary has it, with its particle. `open`: a part that is only `she`, or nobody that is known; `several`: or `they`.

    `meant`: it is promised, wanted or possible, not told as done. `aside`: it is told beside something else. `token` is its place
    in the parse, None where no text has it.
    """

    verb: str
    doers: Figures
    done_to: Figures
    beside: Figures = frozenset()
    doer_open: bool = False
    doers_several: bool = False
    done_to_open: bool = False
    negated: bool = False
    meant: bool = False
    aside: bool = False
    token: int | None = None
    doing: frozenset[str] = frozenset()
    taking: frozenset[str] = frozenset()
    """The words of its doers and of whom it is done to, as terms: whoever they are."""


def clauses(sentence: Doc, named: Sequence[Named]) -> Iterator[Clause]:
    """The clauses of a parsed sentence in which `named` are named; a verb without a doer of its own has that of the verb above it."""
    for token in sentence:
        if (token.pos_ == "VERB" and token.dep_ not in ("aux", "auxpass")) or is_passive(token):
            yield _clause(token, named)


def is_passive(token: Token) -> bool:
    """Whether a word is done to its subject, also where the parser takes the participle for a noun (`Why was he shot?`)."""
    return any(child.dep_ == "auxpass" for child in token.children)


def verb_of(token: Token) -> str:
    """The verb with its particle, if it has one: `carry_off`."""
    for child in token.children:
        beside = child.dep_ == "prt" or (child.dep_ in ("advmod", "prep") and child.i == token.i + 1)
        if child.lower_ in _PARTICLES and beside:
            return f"{_base(token)}_{child.lower_}"
    # who gets to a place gets nothing
    return _ARRIVING if _base(token) == "get" and not any(c.dep_ in _DONE_TO for c in token.children) else _base(token)


def _base(token: Token) -> str:
    return token.lemma_.lower() if token.pos_ == "VERB" else base_of(token.lower_)


def figures_at(token: Token, named: Sequence[Named]) -> Figures:
    """Whom a noun names, itself or what is joined to it by `and`; not whom it only belongs to."""
    found = {n.figure.id for n in named if n.start <= token.idx < n.end}
    for child in token.children:
        if child.dep_ in ("conj", "appos"):
            found |= figures_at(child, named)
    return frozenset(found)


def _clause(verb: Token, named: Sequence[Named]) -> Clause:
    subjects = subjects_of(verb)
    own = is_passive(verb)
    passive = [t for t in subjects if t.dep_ == "nsubjpass" or (own and t.head == verb)]
    doing = [antecedent(t) for t in subjects if t not in passive]
    taking: list[Token] = [t for t in verb.children if t.dep_ in _DONE_TO - {"nsubjpass"}] + passive
    beside: list[Token] = []
    for child in verb.children:
        if child.dep_ == "agent":
            doing += [t for t in child.children if t.dep_ == "pobj"]
        elif child.dep_ in ("prep", "dative", "prt") and child.lower_ not in EXCEPT:
            beside += [t for t in child.subtree if t.dep_ == "pobj" and t.head.lower_ not in EXCEPT]
    return Clause(
        verb_of(verb),
        _all(doing, named),
        _all(taking, named),
        _all(beside, named),
        doer_open=any(_is_open(t, named) for t in doing if t in subjects or t.dep_ == "pobj"),
        doers_several=any(t.lower_ in _SEVERAL for t in doing),
        done_to_open=any(_is_open(t, named) for t in taking),
        negated=is_denied(verb) or any(_is_nobody(t) for t in [*doing, *taking]),
        meant=not is_fact(verb) or _is_asked_about(verb),
        aside=verb.dep_ in ("relcl", "acl", "advcl", "ccomp", "pcomp"),
        token=verb.i,
        doing=_said(doing),
        taking=_said(taking),
    )


def _is_nobody(noun: Token) -> bool:
    return noun.lower_ in _NOBODY or any(child.lower_ in _NOBODY for child in noun.children if child.dep_ == "det")


def _is_asked_about(verb: Token) -> bool:
    return verb.dep_ == "relcl" and verb.head.head.lemma_.lower() in ("ask", "wonder", "inquire")


def _all(tokens: Sequence[Token], named: Sequence[Named]) -> Figures:
    return frozenset(figure for token in tokens for figure in figures_at(token, named))


def _said(tokens: Sequence[Token]) -> frozenset[str]:
    """The words of nouns and of what is joined to them by `and`; not of whom or what they belong to."""
    found = [
        t for token in tokens for t in (token, *token.children) if t is token or t.dep_ in ("compound", "flat", "amod")
    ]
    joined = [t for token in tokens for t in token.children if t.dep_ in ("conj", "appos")]
    own = frozenset(t for token in found for t in terms(token.text)) - FUNCTION_TERMS
    return own | _said(joined) if joined else own


def _is_open(token: Token, named: Sequence[Named]) -> bool:
    """Whether it is a pronoun, or a person whom no name is known for."""
    return not figures_at(token, named) and (token.lower_ in _THIRD or is_person(token.lemma_.lower()))
