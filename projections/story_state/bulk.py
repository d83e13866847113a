"""The story state of a whole log at once, folded in memory; what it writes is what `apply` would have."""

from __future__ import annotations

from projections.projection import Conn, Log
from projections.rebuilding import FLUSH_AT, filling, publications_of
from projections.story_state.folding import StoryFold


def rebuild(conn: Conn, log: Log, last: int) -> None:
    """Fill the empty tables with everything up to and including a position."""
    with filling(conn) as tables:
        for story in log.stories():
            fold = StoryFold(story, tables)
            for publication in publications_of(log, story, last):
                fold.refold(fold.take(publication), publication.last_position)
                tables.flush(at_least=FLUSH_AT)
            fold.finish()
