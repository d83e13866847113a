"""The story state of a whole log at once, folded in memory; what it writes is what `apply` would have."""

from __future__ import annotations

from projections.projection import Log
from projections.rebuilding import FLUSH_AT, publications_of
from projections.story_state.folding import StoryFold
from projections.tables import Tables


def fill(tables: Tables, log: Log, story: str, until: int) -> None:
    """Append the rows of a story, up to and including a position."""
    fold = StoryFold(story, tables)
    for publication in publications_of(log, story, until):
        fold.refold(fold.take(publication), publication.last_position)
        tables.flush(at_least=FLUSH_AT)
    fold.finish()
