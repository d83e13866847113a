"""The read models of the product, in the order in which they are brought up to date."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

    from events.ledger import Ledger
    from projections.progress import Progress
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

    with pool.connection(timeout=LOOK_SECONDS) as conn:
        try:
            found = progress.live(conn, names)
        except UndefinedTable:  # nobody has prepared a read model in this database yet
            conn.rollback()
            found = {}
        (end,) = conn.execute(_END).fetchone() or (0,)  # in this order no read model can be ahead of it
    return [_health(name, found.get(name), end) for name in names]


def _health(name: str, row: Progress | None, end: int) -> ProjectionHealth:
    from services.projecting.health import ProjectionHealth

    position = 0 if row is None else row.position
    stuck, error = row is not None and row.stalled_at is not None, None if row is None else row.error
    if position > end:
        stuck, error = True, f"it includes position {position}, and the log ends at {end}: rebuild it (fabula replay)"
    return ProjectionHealth(
        name,
        lag=max(0, end - position),
        stalled_at=position if stuck else None,
        error=error,
        required=name != SEARCH,
        built=row is not None,
    )
