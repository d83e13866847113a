"""The constraint audit of a drafted answer (NKW): support, actor, scope, polarity, state and time, each with the record that decides.

An answer that fails is changed where the state says what is right, and otherwise withheld. The audit is deliberately harder on a
reader that goes by words alone: what a model understands of a paraphrase, such a reader cannot.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final, Literal

from projections.search.analysis import terms
from services.answering.actors import actor
from services.answering.case import Case, known_words
from services.answering.constraint import Constraint
from services.answering.facts import held
from services.answering.present import overtaken, told_since
from services.answering.readers.ranking import believed, evidence
from services.answering.readers.sentences import FUNCTION_TERMS
from services.answering.stale import outdated
from services.answering.unreal import is_only_meant, not_actual
from services.answering.wording import NEGATION, NUMBERS, POLAR_WORDS
from services.retrieval.wording import content_terms

Verdict = Literal["kept", "changed", "abstained"]

SUPPORTED: Final = 0.7
"""The share of an answer's words that the cited evidence has to have."""
ADMITTED: Final = 0.5
"""The same of an option's own words."""
NEW: Final = 2
"""The words that a reason or a manner has to have beside those of the question."""
TOGETHER: Final = 0.34
"""The share of a question that all cited evidence has to hold together."""
_NOTATION: Final = "→"
"""What stands between two people where a record is written out."""


@dataclass(frozen=True, slots=True)
class Audit:
    """`answer` is what may be said: the draft, what replaced it, or nothing."""

    verdict: Verdict
    answer: str
    constraints: tuple[Constraint, ...]

    def to_json(self, draft: str) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "passed": all(each.passed for each in self.constraints),
            "draft": draft,
            "constraints": [{**asdict(each), "records": list(each.records)} for each in self.constraints],
        }


def audit(case: Case) -> Audit:
    """The draft of a case held against each constraint."""
    found = tuple(check(case) for check in _CHECKS)
    failed = {each.constraint for each in found if not each.passed}
    if not failed:
        return Audit("kept", case.text, found)
    instead = outdated(case) if failed == {"state"} else None
    if instead is not None and instead.is_all and instead.current is not None:
        now = instead.current.value
        chosen = next((option for option in case.options if option.casefold() == now.casefold()), "")
        if chosen or not case.options:
            return Audit("changed", chosen or now, found)
    return Audit("abstained", "", found)


def _support(case: Case) -> Constraint:
    """What an answer says stands in what it cites: its words, and every name."""
    if case.state is not None:
        return Constraint("support", True, "the answer is what the state holds", case.records)
    if case.lexical and _NOTATION in case.text:
        return Constraint("support", False, "the answer is how a record is written, not what it says", case.records)
    if not case.cited:
        return Constraint("support", False, "the answer cites nothing of the packet")
    known = set(known_words(case))
    known |= {NUMBERS[term] for term in known if term in NUMBERS}
    asked = set(terms(case.question))
    said = {term for term in content_terms(case.text) if term not in POLAR_WORDS}
    # words of the question alone are no evidence, whatever the question wants to hear
    wanted = said - asked if case.options else said - (asked - known)
    least = ADMITTED if case.options else SUPPORTED
    if said and not wanted and not case.options:
        return Constraint("support", False, "the answer says nothing but what the question does", case.records)
    if (
        case.lexical
        and case.is_single
        and case.kind in ("reason", "manner")
        and len(said - asked) < NEW
        and not case.options
    ):
        return Constraint(
            "support", False, f"the answer says no {case.kind}, but only what the question does", case.records
        )
    share = sum(term in known for term in wanted) / len(wanted) if wanted else 1.0
    foreign = [] if case.options else [name for name in _names(case.text) if not set(terms(name)) <= known | asked]
    if foreign:
        return Constraint("support", False, f"the cited evidence does not name {', '.join(foreign)}", case.records)
    why = f"{share:.0%} of the answer's words are in the cited evidence"
    return Constraint("support", share >= least, why, case.records)


def _scope(case: Case) -> Constraint:
    """The evidence is about what is asked, not about something else that shares a word with it."""
    if case.state is not None:
        return Constraint("scope", True, f"the state has {case.state.about}", case.records)
    if case.is_claim and case.text.casefold() == "false":
        return Constraint("scope", True, "judged by what the packet says and does not say", case.records)
    if case.lexical:
        together = case.supports.covered(terms(case.called), case.cited_sentences)
    else:
        together = held(case.question, " ".join(item["text"] for item in case.cited))
    if not case.lexical or not case.is_single or case.options or case.is_judged_by_clauses:
        return Constraint(
            "scope", together >= TOGETHER, f"the cited evidence has {together:.0%} of the question", case.records
        )
    if case.kind not in ("person", "polar") and not _says_more_than_names(case):
        return Constraint(
            "scope", False, "the question has no word, beside names, by which to know the place", case.records
        )
    ground = case.ground
    share = case.shares[ground.place] if ground else 0.0
    worth = evidence(case.called, ground.text, share) if ground else 0.0
    why = f"the best cited sentence has {share:.0%} of the question's words, worth {worth:.2f} with their order"
    least = believed(case.kind)
    return Constraint("scope", worth >= least, f"{why}; {least:.2f} is asked for", case.records)


def _says_more_than_names(case: Case) -> bool:
    said = case.question
    for named in case.names.in_text(said):
        said = said[: named.start] + " " * (named.end - named.start) + said[named.end :]
    return bool(set(content_terms(said)) - FUNCTION_TERMS)


def _polarity(case: Case) -> Constraint:
    """What is denied, dreamt or only planned is not told as done; and that nothing affirms a thing does not deny it."""
    unreal = not_actual(case)
    if unreal is not None:
        why = f"what is cited is {unreal.modality}, not actual"
        return Constraint("polarity", False, why, (unreal.record,))
    ground = case.ground
    if case.state is not None or ground is None or case.is_claim or not case.lexical or case.is_judged_by_clauses:
        return Constraint("polarity", True, "nothing that is cited is denied", case.records)
    if is_only_meant(case, ground.text):
        return Constraint("polarity", False, "what is cited is promised, wanted or possible, not done", case.records)
    denied = NEGATION.search(_clause(ground.text, case.text)) is not None
    if case.text == "No" and case.kind == "polar":
        sure = NEGATION.search(ground.text) is not None
        why = "the evidence denies it" if sure else "nothing affirms it, which is no denial"
        return Constraint("polarity", sure, why, case.records)
    asked = NEGATION.search(case.question) is not None
    if case.is_single and case.kind in ("person", "place", "thing", "time", "number") and denied and not asked:
        return Constraint("polarity", False, "the sentence that is cited denies what is asked", case.records)
    return Constraint("polarity", True, "nothing that is cited is denied", case.records)


def _state(case: Case) -> Constraint:
    """What is said to hold, holds: a value that something later replaced is not given for the present one."""
    if case.state is not None:
        since = overtaken(case) if case.is_english else ""
        return Constraint("state", not since, since or "the latest valid value", case.records)
    old = outdated(case)
    since = told_since(case) if case.lexical and case.text.casefold() != "false" and case.is_english else ""
    if old is None and since:
        return Constraint("state", False, since, case.records)
    if old is None:
        return Constraint("state", True, "no value that has been replaced is given for what holds")
    now = f"is {old.current.value} since then" if old.current else "is not known to be anything since then"
    deciding = case.slice.records[(old.current or old.past).support[0]].name
    why = f"{old.past.key} was {old.past.value} until chapter {old.past.valid_to}, and {now}"
    return Constraint("state", False, why, (deciding,))


def _time(case: Case) -> Constraint:
    """Nothing that is cited lies after the checkpoint, and what is asked before or after something lies there."""
    late = [item["chapter"] for item in case.cited if item["chapter"] > case.slice.at]
    if late:
        return Constraint("time", False, f"chapter {late[0]} comes after the checkpoint", case.records)
    order = case.order
    if order is not None and not any(order.admits(item["chapter"]) for item in case.cited):
        return Constraint(
            "time", False, f"nothing that is cited lies {order.side} chapter {order.chapter}", (order.record,)
        )
    told = f"{order.side} chapter {order.chapter}" if order else f"up to chapter {case.slice.at}"
    return Constraint("time", True, f"the cited evidence lies {told}", (order.record,) if order else ())


_CHECKS: Final[Sequence[Callable[[Case], Constraint]]] = (_support, actor, _scope, _polarity, _state, _time)


def _names(text: str) -> list[str]:
    """Words with a capital inside an answer; the first counts only in an answer of few words."""
    words = re.findall(r"[^\W\d_]+(?:['’][^\W\d_]+)*", text)
    inside = words if len(words) <= 3 else words[1:]
    return [
        word for word in inside if word[0].isupper() and content_terms(word) and not set(terms(word)) <= POLAR_WORDS
    ]


def _clause(sentence: str, answer: str) -> str:
    """The clause of a sentence in which the answer stands, or the whole sentence."""
    for clause in re.split(r"[,;:—–]|\bbut\b|\band\b", sentence):
        if answer and answer in clause:
            return clause
    return sentence if answer in sentence else ""
