"""A question taken apart (NWM, section 3.4): what is asked on its own, what has to be known first, and what comes before or after what."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from services.answering.facts import SAME, held
from services.answering.naming import Names
from services.answering.skills import Skill, chosen
from services.retrieval.slices import Slice
from services.retrieval.weave.intents import RulePlanner as Seams

_PRONOUN: Final = re.compile(r"\b(?:he|she|it|they|him|her|them)\b(?! own\b)", re.IGNORECASE)
_ORDER: Final = re.compile(
    r"^(?P<main>.+?)\s+(?P<side>before|after)\s+(?P<clause>(?:\w+(?:['’]\w*)?\s+){1,15}\w+)\s*\??$", re.IGNORECASE
)
_HOLDER: Final = re.compile(
    r"\b(?:the )?(?:owner|holder|keeper) of |\bwhoever (?:now )?(?:owns|has|holds|keeps) ", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The parts that a question is made of, none if it is one, and the skills to read with. `calls`: what the plan took of a model."""

    parts: tuple[str, ...]
    skills: tuple[Skill, ...]
    calls: int = 0


class Planner(Protocol):
    """Takes questions apart. `calls` are those of a model that one plan takes at most."""

    @property
    def calls(self) -> int: ...

    def plan(self, question: str, options: Sequence[str], names: Names) -> Plan: ...


class RulePlanner:
    """By the wording: seams between clauses that ask on their own. A part that names nobody takes over whom the one before named."""

    calls = 0

    def __init__(self) -> None:
        self._seams = Seams()

    def plan(self, question: str, options: Sequence[str], names: Names) -> Plan:
        last = ""
        parts = []
        for part in self._seams.plan(question):
            named = [n.figure for n in names.in_text(part)]
            if named:
                last = names.of(named[0].id)
            elif last:
                part = _PRONOUN.sub(last, part, count=1)
            parts.append(part)
        return Plan(tuple(dict.fromkeys(parts)), chosen(question, options))


@dataclass(frozen=True, slots=True)
class Hop:
    """Something that has to be known first: a question about the state, and the words that its answer stands for."""

    question: str
    words: str


def hop(question: str, names: Names) -> Hop | None:
    """`Where does the owner of the brass key live?` needs `Who owns the brass key?` first; only where the thing is known."""
    match = _HOLDER.search(question)
    if match is None or match.start() == 0 or re.match(r"who (?:is|was) $", question[: match.start()], re.IGNORECASE):
        return None
    after = question[match.end() :]
    thing = next(
        (n for n in names.in_text(after) if not re.sub(r"\b(?:the|a|an)\b|\s", "", after[: n.start].lower())), None
    )
    if thing is None:
        return None
    return Hop(f"Who owns {after[: thing.end]}?", match.group() + after[: thing.end])


@dataclass(frozen=True, slots=True)
class Order:
    """That an answer has to stand before or after something that a record tells."""

    side: Literal["before", "after"]
    clause: str
    chapter: int
    record: str

    def admits(self, chapter: int) -> bool:
        return chapter <= self.chapter if self.side == "before" else chapter >= self.chapter


def order(slice_: Slice, question: str) -> Order | None:
    """What a question's `before …` or `after …` refers to: the event that has most of its words, the latest of equals.

    None where there is no such clause, or no record of it.
    """
    match = _ORDER.match(" ".join(question.split()))
    if match is None:
        return None
    best: tuple[float, int, str] | None = None
    for record in slice_.records:
        if record.kind in ("event", "situation", "interaction", "revelation"):
            share = held(match["clause"], record.text)
            if share >= SAME and (best is None or (share, record.chapter) >= best[:2]):
                best = (share, record.chapter, record.name)
    side: Literal["before", "after"] = "before" if match["side"].lower() == "before" else "after"
    return None if best is None else Order(side, match["clause"], best[1], best[2])
