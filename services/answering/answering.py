"""`ask`: a question, its packet, the answer that the packet supports, and the audit that it passed, or none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from services.answering.asked import DEFAULT_METHOD, Asked, asked
from services.answering.auditing import audit
from services.answering.beside import Completed, completed
from services.answering.case import Case
from services.answering.decomposing import Planner, RulePlanner
from services.answering.evidence import assembled, of_entries
from services.answering.judging import judged
from services.answering.naming import names_of
from services.answering.readers.reader import GuidedReader
from services.answering.solving import Limits, Solved, Solving
from services.answering.stale import outdated
from services.retrieval.slices import Slice

Json = Any


class Evidence(Protocol):
    """What packets come from: the product's retriever."""

    def packet(
        self,
        story: str,
        question: str,
        *,
        at: int | str | None,
        method: str,
        budget: int,
        as_recorded: int | str | None,
    ) -> dict[str, Json]: ...

    def standing(self, story: str, *, at: int | str | None, as_recorded: int | str | None) -> tuple[Slice, int]: ...


class Answering:
    """Answers from packets. `lexical`: the reader goes by words alone, and is audited accordingly."""

    def __init__(
        self,
        evidence: Evidence,
        reader: GuidedReader,
        *,
        planner: Planner | None = None,
        limits: Limits | None = None,
        lexical: bool = True,
    ) -> None:
        self._evidence = evidence
        self._reader = reader
        self._planner = planner or RulePlanner()
        self._limits = limits or Limits()
        self._lexical = lexical

    def ask(
        self,
        story: str,
        question: str,
        *,
        at: int | str | None = None,
        method: str = DEFAULT_METHOD,
        budget: int = 12_000,
        options: Sequence[str] | None = None,
        as_recorded: int | str | None = None,
    ) -> dict[str, Json]:
        """The answer as of chapter `at` (default: the last), or that there is none; everything it says stands in the packet.

        Nothing after that chapter shows in any part of the reply. Raises `InvalidInput`, `UnknownStory`, `UnknownCheckpoint`,
        `ReadModelBehind`, and with a model what its client raises.
        """
        wanted = asked(question, method, budget, options)
        slice_, position = self._evidence.standing(story, at=at, as_recorded=as_recorded)
        # an edit that comes in meanwhile is for the next question: state and packet are of one moment
        moment = position or as_recorded

        def retrieve(text: str) -> Mapping[str, Json]:
            return self._evidence.packet(
                story, text, at=slice_.at, method=wanted.method, budget=wanted.budget, as_recorded=moment
            )

        as_polar = judged(wanted) if self._lexical else None
        put = as_polar.asked if as_polar is not None else wanted
        work = Solving(
            story, slice_, names_of(slice_), put, retrieve, self._reader, self._planner, self._limits, self._lexical
        )
        reply = self._reply(put, work, work.solve())
        return reply if as_polar is None else as_polar.said(reply, wanted.options, wanted.text)

    def _reply(self, wanted: Asked, work: Solving, solved: Solved) -> dict[str, Json]:
        draft = solved.answer
        reply = {
            "question": wanted.text,
            "at": work.slice.at,
            "reader": self._reader.name,
            "options": list(wanted.options),
        }
        if draft.abstained:
            verdict, answer = {"verdict": "abstained", "passed": True, "draft": "", "constraints": []}, ""
        else:
            case = Case(
                work.slice, work.names, solved.question, wanted.options, draft.text, draft.evidence_ids, solved.packet,
                solved.state, solved.order, self._lexical,
            )  # fmt: skip
            found = audit(case)
            verdict, answer = found.to_json(draft.text), found.answer
        packet = dict(solved.packet)
        ids = draft.evidence_ids if answer else ()
        if answer and verdict["verdict"] == "changed":
            packet, ids = _with_current(case, packet)
            answer = answer if ids else ""
        elif answer and not wanted.options and (solved.state is None or solved.state.source == "records"):
            whole = completed(work.slice, answer, ids, packet)
            answer, ids, packet = whole.text, whole.evidence_ids, whole.packet
            verdict = _told_beside(verdict, whole)
        return {
            **reply,
            "answer": answer or None,
            "abstained": not answer,
            "evidence_ids": list(ids),
            "support": work.support.to_json(),
            "audit": verdict,
            "skills": [skill.name for skill in solved.plan.skills],
            "packet": packet,
        }


def _told_beside(verdict: dict[str, Json], whole: Completed) -> dict[str, Json]:
    """The audit with what came of replaced values that the sentences of an answer tell."""
    if not whole.keys:
        return verdict
    why = f"{', '.join(whole.keys)}: replaced since; " + (
        "what holds is told beside it" if whole.text else "there is no room for what holds"
    )
    constraints = [
        {**each, "passed": bool(whole.text), "why": why} if each["constraint"] == "state" else each
        for each in verdict["constraints"]
    ]
    return {
        **verdict,
        "verdict": "changed" if whole.text else "abstained",
        "passed": bool(whole.text),
        "constraints": constraints,
    }


def _with_current(case: Case, packet: dict[str, Json]) -> tuple[dict[str, Json], tuple[str, ...]]:
    """The packet with the entry that replaced an outdated answer, and its id; no id where it does not fit."""
    old = outdated(case)
    items = of_entries(case.slice, [old.current]) if old and old.current else []
    packet = assembled(packet, items, [])
    there = {item["id"] for item in packet["items"]}
    return packet, tuple(item["id"] for item in items if item["id"] in there)
