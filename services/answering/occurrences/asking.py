"""What a question about something that happened wants: its verb, who does it to whom, which part of it is asked for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Literal

from services.answering.naming import Named, Names, identities
from services.answering.occurrences.clauses import Clause, Figures, clauses, figures_at, is_passive
from services.answering.occurrences.entailing import STRICT
from services.answering.occurrences.verbs import ANY
from services.answering.occurrences.word_order import clause_by_order, is_named
from services.answering.readers import roles
from services.answering.readers.asking import Kind, is_composite, is_of_now, kind_of
from services.answering.readers.offline import document
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.extraction.offline.language import parsed_language

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Part = Literal["doer", "done_to", ""]

_ASKED: Final = frozenset[Kind](("person", "thing", "place", "time", "reason", "manner", "deed", "polar"))
_LIGHT: Final = frozenset(("be", "do", "have", "happen", "become", "make", "cause", "know", "feel", "think", "look"))
"""Verbs that tell no deed on their own."""
_INTENDING: Final = frozenset(("want", "plan", "intend", "mean", "hope", "wish", "aim"))
_APART: Final = ("_in", "_off", "_up")
_SIDE: Final = re.compile(r"\b(?:before|after|until|since|would|could|should|might|will|if)\b", re.IGNORECASE)
"""Words of questions that ask about more than one happening, or about none that is told as done."""
_TIMES: Final = re.compile(r"\b(?:first|last|ever|finally|at last|in the end|already|yet|again)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A question of one part. `words`: what it says beside its verb and whom it names, as terms."""

    question: str
    kind: Kind
    clause: Clause
    part: Part
    figures: Figures
    words: frozenset[str]
    first: bool
    last: bool
    governs: str = ""
    """The preposition that the question ends with: `What did she ask *for*?`"""
    infinitive: bool = False
    """Whether it asks what somebody is to do: `What did she tell him *to do*?`"""
    ongoing: bool = False
    """Whether it asks for what goes on when it is asked: `Why *is* she *crying*?`"""
    of_now: bool = False
    """Whether it asks how things are."""


def wanted(names: Names, question: str) -> Wanted | None:
    """None where the question is not about something that happened, or its wording is not one that is understood."""
    kind = kind_of(question)
    if (
        kind not in _ASKED
        or is_composite(question)
        or _SIDE.search(question)
        or parsed_language(question, "en") is None
    ):
        return None
    if kind == "polar" and STRICT & frozenset(question.casefold().rstrip("?").split()):
        return None
    text = _TIMES.sub(" ", question)
    named = names.in_text(text)
    if not named:
        return None
    parsed = document(text)
    main = _main(parsed, named, kind)
    if main is None:
        return None
    part = _part(parsed, kind)
    if kind == "person" and not part:
        return None
    said = {t for n in named for t in terms(text[n.start : n.end])}
    verb = {*terms(main.verb.replace("_", " ")), *(terms(parsed[main.token].text) if main.token is not None else ())}
    words = frozenset(terms(text)) - said - verb - FUNCTION_TERMS - _intending(parsed)
    if main.verb.partition("_")[0] == ANY and (not main.doers or len(identities(named)) < 2):
        return None  # all that somebody ever did
    first, last = (re.search(rf"\b{word}\b", question, re.IGNORECASE) is not None for word in ("first", "last"))
    ends = next((t for t in reversed(parsed) if t.is_alpha), None)
    governs = ends.lower_ if ends is not None and ends.dep_ == "prep" else ""
    return Wanted(
        question,
        kind,
        main,
        part,
        frozenset(identities(named)),
        words,
        first,
        last,
        governs,
        _is_to_do(parsed),
        _is_ongoing(parsed, main),
        is_of_now(question),
    )


def _is_ongoing(parsed: Doc, main: Clause) -> bool:
    if main.token is None or parsed[main.token].tag_ != "VBG":
        return False
    return any(t.dep_ == "aux" and t.lower_ in ("is", "are", "am", "'s", "’s") for t in parsed[main.token].children)


def _is_to_do(parsed: Doc) -> bool:
    return any(t.lower_ == ANY and t.i > 0 and parsed[t.i - 1].lower_ == "to" for t in parsed)


def _intending(parsed: Doc) -> frozenset[str]:
    """The terms of a verb that only says that a deed is meant."""
    return frozenset(t for token in parsed if token.dep_ == "ROOT" and _intends(token) for t in terms(token.text))


def _intends(root: Token) -> bool:
    return root.lemma_.lower() in _INTENDING and any(t.dep_ == "xcomp" and t.pos_ == "VERB" for t in root.children)


def _main(parsed: Doc, named: Sequence[Named], kind: Kind) -> Clause | None:
    """The clause that the question is about: of its first verb, or of what that one makes somebody do."""
    root = next((token for token in parsed if token.dep_ == "ROOT"), None)
    if root is None:
        return None
    verb: Token | None = root
    if root.lemma_.lower() == ANY and kind == "deed":
        verb = root
    elif root.lemma_.lower() in _LIGHT:
        below = [t for t in root.children if t.dep_ in ("ccomp", "xcomp") and t.pos_ == "VERB"]
        verb = below[0] if below and root.lemma_.lower() in ("make", "cause") else None
    elif _intends(root):  # who wants to marry, marries, if only as is meant
        verb = next(t for t in root.children if t.dep_ == "xcomp" and t.pos_ == "VERB")
    if verb is None or not (verb.pos_ == "VERB" or is_passive(verb)) or is_named(verb, named):
        return clause_by_order(parsed, named)
    found = next((clause for clause in clauses(parsed, named) if clause.token == verb.i), None)
    if found and not found.doers and not found.doer_open:  # the verb is seen, but not whose it is
        ordered = clause_by_order(parsed, named)
        if ordered and ordered.token == found.token:
            found = replace(found, doers=ordered.doers, done_to=found.done_to or ordered.done_to)
    if found and found.verb.partition("_")[0] == ANY:  # `do with it`, `do for her`: whatever it is
        return replace(found, verb=ANY)
    if found and found.verb.endswith(_APART) and not found.done_to:  # whom one takes in stands after the particle
        taken = [t for c in verb.children if c.i == verb.i + 1 for t in c.children if t.dep_ == "pobj"]
        return replace(found, done_to=frozenset(figure for t in taken for figure in figures_at(t, named)))
    return found


def _part(parsed: Doc, kind: Kind) -> Part:
    if kind not in ("person", "thing"):
        return ""
    wh = next((t for t in parsed if t.lower_ in ("who", "whom", "what", "which", "whose")), None)
    if wh is not None and wh.head.lower_ == "by":
        return "doer"
    asked = roles.asked(parsed).role
    return "doer" if asked == "subject" else "done_to" if asked == "object" else ""
