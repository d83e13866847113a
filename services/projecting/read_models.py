"""The read models of the product, in the order in which they are brought up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

    from events.ledger import Ledger
    from projections.projection import Projection
    from services.projecting.health import ProjectionHealth
    from services.settings import Settings

STORY: Final = ("story_state", "entities", "timeline")
"""Those that answer about the story itself, and need no embedder."""
SEARCH: Final = "search"
"""The documents in Elasticsearch, which packets do without while they are behind."""


def projections(settings: Settings, ledger: Ledger, pool: ConnectionPool[Any]) -> list[Projection]:
    """Every read model, those of the story first; documents in Elasticsearch where one is configured.

    The embedder's model is loaded when the first text is embedded.
    """
    from projections.embedding import embedder_for
    from projections.entities.projection import Entities
    from projections.passages.projection import PassagesProjection
    from projections.passages.vectors import VectorCache
    from projections.story_state.projection import StoryState
    from projections.timeline.projection import Timeline

    embedder = embedder_for(settings.embedder, settings.cache)
    found: list[Projection] = [
        StoryState(),
        Entities(),
        Timeline(),
        PassagesProjection(ledger, VectorCache(pool, embedder)),
    ]
    if settings.elasticsearch is not None:
        from projections.search.index import ElasticsearchIndices
        from projections.search.projection import SearchProjection

        found.append(SearchProjection(ledger, ElasticsearchIndices(settings.elasticsearch)))
    return found


LOOK_SECONDS: Final = 5.0
_END: Final = "SELECT coalesce(max(notification_id), 0) FROM ledger.stored_events"


def health(pool: ConnectionPool[Any], names: Sequence[str]) -> list[ProjectionHealth]:
    """How far each read model is behind the end of the log, and whether it is stuck.

    Raises PoolTimeout where the database does not answer within `LOOK_SECONDS`.
    """
    from psycopg.errors import UndefinedTable

    from projections import progress
    from services.projecting.health import ProjectionHealth

    with pool.connection(timeout=LOOK_SECONDS) as conn:
        (end,) = conn.execute(_END).fetchone() or (0,)
        try:
            found = progress.live(conn, names)
        except UndefinedTable:  # nobody has prepared a read model in this database yet
            conn.rollback()
            found = {}
    return [
        ProjectionHealth(
            name,
            lag=max(0, end - (found[name].position if name in found else 0)),
            stalled_at=found[name].position if name in found and found[name].stalled_at is not None else None,
            error=found[name].error if name in found else None,
            required=name != SEARCH,
            built=name in found,
        )
        for name in names
    ]
