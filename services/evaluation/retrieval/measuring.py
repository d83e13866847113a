"""From saved packets to measures: shares with their intervals, by method, budget and group.

A measure is called `suite.method.what@budget`, with `/group=value` behind it where it is of a part of the questions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from services.evaluation.bench.measures import MS, percentile
from services.evaluation.extraction.intervals import Estimate, resampled, share
from services.evaluation.retrieval import controls, scoring
from services.evaluation.retrieval.hardness import CLOSED, EASY, HARD, OPEN, easy, is_closed
from services.evaluation.retrieval.questions import Question
from services.evaluation.retrieval.saved import Saved
from services.evaluation.retrieval.scoring import RANKS, Score

CellKey = tuple[str, str, int]
"""Suite, method, budget (0: unbounded)."""
Units = Callable[[Score], Iterable[bool]]
"""What a score contributes to a share."""

SHARES: Final[Mapping[str, Units]] = {
    "coverage": lambda s: _given(s.hit),
    "gold_share": lambda s: s.evidence,
    "gold_in_words": lambda s: s.quotes_in_words,
    "all_gold": lambda s: [all(s.evidence)] if s.evidence else [],
    "gold_in_packet": lambda s: [any(s.chapters)] if s.chapters else [],
    "stale": lambda s: _given(s.stale_alone),
    "leak": lambda s: [s.leaks],
}
GROUPED: Final = ("coverage", "gold_share", "all_gold", "gold_in_packet")


@dataclass(frozen=True)
class Table:
    """All scores by suite, method and budget, each in the order of the questions."""

    saved: Saved
    cells: Mapping[CellKey, Sequence[Score]]

    @cached_property
    def easy(self) -> frozenset[tuple[str, str]]:
        """(suite, id) of the questions that need no memory: see `hardness`."""
        return easy(self.saved, self.cells)

    @property
    def suites(self) -> list[str]:
        return list(dict.fromkeys(suite for suite, _, _ in self.cells))

    def methods(self, suite: str) -> list[str]:
        return list(dict.fromkeys(method for name, method, _ in self.cells if name == suite))

    def budgets(self, suite: str) -> list[int]:
        return sorted({budget for name, _, budget in self.cells if name == suite and budget != controls.UNBOUNDED})

    def groups(self, question: Question) -> Iterator[str]:
        """The parts of its suite that a question belongs to, as `group=value`."""
        if question.hops is not None:
            yield f"hops={'multi' if question.hops > 1 else 'single'}"
        for name in ("family", "category"):
            value = getattr(question, name)
            if value:
                yield f"{name}={value}"
        if question.leak:
            yield "leak=yes"
        if question.answers and question.label is None:
            yield CLOSED if is_closed(question) else OPEN
        yield EASY if (question.suite, question.id) in self.easy else HARD


def table(saved: Saved) -> Table:
    cells: dict[CellKey, list[Score]] = {}
    for packet in saved.packets:
        cells.setdefault((packet.suite, packet.method, packet.budget), []).append(scoring.score(saved, packet))
    return Table(saved, {key: sorted(scores, key=lambda s: s.question.id) for key, scores in cells.items()})


def measures(found: Table) -> list[Estimate]:
    """All measures of a run."""
    estimates: list[Estimate] = []
    for key, scores in found.cells.items():
        estimates += _cell(found, key, scores)
    for suite in found.suites:
        estimates += _index(found.saved, suite)
    return estimates


def name_of(key: CellKey, what: str, group: str = "") -> str:
    suite, method, budget = key
    bound = "all" if budget == controls.UNBOUNDED else str(budget)
    return f"{suite}.{method}.{what}@{bound}" + (f"/{group}" if group else "")


def of_group(found: Table, scores: Sequence[Score], group: str) -> list[Score]:
    return [score for score in scores if group in found.groups(score.question)]


def shares_of(key: CellKey, scores: Sequence[Score], what: Iterable[str], group: str = "") -> Iterator[Estimate]:
    for name in what:
        units = [unit for score in scores for unit in SHARES[name](score)]
        if units:
            yield share(name_of(key, name, group), sum(units), len(units))


def _cell(found: Table, key: CellKey, scores: Sequence[Score]) -> Iterator[Estimate]:
    suite, method, budget = key
    yield from shares_of(key, scores, SHARES)
    parts = [score.covered for score in scores if score.covered is not None]
    if parts:
        yield resampled(name_of(key, "covered_share"), parts, _mean, len(parts))
    sizes = [float(score.packet.used) for score in scores]
    yield resampled(name_of(key, "characters"), sizes, _mean, len(sizes))
    for group in sorted({group for score in scores for group in found.groups(score.question)}):
        yield from shares_of(key, of_group(found, scores, group), GROUPED, group)
    if budget == max(found.budgets(suite), default=0):
        yield from _of_ranking(f"{suite}.{method}", scores)


def _of_ranking(prefix: str, scores: Sequence[Score]) -> Iterator[Estimate]:
    """What does not depend on the budget is taken at the largest: the ranking, and the time."""
    if prefix.partition(".")[2] in controls.CONTROLS:
        return
    ranked = [score for score in scores if score.chapters]
    for place in RANKS if ranked else ():
        hits = sum(score.rank is not None and score.rank <= place for score in ranked)
        yield share(f"{prefix}.gold_at_{place}", hits, len(ranked))
    seconds = [score.packet.seconds for score in scores]
    for part in (50, 95):
        yield milliseconds(f"{prefix}.latency_p{part}", seconds, part)


def milliseconds(name: str, seconds: Sequence[float], part: int) -> Estimate:
    """A percentile of times in milliseconds, with its bootstrap interval."""
    return resampled(name, [s * MS for s in seconds], lambda values: percentile(values, part / 100), len(seconds))


def _index(saved: Saved, suite: str) -> Iterator[Estimate]:
    """What indexing the suite's stories took: sums, each an exact figure."""
    costs = [cost for name, cost in saved.run.get("index", {}).items() if name.startswith(f"{suite}/")]
    chapters = sum(cost["chapters"] for cost in costs)
    for what in ("seconds", "megabytes", "words", "records") if costs else ():
        total = float(sum(cost[what] for cost in costs))
        yield Estimate(f"{suite}.index_{what}", total, total, total, chapters)


def _given(value: bool | None) -> list[bool]:
    return [] if value is None else [value]


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)
