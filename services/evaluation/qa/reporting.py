"""The report of a reader's answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from services.evaluation.extraction.intervals import Estimate
from services.evaluation.qa.measuring import Cells
from services.evaluation.reporting.blocks import Block, Heading, Paragraph, Table
from services.evaluation.retrieval.comparing import Comparison
from services.evaluation.retrieval.measuring import name_of
from services.evaluation.retrieval.reporting import shown
from services.evaluation.retrieval.tested import compared

_COLUMNS: Final = (
    "qa_f1", "qa_exact", "qa_right", "qa_options", "qa_pairs", "qa_abstained", "qa_abstained_with_gold",
    "qa_abstained_without_gold", "qa_leak_abstained", "qa_leak_told", "qa_stale_told",
)  # fmt: skip


def blocks(
    reader: str, cells: Cells, measures: Sequence[Estimate], comparisons: Sequence[Comparison]
) -> Iterator[Block]:
    found = {measure.name: measure for measure in measures}
    yield Paragraph(
        f"The reader `{reader}` is the same for every method. `right` is an answer that covers half of a reference's salient words "
        "or more. Who abstains from what the story has told gets nothing; from what it has not told yet, abstaining is right. "
        "`with gold` and `without gold` are shares of abstentions by whether the packet held all of the gold evidence."
    )
    for suite in dict.fromkeys(suite for suite, _, _ in cells):
        for budget in sorted({b for s, _, b in cells if s == suite}):
            keys = [key for key in cells if (key[0], key[2]) == (suite, budget)]
            used = [c for c in _COLUMNS if any(name_of(key, c) in found for key in keys)]
            yield Heading(f"{suite}: answers at {budget:,} characters")
            rows = [[key[1], *(shown(found.get(name_of(key, c))) for c in used)] for key in keys]
            yield Table(("method", *(c.removeprefix("qa_").replace("_", " ") for c in used)), rows)
        yield from compared([c for c in comparisons if c.suite == suite])
