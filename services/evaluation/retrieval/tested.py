"""Tests of methods against each other as tables: a row for two methods, a column for what was tested."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from services.evaluation.reporting.blocks import Block, Heading, Paragraph, Table
from services.evaluation.retrieval.comparing import GROUPED, SHOWN, Comparison

_GROUPS: Final = {"": "", "hops=multi": ", several hops", "hard=yes": ", hard"}
_SURE: Final = 0.05
_NONE: Final = "·"


def compared(comparisons: Sequence[Comparison]) -> Iterator[Block]:
    """Over all questions, and coverage and gold share over those of several hops and the hard ones; `--json` has all groups."""
    shown = [c for c in comparisons if c.group == "" or (c.group in SHOWN and c.what in GROUPED)]
    if not shown:
        return
    yield Heading("Against the best baseline, the controls, and each other", 3)
    yield Paragraph(
        "McNemar's exact test on the same units: questions, or for gold share pieces of evidence; how many there are stands in the "
        "head. A cell has the difference, how many units only the one and only the other method found, and p, with a star below "
        f"{_SURE}. These p are not corrected for how many there are: of a hundred true nulls five have a star."
    )
    for budget in sorted({c.budget for c in shown}):
        yield Heading(f"Tested at {budget:,} characters", 4)
        yield _table([c for c in shown if c.budget == budget])


def _table(comparisons: Sequence[Comparison]) -> Table:
    columns = list(dict.fromkeys((c.what, c.group) for c in comparisons))
    found = {(c.method, c.against, c.what, c.group): c for c in comparisons}
    head = [
        f"{what.removeprefix('qa_').replace('_', ' ')}{_GROUPS[group]} ({max(_counts(comparisons, what, group))})"
        for what, group in columns
    ]
    rows = [
        [f"{method} – {against}", *(_cell(found.get((method, against, *column))) for column in columns)]
        for method, against in dict.fromkeys((c.method, c.against) for c in comparisons)
    ]
    return Table(("method – against", *head), rows)


def _counts(comparisons: Sequence[Comparison], what: str, group: str) -> list[int]:
    return [c.found.n for c in comparisons if (c.what, c.group) == (what, group)]


def _cell(comparison: Comparison | None) -> str:
    if comparison is None:
        return _NONE
    found = comparison.found
    star = "*" if found.p < _SURE else ""
    return f"{comparison.value - comparison.other:+.2f} ({found.only_first}:{found.only_second}) {found.p:.2g}{star}"
