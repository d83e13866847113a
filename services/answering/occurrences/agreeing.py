"""Whether a sentence of the text tells what a question asks about of the same people, or of others."""

from __future__ import annotations

from typing import Literal

from services.answering.naming import Names
from services.answering.occurrences.asking import wanted
from services.answering.occurrences.clauses import Clause, clauses
from services.answering.occurrences.verbs import same_deed
from services.answering.readers.offline import document

Agreement = Literal["agrees", "may agree", "of others", "not told", "not asked"]


def agreement(names: Names, question: str, sentence: str) -> Agreement:
    """`may agree`: it tells it of somebody whom it calls only `he` or `she`; `of others`: it tells the deed, but by or to somebody
    else by name; `not told`: no verb of it tells the deed; `not asked`: the question is not about a deed that is understood.
    """
    asked = wanted(names, question)
    if asked is None:
        return "not asked"
    told = [
        clause
        for clause in clauses(document(sentence), names.in_text(sentence))
        if (same := same_deed(asked.clause.verb, clause.verb)) is not None and not same.turned
    ]
    if not told:
        return "not told"
    agreeing = [clause for clause in told if _agree(asked.clause, clause)]
    if not agreeing:
        return "of others"
    return "agrees" if any(asked.clause.doers <= clause.doers for clause in agreeing) else "may agree"


def _agree(asked: Clause, told: Clause) -> bool:
    if asked.done_to & told.doers or (asked.doers & told.done_to and not asked.doers & told.doers):
        return False
    if asked.done_to and not told.done_to_open and not asked.done_to & (told.done_to | told.beside):
        return False
    return not (asked.doers and told.doers) or bool(asked.doers & told.doers)
