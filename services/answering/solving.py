"""Recursive question answering over state, graph and packets (NWM, section 3.4), bounded in depth and calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from services.answering.asked import Asked
from services.answering.auditing import audit
from services.answering.case import Case
from services.answering.decomposing import Order, Plan, Planner, hop, order
from services.answering.evidence import assembled, of_skills, of_state
from services.answering.looking import FromState
from services.answering.naming import Names, as_called
from services.answering.occurrences import from_occurrences
from services.answering.polar import from_passages, is_plain
from services.answering.readers.reader import ABSTAINED, Answer, GuidedReader
from services.answering.readers.sentences import FUNCTION_TERMS
from services.answering.skills import manner
from services.answering.stale import standing
from services.answering.state_questions import from_state
from services.answering.tracing import Step, Support, found
from services.extraction.claude.purpose import about
from services.retrieval.cast import Figure
from services.retrieval.slices import Slice
from services.retrieval.wording import content_terms

Json = Any
_NAME: Final = re.compile(r"[^\W\d_a-z][\w.’'-]*(?:\s+[^\W\d_a-z][\w.’'-]*)*")
KNOWN_SHARE: Final = 0.34
"""The share of a question's words that the story has to have before anybody is asked about it."""


@dataclass(frozen=True, slots=True)
class Limits:
    """How far a question is followed: levels of sub-questions, and calls of the reader and the planner together."""

    depth: int = 2
    calls: int = 6


@dataclass(frozen=True, slots=True)
class Part:
    """What came of a part: what it says, empty if nothing that can be believed, and the items that it rests on."""

    says: str
    items: list[Json]
    settled: bool = False
    """Whether it is what holds, so that no text needs to be read for it."""


NO_PART: Final = Part("", [])


@dataclass(frozen=True, slots=True)
class Solved:
    """An answer before its audit, with the packet it is from. `question` is as it was read, what had to be known first in its place."""

    question: str
    answer: Answer
    packet: Mapping[str, Json]
    plan: Plan
    state: FromState | None
    order: Order | None


@dataclass
class Solving:
    """One question on its way. `retrieve` gives the packet for a text."""

    story: str
    slice: Slice
    names: Names
    asked: Asked
    retrieve: Callable[[str], Mapping[str, Json]]
    reader: GuidedReader
    planner: Planner
    limits: Limits
    lexical: bool = True
    support: Support = field(default_factory=Support)
    calls: int = 0

    def solve(self) -> Solved:
        """The answer to the question itself; the steps to it are in `support`."""
        step = self.support.begin(self.asked.text, None)
        packet = self.retrieve(self.asked.text)
        unclear = self.names.unclear_in(self.asked.text)
        if unclear and self.lexical:
            called, bearers = unclear[0]
            found(step, "nothing", "", [], f"{called!r} may be {' or '.join(bearers[:4])}; ask by the whole name")
            return Solved(self.asked.text, ABSTAINED, packet, Plan((), ()), None, None)
        known = self._looked_up(self.asked.text) if not unclear else None
        state = self._chosen(known)
        if state is not None:
            return self._of_state(step, state, packet)
        nothing = self._refuted(known) or self._unasked(packet)
        if nothing:
            found(step, "nothing", "", [], nothing)
            return Solved(self.asked.text, ABSTAINED, packet, Plan((), ()), None, None)
        return self._of_packet(step, packet)

    def _unasked(self, packet: Mapping[str, Json]) -> str:
        """Why nobody has to be asked; empty where somebody has to."""
        if not packet["items"]:
            return f"nothing that is told up to chapter {self.slice.at} fits the question within the budget"
        wanted = sorted(set(content_terms(self.asked.text)) - FUNCTION_TERMS)
        if not wanted:
            return "the question has no word that says what it is about"
        lexicon = self.slice.passage_lexicon
        known = [term for term in wanted if lexicon.scores([term]).any()]
        if not self.names.in_text(self.asked.text) and len(known) < KNOWN_SHARE * len(wanted):
            missing = ", ".join(term for term in wanted if term not in known)[:120]
            return (
                f"the chapters up to {self.slice.at} have nothing of what is asked ({missing}); ask in the story's own language "
                "and words"
            )
        return ""

    def _chosen(self, known: FromState | None) -> FromState | None:
        """What the state answers; of options only if it is exactly one of them."""
        if known is None or not self.asked.options:
            return known
        value = self.names.called(known.text)
        fitting = [
            o for o in self.asked.options if o.casefold() == known.text.casefold() or _is_figure(self.names, o, value)
        ]
        return replace(known, text=fitting[0]) if len(fitting) == 1 else None

    def _refuted(self, known: FromState | None) -> str:
        """Why none of the options can be it: the state has somebody or something else; empty where one of them may be meant."""
        holds = known is not None and known.source == "state" and bool(self.asked.options)
        value = self.names.called(known.text) if known is not None and holds else None
        if value is None or not all(_is_another(self.names, option, value) for option in self.asked.options):
            return ""
        return f"after chapter {self.slice.at} it is {self.names.of(value.id)}, which is none of the options"

    def _looked_up(self, text: str) -> FromState | None:
        """What holds, else what the records tell to have happened."""
        return from_state(self.slice, self.names, text) or from_occurrences(self.slice, self.names, text)

    def _of_state(self, step: Step, state: FromState, packet: Mapping[str, Json]) -> Solved:
        items = of_state(self.slice, state)
        packet = assembled(packet, items, [])
        there = {item["id"] for item in packet["items"]}
        ids = tuple(item["id"] for item in items if item["id"] in there)
        answer = Answer(state.text, False, ids) if ids else ABSTAINED
        found(step, state.source, answer.text, items if ids else [], state.says(self.slice.at))
        return Solved(self.asked.text, answer, packet, Plan((), ()), state, None)

    def _of_packet(self, step: Step, packet: Mapping[str, Json]) -> Solved:
        question, needed = self._known_first(step, self.asked.text)
        where = self._ordered(step)
        plan = self._plan(question)
        parts = [self._part(step, part, self.limits.depth - 1) for part in plan.parts]
        needed += [item for part in parts for item in part.items]
        looked_up = of_skills(self.slice, self.names, question, plan.skills)
        if where is not None:
            packet = {**packet, "items": [item for item in packet["items"] if where.admits(item["chapter"])]}
            needed = [item for item in needed if where.admits(item["chapter"])]
            looked_up = [item for item in looked_up if where.admits(item["chapter"])]
        packet = assembled(packet, needed, looked_up)
        settled = tuple(place for place, part in enumerate(parts) if part.settled)
        if self.lexical and not self.asked.options and is_plain(question):
            answer = from_passages(self.names, question, standing(self.slice, question, packet))
            self._tell(step, answer, packet)
            return Solved(question, answer, packet, plan, None, where)
        answer = self._read(question, standing(self.slice, question, packet), self.asked.options, plan, settled)
        if self.lexical:
            answer = _together(answer, parts, packet)
            if not self.asked.options and not self._believed(question, answer, packet, where):
                answer = self._from_records(question, packet, plan, where) or answer
        self._tell(step, answer, packet)
        return Solved(question, answer, packet, plan, None, where)

    def _from_records(
        self, question: str, packet: Mapping[str, Json], plan: Plan, where: Order | None
    ) -> Answer | None:
        """A second draft from the records alone, which call people by their names where the text says `she`; None: it is no better."""
        told = standing(self.slice, question, packet)["items"]
        records = {**packet, "items": [item for item in told if "record" in item]}
        if not records["items"] or len(records["items"]) == len(packet["items"]):
            return None
        answer = self._read(question, records, (), plan)
        return answer if self._believed(question, answer, packet, where) else None

    def _believed(self, question: str, answer: Answer, packet: Mapping[str, Json], where: Order | None) -> bool:
        if answer.abstained:
            return False
        case = Case(
            self.slice, self.names, question, (), answer.text, answer.evidence_ids, packet, None, where, self.lexical
        )
        return audit(case).verdict == "kept"

    def _part(self, parent: Step, text: str, depth: int) -> Part:
        """A part on its own; nothing where it finds nothing that can be believed, or there is no call left for it."""
        if self.calls >= self.limits.calls - 1 or depth < 0:
            return NO_PART
        step = self.support.begin(text, parent)
        state = self._looked_up(text)
        if state is not None:
            items = of_state(self.slice, state)
            found(step, state.source, state.text, items, state.says(self.slice.at))
            return Part(state.text, items, settled=state.source == "state")
        question, items = self._known_first(step, text) if depth else (text, [])
        packet = assembled(self.retrieve(question), items, [])
        answer = self._read(question, standing(self.slice, question, packet), (), Plan((), ()))
        if not self._believed(question, answer, packet, None):
            answer = ABSTAINED
        self._tell(step, answer, packet)
        return Part(answer.text, items + [item for item in packet["items"] if item["id"] in answer.evidence_ids])

    def _known_first(self, parent: Step, text: str) -> tuple[str, list[Json]]:
        """The question with what had to be known first put in its place, and what says so."""
        needs = hop(text, self.names) if self.limits.depth else None
        state = from_state(self.slice, self.names, needs.question) if needs else None
        if needs is None or state is None:
            return text, []
        step = self.support.begin(needs.question, parent)
        items = of_state(self.slice, state)
        found(step, state.source, state.text, items, state.says(self.slice.at))
        return text.replace(needs.words, state.text), items

    def _ordered(self, parent: Step) -> Order | None:
        where = order(self.slice, self.asked.text)
        if where is not None:
            step = self.support.begin(f"When: {where.clause}?", parent)
            step.source, step.answer, step.chapters = "order", f"chapter {where.chapter}", (where.chapter,)
            step.why = f"told by {where.record}; the answer has to lie {where.side} it"
        return where

    def _plan(self, question: str) -> Plan:
        if self.planner.calls and self.calls + self.planner.calls >= self.limits.calls:
            return Plan((), ())
        with about(self.story, self.slice.at):
            plan = self.planner.plan(question, self.asked.options, self.names)
        self.calls += plan.calls
        return plan if self.limits.depth and not self.asked.options else replace(plan, parts=())

    def _read(
        self,
        question: str,
        packet: Mapping[str, Json],
        options: Sequence[str],
        plan: Plan,
        settled: tuple[int, ...] = (),
    ) -> Answer:
        if not packet["items"]:
            return ABSTAINED
        self.calls += 1
        if self.lexical:
            question = as_called(self.names, question, packet)
        with about(self.story, self.slice.at, tuple(item["chapter"] for item in packet["items"])):
            reading = replace(manner(plan.skills), settled=settled)
            answer = self.reader.guided(question, packet, options, reading)
        there = {item["id"] for item in packet["items"]}
        # whoever answers with evidence that the packet does not have is not believed
        grounds = tuple(i for i in answer.evidence_ids if i in there)
        return replace(answer, evidence_ids=grounds) if grounds and not answer.abstained else ABSTAINED

    def _tell(self, step: Step, answer: Answer, packet: Mapping[str, Json]) -> None:
        items = [item for item in packet["items"] if item["id"] in answer.evidence_ids]
        read = f"{self.reader.name} over {len(packet['items'])} items"
        found(
            step,
            "packet",
            answer.text,
            items,
            f"nothing that supports an answer ({read})" if answer.abstained else read,
        )


def _is_another(names: Names, option: str, value: Figure) -> bool:
    """Whether an option is the name of another than `value`: of one that the story knows, or of nobody in it."""
    meant = names.meant(option)
    if meant is not None:
        return meant.id != value.id
    own = {word for name in names.names(value) for word in name.casefold().split()}
    return bool(_NAME.fullmatch(option)) and not own & set(option.casefold().split())


def _is_figure(names: Names, option: str, figure: Figure | None) -> bool:
    named = names.called(option)
    return named is not None and figure is not None and named.id == figure.id


def _together(answer: Answer, parts: Sequence[Part], packet: Mapping[str, Json]) -> Answer:
    """What the parts say, before what the whole does."""
    there = {item["id"] for item in packet["items"]}
    told = [part for part in parts if part.says and all(item["id"] in there for item in part.items)]
    if not told:
        return answer
    ids = dict.fromkeys([*(item["id"] for part in told for item in part.items), *answer.evidence_ids])
    texts = dict.fromkeys([*(part.says for part in told), *([answer.text] if answer.text else [])])
    return Answer("; ".join(text.rstrip(".;") for text in texts) + ".", False, tuple(ids))
