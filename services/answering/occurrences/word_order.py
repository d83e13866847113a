"""Who does what to whom in an English question, by the order of its words alone: names that it does not know mislead a parser.

`Did Mara rob Tomas?`: what stands between the helping verb and the verb does it, what follows the verb has it done to it. Where the
question's verb cannot be told, the sentence that is to answer it says which of its words it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from services.answering.naming import Named
from services.answering.occurrences.clauses import Clause, clauses
from services.answering.occurrences.verbs import base_of, bases_of, is_known, is_mutual, same_deed, third_person
from services.answering.readers.sentences import FUNCTION_TERMS, terms

if TYPE_CHECKING:
    from spacy.tokens import Doc, Span, Token

Sides = Literal["as asked", "may be", "turned", "not told"]

HELPING: Final = frozenset(("do", "did", "does", "has", "have", "had"))
BEING: Final = frozenset(("was", "were", "is", "are", "been", "be", "being"))
_BY: Final = "by"
_AND: Final = frozenset(("and", "or", ","))
_BETWEEN: Final = frozenset(("not", "n't", "n’t", "ever", "never", "really", "truly", "also", "then", "still", "just"))
"""Words between a subject and its verb."""


def clause_by_order(parsed: Doc, named: Sequence[Named]) -> Clause | None:
    """The clause of a question of which a helping verb stands before whom it names; None where the words do not tell its verb."""
    helping = _helping(parsed)
    if helping is None:
        return None
    verb = _after_the_subject(parsed, helping, named) or _first_known(parsed, helping, named)
    if verb is None:
        return None
    doers = frozenset(n.figure.id for n in named if helping.idx < n.start and n.end <= verb.idx)
    after = [n for n in named if n.start > verb.idx]
    done_to = frozenset(n.figure.id for n in after if not _is_governed(parsed, verb, n))
    beside = frozenset(n.figure.id for n in after) - done_to
    return Clause(base_of(verb.lower_), doers, done_to, beside, token=verb.i) if doers else None


def _helping(parsed: Doc) -> Token | None:
    return next((token for token in parsed if token.lower_ in HELPING), None)


def _after_the_subject(parsed: Doc, helping: Token, named: Sequence[Named]) -> Token | None:
    """The word after whom the question names right behind its helping verb."""
    at, met = helping.i + 1, False
    while at < len(parsed):
        token = parsed[at]
        if is_named(token, named):
            met = True
        elif met and token.lower_ not in _AND and not _is_beside_a_verb(token):
            break
        elif not met and token.pos_ != "DET":
            return None
        at += 1
    verb = parsed[at] if at < len(parsed) else None
    spelled = (
        verb is not None
        and verb.is_alpha
        and verb.is_lower
        and verb.pos_ not in ("ADP", "DET", "CCONJ", "SCONJ", "PRON")
    )
    return verb if spelled else None


def _is_beside_a_verb(token: Token) -> bool:
    return token.lower_ in _BETWEEN or (token.pos_ == "ADV" and token.lower_.endswith("ly"))


def _first_known(parsed: Doc, helping: Token, named: Sequence[Named]) -> Token | None:
    """The first word after the helping verb that is a verb of a known deed."""
    after = (token for token in parsed[helping.i + 1 :] if not is_named(token, named))
    return next((token for token in after if is_known(base_of(token.lower_))), None)


def is_named(token: Token, named: Sequence[Named]) -> bool:
    """Whether a word is part of a name."""
    return any(n.start <= token.idx < n.end for n in named)


def _is_governed(parsed: Doc, verb: Token, after: Named) -> bool:
    """Whether a preposition stands between the verb and a name."""
    return any(t.pos_ == "ADP" or t.lower_ == "to" for t in parsed[verb.i + 1 :] if t.idx < after.start)


@dataclass(frozen=True, slots=True)
class _Asked:
    """The words of a question before and after its verb, as terms."""

    doers: frozenset[str]
    done_to: frozenset[str]


def sides(question: Doc, sentence: Doc) -> Sides:
    """Whether a sentence tells what is asked of the same people, or with doer and done-to exchanged, by their words alone.

    `may be`: it tells the deed, of somebody whom neither side names; `not told`: none of its verbs is one of the question.
    """
    found = list(_compared(question, sentence))
    if not found:
        return "not told"
    if "as asked" in found:
        return "as asked"
    return "turned" if "turned" in found else "may be"


def verbs_told(question: Doc, sentence: Doc) -> dict[str, bool]:
    """The verbs of a sentence that are words of the question, or tell the same deed as one, each with whether it is told as a fact."""
    found: dict[str, bool] = {}
    for clause in clauses(sentence, ()):
        verb = clause.verb.partition("_")[0]
        if any(token.is_alpha and tells(token, verb) for token in question):
            found[verb] = found.get(verb, False) or not clause.meant
    return found


def _compared(question: Doc, sentence: Doc) -> Iterator[Sides]:
    for clause in clauses(sentence, ()):
        asked = _asked(question, clause)
        if asked is not None:
            yield _side(asked, clause)


def _side(asked: _Asked, clause: Clause) -> Sides:
    straight = (asked.doers & clause.doing) | (asked.done_to & clause.taking)
    turned = (asked.doers & clause.taking) | (asked.done_to & clause.doing)
    if turned and not straight and not is_mutual(clause.verb):
        return "turned"
    return "as asked" if straight else "may be"


def _asked(question: Doc, clause: Clause) -> _Asked | None:
    """The question's sides of the word that is the verb of a clause; None where it has none, or another clause comes before it."""
    start = next((t.i + 1 for t in question[:2] if t.lower_ in HELPING or t.lower_ in BEING), 0)
    for token in question[start:]:
        if _begins_a_clause(token):
            return None
        if not (token.is_alpha and tells(token, clause.verb.partition("_")[0])):
            continue
        before, after = _words(question[start : token.i]), _words(_own(question[token.i + 1 :]))
        if not start or question[start - 1].lower_ in HELPING:
            return _Asked(before, after)
        by = next((t.i for t in question[token.i + 1 :] if t.lower_ == _BY), None)
        return _Asked(_words(_own(question[by + 1 :])) if by is not None else frozenset(), before)
    return None


def _own(after: Span) -> Iterator[Token]:
    """The words that follow a verb up to where something else begins: a clause, or a second preposition."""
    met = 0
    for token in after:
        met += token.pos_ == "ADP"
        if met > 1 or token.pos_ == "VERB" or _begins_a_clause(token):
            return
        yield token


def _begins_a_clause(token: Token) -> bool:
    """Whether a word begins another clause, or part of a sentence: not `and` between two names."""
    joins = token.pos_ == "CCONJ" and not (token.i + 1 < len(token.doc) and token.nbor().is_title)
    return (
        joins or token.pos_ == "SCONJ" or token.is_punct or (token.i > 1 and token.tag_ in ("WDT", "WP", "WP$", "WRB"))
    )


def tells(token: Token, verb: str) -> bool:
    """Whether a word of the question may be a form of a verb, or of one that tells the same deed."""
    found = (same_deed(base, verb) for base in (token.lower_, third_person(token.lower_), *bases_of(token.lower_)))
    return any(same is not None and not same.turned for same in found)


def _words(tokens: Iterable[Token]) -> frozenset[str]:
    return frozenset(t for token in tokens for t in terms(token.text)) - FUNCTION_TERMS
