"""The report of a run: tables and plots for each suite, both controls always among them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from services.evaluation.extraction.intervals import Estimate
from services.evaluation.reporting import plots
from services.evaluation.reporting.blocks import Block, Figure, Heading, Paragraph, Table, save
from services.evaluation.retrieval import controls
from services.evaluation.retrieval.measuring import Table as Scores
from services.evaluation.retrieval.measuring import name_of
from services.evaluation.retrieval.suite import Report
from services.evaluation.retrieval.tested import compared

TITLE: Final = "What packets hold of what a question needs"
_PLOTTED: Final = {
    "coverage": "Answers covered to a half or more, by budget",
    "gold_share": "Share of the gold evidence in the packet, by budget",
}
_COLUMNS: Final = ("coverage", "covered_share", "gold_share", "all_gold", "gold_in_packet", "stale", "leak")
_MEANING: Final = (
    "`coverage`: the share of answers of which the packet has half of the salient words or more; `covered share`: the mean share of these "
    "words; `gold share`: of the gold quotes found, or of the gold chapters where there are no quotes; `all gold`: of questions with all "
    "of it; `gold in packet`: of questions with an item from a gold chapter; `stale`: of questions with a value that has gone stale, "
    "where it is given and the one that holds is not; `leak`: of packets with anything from after the checkpoint; `characters`: their "
    "mean size. `hard` are questions that neither their own words answer, nor a baseline's best passage, nor a small control."
)
_HOPS: Final = ("hops=single", "hops=multi")
_DASH: Final = "–"
_NONE: Final = "·"


def write(report: Report, directory: Path) -> list[Path]:
    """Writes the report beside the saved packets; returns the files."""
    return save(directory, TITLE, list(blocks(report)))


def blocks(report: Report) -> Iterator[Block]:
    found = {measure.name: measure for measure in report.measures}
    run = report.table.saved.run
    yield Paragraph(
        f"Methods: {', '.join(run['methods'])}. Budgets in characters: {', '.join(map(str, run['budgets']))}. Embedder: "
        f"{run.get('embedder', 'unknown')}. Every question has a checkpoint, and later chapters are hidden. Intervals are 95 %: "
        "Wilson's for shares, bootstrap for means and percentiles. `last` (the text just before the checkpoint) and `random` "
        "(random passages) are controls: answer words are in any long text, so what a method finds counts beside theirs."
    )
    yield Paragraph(_MEANING)
    for suite in report.table.suites:
        yield Heading(f"{suite}: {run['suites'].get(suite, 0):,} questions")
        yield from _suite(report, suite, found)


def _suite(report: Report, suite: str, found: Mapping[str, Estimate]) -> Iterator[Block]:
    table, budgets = report.table, report.table.budgets(suite)
    for what, title in _PLOTTED.items():
        svg = _by_budget(table, suite, what, f"{suite}: {title}", found)
        if svg is not None:
            yield Figure(f"{suite}-{what}-by-budget", title, svg)
    for budget in [*budgets, controls.UNBOUNDED]:
        rows = list(_rows(table, suite, budget, found))
        if rows:
            yield Heading("Without a budget" if budget == controls.UNBOUNDED else f"{budget:,} characters", 3)
            yield Table(("method", *(c.replace("_", " ") for c in _COLUMNS), "characters"), rows)
    yield from _hops(table, suite, found)
    yield from _ranking(table, suite, found)
    yield from compared([c for c in report.comparisons if c.suite == suite])
    yield from _groups(table, suite, found)
    yield from _tools(table, suite)
    yield from _costs(suite, found)


def _rows(table: Scores, suite: str, budget: int, found: Mapping[str, Estimate]) -> Iterator[list[str]]:
    for method in table.methods(suite):
        key = (suite, method, budget)
        if key in table.cells:
            size = found.get(name_of(key, "characters"))
            cells = [shown(found.get(name_of(key, column))) for column in _COLUMNS]
            yield [method, *cells, _NONE if size is None else f"{size.value:,.0f}"]


def _by_budget(table: Scores, suite: str, what: str, title: str, found: Mapping[str, Estimate]) -> str | None:
    budgets = table.budgets(suite)
    series = {
        method: [_point(found.get(name_of((suite, method, budget), what))) for budget in budgets]
        for method in table.methods(suite)
        if method not in controls.REFERENCES
    }
    series = {name: points for name, points in series.items() if any(points)}
    steps = [f"{budget:,}" for budget in budgets]
    return plots.lines(title, steps, series, dashed=controls.CONTROLS) if series else None


def _hops(table: Scores, suite: str, found: Mapping[str, Estimate]) -> Iterator[Block]:
    for budget in table.budgets(suite):
        for what in ("coverage", "gold_share"):
            series = {
                method: [_point(found.get(name_of((suite, method, budget), what, group))) for group in _HOPS]
                for method in table.methods(suite)
                if method not in controls.REFERENCES
            }
            if sum(any(points[place] for points in series.values()) for place in range(len(_HOPS))) == len(_HOPS):
                title = f"{suite}: {what.replace('_', ' ')} by hops at {budget:,} characters"
                svg = plots.bars(title, ("one hop", "several hops"), series)
                yield Figure(f"{suite}-{what}-by-hops-{budget}", title, svg)


def _ranking(table: Scores, suite: str, found: Mapping[str, Estimate]) -> Iterator[Block]:
    rows = []
    for method in table.methods(suite):
        ranks = [shown(found.get(f"{suite}.{method}.gold_at_{place}")) for place in (1, 3, 5)]
        times = [found.get(f"{suite}.{method}.latency_p{part}") for part in (50, 95)]
        if any(times):
            rows.append([method, *ranks, *(_NONE if t is None else f"{t.value:,.1f}" for t in times)])
    if rows:
        yield Heading("Ranking and time", 3)
        yield Table(("method", "gold at 1", "at 3", "at 5", "p50 ms", "p95 ms"), rows)
        seconds = sorted(table.saved.run.get("vector_seconds", ()))
        if seconds:
            middle = 1000 * seconds[len(seconds) // 2]
            yield Paragraph(f"Times are with the question's vector at hand; making it takes {middle:.1f} ms (median).")


def _groups(table: Scores, suite: str, found: Mapping[str, Estimate]) -> Iterator[Block]:
    """Coverage and gold share of each group that is a part of the questions, at the middle budget."""
    budgets = table.budgets(suite)
    if not budgets:
        return
    budget = budgets[len(budgets) // 2]
    methods = [m for m in table.methods(suite) if m not in controls.REFERENCES]
    scores = table.cells[suite, methods[0], budget]
    groups = sorted({group for score in scores for group in table.groups(score.question)})
    for what in ("coverage", "gold_share"):
        rows = []
        for group in groups:
            cells = [found.get(name_of((suite, method, budget), what, group)) for method in methods]
            if any(cells):
                n = max(cell.n for cell in cells if cell is not None)
                name = group.replace("=", ": ").replace("_", " ")
                rows.append([name, str(n), *(_NONE if cell is None else f"{cell.value:.3f}" for cell in cells)])
        all_of_them = [found.get(name_of((suite, method, budget), what)) for method in methods]
        whole = str(max((cell.n for cell in all_of_them if cell is not None), default=0))
        rows = [row for row in rows if row[1] != whole]
        if rows:
            yield Heading(f"{what.replace('_', ' ').capitalize()} by group at {budget:,} characters", 3)
            yield Table(("group", "n", *methods), rows)


def _tools(table: Scores, suite: str) -> Iterator[Block]:
    """How often each tool was called a question, where the traces tell."""
    for method in table.methods(suite):
        traces = [s.packet.trace for (n, m, _), cell in table.cells.items() if (n, m) == (suite, method) for s in cell]
        used = sum((tools(trace or ()) for trace in traces), Counter[str]())
        asked = sum(trace is not None for trace in traces)
        if used:
            share = {tool: count / asked for tool, count in sorted(used.items(), key=lambda t: (-t[1], t[0]))}
            title = f"{suite}: calls of tools a question, {method}"
            yield Figure(f"{suite}-{method}-tools", title, plots.counts(title, share))


def tools(trace: Sequence[Mapping[str, Any]]) -> Counter[str]:
    """How often the steps of a trace say that each tool was called: `tool`, a list of `tools`, or `tools` with their counts."""
    found: Counter[str] = Counter()
    for step in trace:
        told = step.get("tools") or step.get("tool") or ()
        if isinstance(told, Mapping):
            found.update({str(tool): int(count) for tool, count in told.items()})
        else:
            found.update([told] if isinstance(told, str) else map(str, told))
    return found


def _costs(suite: str, found: Mapping[str, Estimate]) -> Iterator[Block]:
    seconds = found.get(f"{suite}.index_seconds")
    if seconds is not None:
        size, words = found[f"{suite}.index_megabytes"], found[f"{suite}.index_words"]
        yield Paragraph(
            f"Index: {words.value:,.0f} words in {seconds.n:,} chapters took {seconds.value:,.0f} s to extract, project and embed, "
            f"and {size.value:,.0f} MB of PostgreSQL; no model was asked."
        )


def _point(estimate: Estimate | None) -> plots.Point | None:
    return None if estimate is None else plots.Point(estimate.value, estimate.low, estimate.high)


def shown(estimate: Estimate | None) -> str:
    if estimate is None:
        return _NONE
    return f"{estimate.value:.3f} ({estimate.low:.2f}{_DASH}{estimate.high:.2f})"
