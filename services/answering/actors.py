"""Whether an answer is told of whom the question asks about: the same doer, the same that it is done to, somebody who can be it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from projections.search.analysis import terms
from services.answering.case import Case, known_words, type_of
from services.answering.constraint import Constraint
from services.answering.occurrences.agreeing import agreement
from services.answering.occurrences.phrases import EXCEPT, subjects_of
from services.answering.polar import SHORT, as_statements, is_affirmed, sayings
from services.answering.readers.offline import asked_verb, document, lemmas
from services.answering.readers.sentences import FUNCTION_TERMS
from services.answering.wording import NUMBERS, is_person
from services.retrieval.wording import content_terms

if TYPE_CHECKING:
    from spacy.tokens import Token

_SIDED: Final = ("person", "thing", "place", "time", "number")
"""Kinds of questions whose answer is a part of a clause."""
_GAP: Final = re.compile(
    r"\band\s+([A-Z]\w+(?:\s[A-Z]\w+)*)\s+(?:the|an?|no|some|his|her|their|two|three|four|five|six|seven)\s+(\w+(?:\s\w+)?)(?=[.,;!?]|$)"
)
"""Somebody and something without a verb of their own, which is that of the clause before."""
_PHRASE: Final = 8
"""Words of an answer that is a part of a clause."""
_OF_A_DEED: Final = re.compile(r"(?:did|does|do|has|have|had)\b", re.IGNORECASE)


def actor(case: Case) -> Constraint:
    """The evidence is about whom the question names, and who is asked for is somebody."""
    if case.state is not None:
        return Constraint("actor", True, f"the state has {case.state.about}", case.records)
    named = {figure.id for figure in case.asked_about}
    about = [item for item in case.cited if named & case.mentioned(item)]
    about = about or [item for item in case.cited if named and named & case.told_in(item)]
    if named and not about and not case.is_claim:
        who = ", ".join(sorted(case.names.of(figure) for figure in named))
        return Constraint("actor", False, f"nothing that is cited is about {who}", case.records)
    wrong = _wrong_part(case) if case.lexical and case.is_single else ""
    if wrong:
        return Constraint("actor", False, wrong, case.records)
    if case.is_judged_by_clauses:
        return _said_outright(case)
    if _is_denied_by_nothing(case):
        return Constraint("actor", False, "nothing that is cited denies it", case.records)
    statements = as_statements(case.question, case.text) if case.lexical and case.options and case.is_english else []
    if statements and not is_affirmed(case.names, statements, case.packet):
        return Constraint("actor", False, f"no clause says that {statements[0][:80]!r}", case.records)
    wrong = _wrong_deed(case) if case.lexical and case.is_single else ""
    if wrong:
        return Constraint("actor", False, wrong, case.records)
    return Constraint(
        "actor", True, "the evidence is about whom the question names" if named else "nobody is named", case.records
    )


def _wrong_part(case: Case) -> str:
    """Why an answer to a question of one part cannot be the part that is asked for; empty where it may."""
    if case.kind == "person" and case.is_english and (missing := _missing(case)):
        return f"what is cited has nothing of {', '.join(missing)}"
    if case.kind in _SIDED and case.is_english and _is_of_another_clause(case):
        return "the answer stands in another clause than what the question asks about"
    if case.kind == "number" and _counts_others(case):
        return "what is counted is not what the question asks about"
    if case.kind == "place" and _is_only_somebody(case):
        return f"{case.text[:60]!r} is somebody, not a place"
    if case.kind == "person" and not case.options and not _is_somebody(case):
        return f"{case.text[:60]!r} is nobody that the story knows"
    return ""


def _wrong_deed(case: Case) -> str:
    """Why the cited sentence does not tell the deed that a question of one part is about; empty where it may."""
    if case.ground is None or case.text.casefold() == "false":
        return ""
    told = agreement(case.names, case.question, case.ground.text)
    if told == "of others":
        return "what is cited is told of others than the question asks about"
    if case.options:
        return ""  # an option is judged by its words
    if told == "not told" and case.kind == "manner":
        return "what is cited does not tell what the question asks about"
    if told == "not asked" and _says_who_did_it(case):
        return "who did it to whom cannot be told from the words of the question"
    return ""


def _said_outright(case: Case) -> Constraint:
    """A yes or no stands in a clause of what is cited."""
    cited = {**case.packet, "items": case.cited}
    wanted = "denied" if case.text.casefold().startswith("no") else "affirmed"
    if any(each.verdict == wanted for each in sayings(case.names, case.question, cited)):
        return Constraint("actor", True, "a clause of what is cited says so of whom the question names", case.records)
    return Constraint("actor", False, "no clause of what is cited says so in so many words", case.records)


def _is_denied_by_nothing(case: Case) -> bool:
    """Whether a short claim is called false only because nothing says it."""
    if not (case.lexical and case.is_claim and case.text.casefold() == "false" and len(case.question.split()) <= SHORT):
        return False
    return not any(each.verdict == "denied" for each in sayings(case.names, case.question, case.packet))


def _says_who_did_it(case: Case) -> bool:
    """Whether a `Yes` says of two people that one did something to the other."""
    two = len({figure.id for figure in case.asked_about}) > 1
    return two and case.text.casefold().startswith("yes") and _OF_A_DEED.match(case.question) is not None


def _is_somebody(case: Case) -> bool:
    named = [n.figure for n in case.names.in_text(case.text)]
    if any(type_of(case.slice, figure) in ("character", "group", "creature", "unknown") for figure in named):
        return True
    return any(is_person(word) for word in (lemmas(case.text) if case.is_english else ()))


def _missing(case: Case) -> list[str]:
    """What the question puts behind a preposition, `with an axe`, and what is cited does not have, or takes out (`all except him`)."""
    known = set(known_words(case))
    if case.ground is not None:
        excepted, rest = _excepted(case.ground.text)
        known -= excepted - rest
    governed = [t for t in document(case.question) if t.dep_ == "pobj"]
    return [t.text for t in governed if (own := set(content_terms(t.text)) - FUNCTION_TERMS) and not own & known]


def _is_of_another_clause(case: Case) -> bool:
    """Whether, of several clauses with the verb that is asked about, the answer stands in one, and the question's words in another."""
    verb = asked_verb(case.question)
    if case.ground is None or not verb or len(case.text.split()) > _PHRASE:
        return False
    if _is_of_a_gap(case, case.ground.text):
        return True
    verbs = [t for t in document(case.ground.text) if t.pos_ == "VERB" and t.lemma_.lower() == verb]
    if case.kind == "number" and verbs:
        numbers = {t for t in terms(case.text) if t in NUMBERS}
        every = [t for t in document(case.ground.text) if t.pos_ == "VERB"]
        return bool(numbers) and not any(numbers <= _own_words(each, every) for each in verbs)
    if len(verbs) < 2:
        return False
    own = [_own_words(each, verbs) for each in verbs]
    words = set(content_terms(case.question)) - FUNCTION_TERMS
    said = set(content_terms(case.text)) - words
    held = [len(words & each) for each in own]
    best = [each for each, count in zip(own, held, strict=True) if count == max(held)]
    return bool(said) and min(held) < max(held) and not any(said <= each for each in best)


def _is_of_a_gap(case: Case, sentence: str) -> bool:
    """Whether the question is about the second half of `Vera killed the wolf, and Karl the bear`, and the answer from the first."""
    asked, said = set(content_terms(case.question)), set(content_terms(case.text))
    for match in _GAP.finditer(sentence):
        second = {term for word in match.groups() for term in terms(word)}
        if asked & second and not (said - asked) <= second:
            return True
    return False


def _own_words(verb: Token, others: Sequence[Token]) -> set[str]:
    """The terms of all that hangs on a verb, with its subjects, but not on another of the same verbs below it."""
    below = {t.i for other in others if other != verb and other in verb.subtree for t in other.subtree}
    return {term for t in [*verb.subtree, *subjects_of(verb)] if t.i not in below for term in terms(t.text)}


def _counts_others(case: Case) -> bool:
    """Whether `two brothers` is the answer to how many sisters."""
    asked = re.search(r"\bhow many (?:\w+ )??(\w+)", case.question, re.IGNORECASE)
    words = re.findall(r"[^\W\d_]+", case.text)
    nouns = {t for word in words for t in content_terms(word) if t not in NUMBERS}
    return asked is not None and bool(nouns) and len(words) <= _PHRASE and not set(terms(asked[1])) <= nouns


def _excepted(sentence: str) -> tuple[set[str], set[str]]:
    """The terms of a sentence that stand behind `except`, and the others."""
    parsed = document(sentence)
    inside = {t.i for head in parsed if head.lower_ in EXCEPT and head.dep_ == "prep" for t in head.subtree}
    words = [(t.i in inside, term) for t in parsed for term in terms(t.text)]
    return {term for out, term in words if out}, {term for out, term in words if not out}


def _is_only_somebody(case: Case) -> bool:
    """Whether an answer is a preposition and whom it names: `to Mara`, not `to the king's palace`."""
    figure = case.names.called(case.text.partition(" ")[2]) or case.names.called(case.text)
    return figure is not None and type_of(case.slice, figure) in ("character", "creature")
