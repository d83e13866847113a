"""Whether a sentence of the text tells what a question asks about of the same people, or of others."""

from __future__ import annotations

from typing import Final, Literal

from services.answering.naming import Names
from services.answering.occurrences.asking import wanted
from services.answering.occurrences.clauses import Clause, clauses
from services.answering.occurrences.verbs import is_mutual, same_deed
from services.answering.occurrences.word_order import sides
from services.answering.readers.asking import Kind, kind_of
from services.answering.readers.offline import document
from services.extraction.offline.language import parsed_language

Agreement = Literal["agrees", "may agree", "of others", "not told", "not asked"]

_SIDED: Final = frozenset[Kind](("polar", "person", "thing"))
"""Kinds of questions that have somebody on one side of a verb, and ask for the other side, or whether it is so."""


def agreement(names: Names, question: str, sentence: str) -> Agreement:
    """`may agree`: it tells it of somebody whom it calls only `he` or `she`; `of others`: it tells the deed, but by or to somebody
    else by name; `not told`: no verb of it tells the deed; `not asked`: the question is not about a deed that is understood.
    """
    by_figures = _by_figures(names, question, sentence)
    sided = kind_of(question) in _SIDED or "?" not in question
    if by_figures == "agrees" or not sided or parsed_language(question, "en") is None:
        return by_figures
    # whoever is no figure that the story knows, or not by this name, still stands on one side of the verb
    by_words = sides(document(question), document(sentence))
    if by_words == "turned":
        return "of others"
    return "agrees" if by_figures == "not asked" and by_words == "as asked" else by_figures


def _by_figures(names: Names, question: str, sentence: str) -> Agreement:
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
    mutual = is_mutual(asked.clause.verb)
    return "agrees" if any(mutual or asked.clause.doers <= clause.doers for clause in agreeing) else "may agree"


def _agree(asked: Clause, told: Clause) -> bool:
    if is_mutual(asked.verb) and asked.doers | asked.done_to <= told.doers | told.done_to | told.beside:
        return True
    if asked.done_to & told.doers or (asked.doers & told.done_to and not asked.doers & told.doers):
        return False
    if asked.done_to and not told.done_to_open and not asked.done_to & (told.done_to | told.beside):
        return False
    return not (asked.doers and told.doers) or bool(asked.doers & told.doers)
