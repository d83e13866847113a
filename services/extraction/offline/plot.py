"""Atomic plot events and presences, from the clauses of the narration."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from services.extraction.offline.antecedents import Antecedents, Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import ENTERING, MOVING, STAYING
from services.extraction.offline.narrators import Narrators
from services.extraction.offline.observations import Argument, Clause
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

_STOP = re.compile(r"\s*;|\s*[“”]|\s*\n\n")
_NOT_THERE = re.compile(
    r"(?i)(?<![\w’'])(?:(?:was|were|am|is|are)\s+(?:\w+ly\s+)?(?:going|coming|returning|setting)|always|often|sometimes|occasionally|"
    r"usually|generally|seldom|every|used\s+to|never|almost|nearly|if|as if)(?![\w’'])"
)
"""Words that say somebody was only on the way to a place, or went there in general."""
_LONGEST_SUMMARY = 240
_AT = frozenset(("in", "at", "on", "upon", "inside", "aboard", "within"))
_TO = frozenset(("to", "into", "at", "in", "inside", "aboard", "onto", "on"))
_ABOUT = _AT | _TO | frozenset(("near", "through", "across", "towards", "toward", "outside", "around", "from"))


@dataclass(frozen=True, slots=True)
class Participant:
    figure: Figure
    role: str


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that happened, and who took part in it in which role (agent, patient, recipient, companion)."""

    summary: str
    span: Span
    participants: tuple[Participant, ...]
    location: Figure | None
    earlier: bool
    confidence: float


@dataclass(frozen=True, slots=True)
class Arrival:
    """A character is at a named place once the clause has happened."""

    figure: Figure
    place: Figure
    span: Span
    confidence: float


@dataclass(frozen=True, slots=True)
class Plot:
    deeds: list[Deed]
    arrivals: list[Arrival]
    acting: list[tuple[int, Figure]]
    """Where a character does something in the scene told (not in the past perfect)."""


def plot(
    text: str, clauses: Sequence[Clause], quotations: Quotations, antecedents: Antecedents, narrators: Narrators
) -> Plot:
    result = Plot([], [], [])
    for clause in clauses:
        reader = _ClauseReader(text, clause, quotations, antecedents, narrators)
        agents = reader.agents()
        if not clause.earlier:
            result.acting.extend((clause.predicate.start, r.figure) for r in agents if r.figure.type == "character")
            result.arrivals.extend(reader.arrivals(agents))
        deed = reader.deed(agents)
        if deed is not None:
            result.deeds.append(deed)
    return result


class _ClauseReader:
    def __init__(
        self, text: str, clause: Clause, quotations: Quotations, antecedents: Antecedents, narrators: Narrators
    ) -> None:
        self._text = text
        self._clause = clause
        self._antecedents = antecedents
        self._narrators = narrators
        speech = [q.start for q in quotations.within(Span(clause.span.start, clause.predicate.end))]
        self._end = min([clause.predicate.end, *speech])
        stop = _STOP.search(text, clause.predicate.start, self._end)
        if stop is not None:
            self._end = stop.start()
        self._start = min(clause.span.start, clause.predicate.start)
        mention = antecedents.mention_at(self._start)
        if mention is not None:  # the parser took a title for no part of the name
            self._start = mention.span.start

    def agents(self) -> list[Reference]:
        found = [self._antecedents.resolve(subject, self._clause.pronoun) for subject in self._clause.subjects]
        return _distinct([reference for reference in found if reference is not None])

    def deed(self, agents: Sequence[Reference]) -> Deed | None:
        """The clause as an event; None where it names nobody, or only says that somebody spoke."""
        clause = self._clause
        if self._end - clause.predicate.start < 3 or clause.says or (clause.earlier and clause.bare):
            return None
        narrated = clause.pronoun == "i" and self._narrators.first_person
        participants = self._participants(agents)
        if not participants and not narrated:
            return None
        summary = self._summary(agents)
        span = Span(self._start, self._end)
        confidences = [reference.confidence for reference in agents] or [0.6]
        confidence = round(min(0.85, 0.95 * min(confidences)), 2)
        return Deed(summary, span, participants, self._location(), clause.earlier, confidence)

    def _participants(self, agents: Sequence[Reference]) -> tuple[Participant, ...]:
        role = "patient" if self._clause.passive else "agent"
        found = {id(r.figure): Participant(r.figure, role) for r in agents if r.figure.type != "location"}
        for argument in self._clause.arguments:
            named = self._antecedents.named(argument.head)
            if named is not None and named.figure.type != "location":
                found.setdefault(id(named.figure), Participant(named.figure, argument.role))
        return tuple(found.values())

    def _summary(self, agents: Sequence[Reference]) -> str:
        clause = self._clause
        if agents and len(agents) >= len(clause.subjects):
            subject = _listed([reference.figure.name for reference in agents])
        elif clause.pronoun == "i":
            subject = "the narrator"
        elif self._start < clause.predicate.start:
            subject = self._text[self._start : clause.predicate.start]
        else:
            subject = clause.pronoun or self._word(clause.subjects[0])
        predicate = self._text[clause.predicate.start : self._end].rstrip(" ,;:—-")
        if any(clause.predicate.start <= head < self._end for head in clause.subjects):
            return shortened(predicate, _LONGEST_SUMMARY)  # "down went Pew": the subject is in it
        return shortened(f"{subject} {predicate}", _LONGEST_SUMMARY)

    def _word(self, offset: int) -> str:
        match = re.compile(r"[\w’'-]+").match(self._text, offset)
        return match.group() if match else "someone"

    def _location(self) -> Figure | None:
        for argument in self._clause.arguments:
            place = self._place(argument, _ABOUT)
            if place is not None:
                return place
        return None

    def _place(self, argument: Argument, prepositions: frozenset[str]) -> Figure | None:
        if argument.preposition and argument.preposition not in prepositions:
            return None
        named = self._antecedents.named(argument.head)
        return named.figure if named is not None and named.figure.type == "location" else None

    def arrivals(self, agents: Sequence[Reference]) -> list[Arrival]:
        verb = self._clause.verb
        if verb not in MOVING and verb not in STAYING:
            return []
        if _NOT_THERE.search(self._text, self._start, self._end):
            return []
        prepositions = _TO if verb in MOVING else _AT
        for argument in self._clause.arguments:
            if argument.preposition or verb in ENTERING:
                place = self._place(argument, prepositions)
                if place is not None and argument.span.end <= self._end:
                    span = Span(self._start, self._end)
                    return [
                        Arrival(r.figure, place, span, round(min(0.8, 0.9 * r.confidence), 2))
                        for r in agents
                        if r.figure.type == "character"
                    ]
        return []


def _distinct(references: Sequence[Reference]) -> list[Reference]:
    found: dict[int, Reference] = {}
    for reference in references:
        found.setdefault(id(reference.figure), reference)
    return list(found.values())


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def shortened(text: str, length: int) -> str:
    """The text on one line, cut after a whole word to at most `length` characters."""
    line = re.sub(r"\s+", " ", text).strip()
    if len(line) <= length:
        return line
    cut = line[: length - 1]
    return (cut[: cut.rfind(" ")] if " " in cut[length // 2 :] else cut).rstrip(" ,;:") + "…"
