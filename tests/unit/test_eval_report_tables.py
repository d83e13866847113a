"""What a report shows of tests: one table a budget, a row for two methods, a column for what was tested."""

from __future__ import annotations

from services.evaluation.reporting import plots
from services.evaluation.reporting.blocks import Figure, Heading, Table, html, markdown
from services.evaluation.retrieval.comparing import Comparison
from services.evaluation.retrieval.statistics import Paired
from services.evaluation.retrieval.tested import compared


def comparison(what: str, group: str = "", budget: int = 4_000, against: str = "bm25", only: int = 9) -> Comparison:
    return Comparison("recorded", "weave", against, budget, what, group, 0.65, 0.28, Paired(only, 1, 43))


def test_two_methods_have_one_row_for_all_that_was_tested_between_them() -> None:
    *_, heading, table = compared(
        [comparison("coverage"), comparison("all_gold"), comparison("coverage", "hops=multi")]
    )
    assert heading == Heading("Tested at 4,000 characters", 4)
    assert isinstance(table, Table)
    assert table.header == ("method – against", "coverage (43)", "all gold (43)", "coverage, several hops (43)")
    assert [row[0] for row in table.rows] == ["weave – bm25"]


def test_a_cell_tells_the_difference_and_who_found_what_alone_and_marks_a_small_p() -> None:
    (row,) = _tables([comparison("coverage"), comparison("gold_share", only=2)])[0].rows
    assert row[1:] == ["+0.37 (9:1) 0.021*", "+0.37 (2:1) 1"]


def test_what_was_not_tested_between_two_methods_is_a_dot() -> None:
    (table,) = _tables([comparison("coverage"), comparison("gold_share", against="hybrid")])
    assert [row[1:] for row in table.rows] == [["+0.37 (9:1) 0.021*", "·"], ["·", "+0.37 (9:1) 0.021*"]]


def test_each_budget_has_its_table_and_groups_that_do_not_fit_one_are_left_out() -> None:
    given = [
        comparison("coverage", budget=12_000),
        comparison("coverage"),
        comparison("coverage", "family=combination"),
    ]
    assert [len(table.header) for table in _tables(given)] == [2, 2]
    assert list(compared([comparison("coverage", "family=combination")])) == []


def test_a_figure_is_told_to_those_who_do_not_see_it() -> None:
    title = "Answers covered, by budget"
    figure = Figure("covered", title, plots.lines(title, ["1,500"], {}))
    assert markdown("A run", [figure]).endswith(f"![{title}](covered.svg)")
    assert f'aria-label="{title}"' in html("A run", [figure])


def test_the_lines_of_controls_are_dashed() -> None:
    point = [plots.Point(0.5, 0.4, 0.6)]
    drawn = plots.lines("By budget", ["1,500"], {"last": point, "weave": point}, dashed={"last"})
    assert drawn.count("stroke-dasharray") == 1


def _tables(comparisons: list[Comparison]) -> list[Table]:
    return [block for block in compared(comparisons) if isinstance(block, Table)]
