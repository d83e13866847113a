"""From answers to measures: `suite.method.what@budget` as for packets, with `qa_` before what is measured of answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from services.evaluation.extraction.intervals import Estimate, resampled, share
from services.evaluation.qa.running import Read
from services.evaluation.qa.scoring import Marks, marks, pairs_right
from services.evaluation.retrieval import controls
from services.evaluation.retrieval.comparing import Comparison
from services.evaluation.retrieval.measuring import CellKey, name_of
from services.evaluation.retrieval.saved import Saved
from services.evaluation.retrieval.scoring import Score, score
from services.evaluation.retrieval.statistics import krippendorff, nominal, paired


@dataclass(frozen=True, slots=True)
class Marked:
    """An answer with its marks, and its packet's score."""

    read: Read
    marks: Marks
    score: Score

    @property
    def has_gold(self) -> bool | None:
        """Whether the packet has all gold evidence; None where there is none to have."""
        return all(self.score.evidence) if self.score.evidence else None


Cells = Mapping[CellKey, Sequence[Marked]]
Units = Callable[[Marked], Iterable[bool]]

SHARES: Final[Mapping[str, Units]] = {
    "qa_right": lambda m: _given(m.marks.hit),
    "qa_exact": lambda m: _given(m.marks.exact),
    "qa_options": lambda m: _given(m.marks.chosen),
    "qa_abstained": lambda m: [] if m.read.question.leak else [m.marks.abstained],
    "qa_leak_abstained": lambda m: [m.marks.abstained] if m.read.question.leak else [],
    "qa_leak_told": lambda m: _given(m.marks.told_later),
    "qa_stale_told": lambda m: _given(m.marks.told_stale),
    # abstaining is right where the packet lacks evidence, and wrong where it has it (NWM, section 5)
    "qa_abstained_with_gold": lambda m: [m.marks.abstained] if m.has_gold is True and not m.read.question.leak else [],
    "qa_abstained_without_gold": lambda m: [m.marks.abstained] if m.has_gold is False else [],
}


def marked(saved: Saved, reads: Sequence[Read]) -> Cells:
    """The answers by suite, method and budget, each in the order of the questions."""
    found: dict[CellKey, list[Marked]] = {}
    for read in reads:
        key = (read.packet.suite, read.packet.method, read.packet.budget)
        found.setdefault(key, []).append(Marked(read, marks(read.question, read.answer), score(saved, read.packet)))
    return {key: sorted(cell, key=lambda m: m.read.question.id) for key, cell in found.items()}


def measures(cells: Cells) -> Iterator[Estimate]:
    for key, cell in cells.items():
        for what, units in SHARES.items():
            values = [unit for each in cell for unit in units(each)]
            if values:
                yield share(name_of(key, what), sum(values), len(values))
        parts = [m.marks.f1 for m in cell if m.marks.f1 is not None]
        if parts:
            yield resampled(name_of(key, "qa_f1"), parts, lambda given: sum(given) / len(given), len(parts))
        both = pairs_right((m.read.question, m.marks) for m in cell)
        if both:
            yield share(name_of(key, "qa_pairs"), sum(both), len(both))
        yield from _by_hops(key, cell)
        yield from _by_family(key, cell)


def agreement(times: Sequence[Cells]) -> Iterator[Estimate]:
    """Krippendorff's alpha between the verdicts on repeated answers: right, wrong, or abstained."""
    for key in times[0] if len(times) > 1 else ():
        verdicts = [[_verdict(each) for each in cells[key]] for cells in times]
        units = list(zip(*verdicts, strict=True))
        yield resampled(name_of(key, "qa_alpha"), units, lambda given: krippendorff(given, nominal), len(units))


def _verdict(each: Marked) -> str:
    if each.marks.abstained:
        return "abstained"
    right = each.marks.chosen if each.marks.hit is None else each.marks.hit
    return "right" if right else "wrong"


def comparisons(cells: Cells) -> Iterator[Comparison]:
    """Right answers of each method of ours against the best baseline and both controls, by McNemar's exact test."""
    for suite, budget in sorted({(suite, budget) for suite, _, budget in cells}):
        at = {m: _rights(cell) for (s, m, b), cell in cells.items() if (s, b) == (suite, budget)}
        baselines = [name for name in controls.BASELINES if at.get(name)]
        others = [max(baselines, key=lambda name: sum(at[name]))] if baselines else []
        for method in [m for m in at if m not in (*controls.BASELINES, *controls.CONTROLS)]:
            for against in [*others, *(c for c in controls.CONTROLS if c in at)]:
                mine, theirs = at[method], at[against]
                if mine and len(mine) == len(theirs):
                    yield Comparison(
                        suite, method, against, budget, "qa_right", "", sum(mine) / len(mine), sum(theirs) / len(theirs),
                        paired(mine, theirs),
                    )  # fmt: skip


def _rights(cell: Sequence[Marked]) -> list[bool]:
    return [right for m in cell for right in _given(m.marks.hit if m.marks.hit is not None else m.marks.chosen)]


def _by_hops(key: CellKey, cell: Sequence[Marked]) -> Iterator[Estimate]:
    for several, group in ((False, "hops=single"), (True, "hops=multi")):
        part = [m for m in cell if m.read.question.hops is not None and (m.read.question.hops > 1) == several]
        values = [unit for each in part for unit in SHARES["qa_right"](each)]
        if values:
            yield share(name_of(key, "qa_right", group), sum(values), len(values))


def _by_family(key: CellKey, cell: Sequence[Marked]) -> Iterator[Estimate]:
    """Right answers, and abstentions from what the story has told, of each family of questions."""
    for family in sorted({m.read.question.family for m in cell if m.read.question.family}):
        part = [m for m in cell if m.read.question.family == family and not m.read.question.leak]
        for what in ("qa_right", "qa_abstained"):
            values = [unit for each in part for unit in SHARES[what](each)]
            if values:
                yield share(name_of(key, what, f"family={family}"), sum(values), len(values))


def _given(value: bool | None) -> list[bool]:
    return [] if value is None else [value]
