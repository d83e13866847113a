"""Whether a clause tells the deed that a question is about, by and to those that the question has it."""

from __future__ import annotations

from typing import Final

from services.answering.occurrences.asking import Wanted
from services.answering.occurrences.clauses import Clause
from services.answering.occurrences.verbs import same_deed

_GOVERNED: Final = ("believe_in", "trust_in")


def is_left_out(asked: Wanted, clause: Clause) -> bool:
    """Whether the clause does not say to whom it is done, which the question does."""
    return bool(asked.clause.done_to) and not clause.done_to | clause.beside and not clause.done_to_open


def fits(asked: Wanted, clause: Clause) -> tuple[float, bool] | None:
    """How surely a clause tells the deed that is asked about, and whether from the other side; None: it does not."""
    question = asked.clause
    same = same_deed(question.verb, clause.verb)
    if same is None and question.verb in _GOVERNED:  # `believe in` a story, as one believes it
        same = same_deed(question.verb.partition("_")[0], clause.verb)
    if same is None or clause.meant != question.meant:
        return None
    if clause.negated != question.negated and asked.kind != "polar":
        return None
    if same.turned:
        return (same.sure, True) if _turned(question, clause) else None
    if asked.kind != "polar" and is_left_out(asked, clause) and question.doers and not clause.aside:
        return (same.sure, False) if question.doers <= clause.doers else None
    return (same.sure, False) if _straight(question, clause) else None


def _straight(question: Clause, clause: Clause) -> bool:
    """The doers of the question are those of the clause, and whom or what it is done to stands among the others."""
    if not question.doers <= clause.doers:
        return False
    if not question.doers | question.done_to and not question.beside & (clause.done_to | clause.beside):
        return False  # what was taken *from* somebody
    if question.done_to & clause.doers:
        return False
    known = clause.done_to | clause.beside
    return not question.done_to or bool(question.done_to & known) or clause.done_to_open


def _turned(question: Clause, clause: Clause) -> bool:
    """Who gets it is whom it is given to: the doers of the one stand among those that it is done to in the other."""
    if question.doers:
        there = clause.doers | clause.done_to | clause.beside
        if question.done_to and not question.done_to & there and not clause.done_to_open:
            return False
        return not question.doers & clause.doers and (
            question.doers <= clause.done_to | clause.beside or clause.done_to_open
        )
    return bool(question.done_to & clause.doers)
