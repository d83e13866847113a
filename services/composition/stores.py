"""What is kept and where: the database, its log, the read models, and where documents are searched."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg_pool import ConnectionPool

from events.errors import Unavailable
from services.catalogue import Catalogue
from services.composition.parts import Parts
from services.projecting.read_models import SEARCH
from services.settings import VARIABLES, InvalidSetting

if TYPE_CHECKING:
    from events.ledger import Ledger
    from projections.embedding import Embedder
    from projections.projection import Projection
    from projections.runner import Runner
    from projections.search.index import ElasticsearchIndices
    from services.projecting.health import ProjectionHealth

CONNECT_SECONDS: Final = 5
POOL_SIZE: Final = 16
POOL_SECONDS: Final = 15.0
AFTER_CATCHING_UP: Final = 1.0
"""A read model that did not get there by itself will not do so by waiting."""


class Stores(Parts):
    """Embedded (no FABULA_KAFKA) a write that waits brings the read models up to date itself, unless a thread `follows`."""

    _follows = False

    @property
    def dsn(self) -> str:
        """The conninfo of the database; the embedded server is started for it. Raises Unavailable, LocalServiceError."""
        return self._part("dsn", self._database)

    @property
    def pool(self) -> ConnectionPool[Any]:
        return self._part("pool", self._connections)

    @property
    def catalogue(self) -> Catalogue:
        return self._part("catalogue", lambda: Catalogue(self.pool))

    @property
    def ledger(self) -> Ledger:
        return self._part("ledger", self._log)

    @property
    def projections(self) -> list[Projection]:
        return self._part("projections", self._read_models)

    @property
    def runner(self) -> Runner:
        return self._part("runner", self._running)

    @property
    def embedder(self) -> Embedder:
        """Embeds what is asked; its model is loaded with the first text."""
        return self._part("embedder", self._embedding)

    @property
    def indices(self) -> ElasticsearchIndices | None:
        """Where documents are searched; None without Elasticsearch."""
        return self._part("indices", self._indexing)

    def read_models(self) -> list[ProjectionHealth]:
        """How far each read model is; told or refused within seconds. Raises what PostgreSQL's driver raises."""
        from services.projecting.read_models import health

        return health(self.pool, self.runner.names)

    def wait_for(self, position: int) -> None:
        """Return once what answers includes the position. Raises ReadModelBehind.

        Documents in Elasticsearch are not waited for: whoever asks does without them while they are behind.
        """
        names = [name for name in self.runner.names if name != SEARCH]
        if self.settings.embedded and not self._follows:
            self.runner.catch_up()
            self.runner.wait_for(position, AFTER_CATCHING_UP, names=names)
        else:
            self.runner.wait_for(position, self.settings.wait_seconds, names=names)

    def settle(self) -> None:
        """Embedded, bring the read models to the log's end; elsewhere `fabula project` does."""
        if self.settings.embedded and not self._follows:
            self.runner.catch_up()

    def _database(self) -> str:
        if self.settings.postgres is not None:
            _answers(self.settings.postgres)
            return self.settings.postgres
        from services.local.postgres import LocalPostgres

        return LocalPostgres(self.settings.home / "postgres").start()

    def _connections(self) -> ConnectionPool[Any]:
        pool: ConnectionPool[Any] = ConnectionPool(
            self.dsn,
            min_size=1,
            max_size=POOL_SIZE,
            timeout=POOL_SECONDS,
            open=False,
            name="fabula",
            configure=_plan_anew,
        )
        pool.open()
        self._exit.callback(pool.close)
        return pool

    def _log(self) -> Ledger:
        self._configure_logs(self.settings)
        from events.ledger import Ledger

        Ledger.migrate(self.dsn)
        ledger = Ledger(self.dsn, pool_size=self.settings.publish_threads + 2)
        self._exit.callback(ledger.close)
        return ledger

    def _read_models(self) -> list[Projection]:
        from services.projecting.read_models import projections

        return projections(self.settings, self.ledger, self.pool)

    def _running(self) -> Runner:
        from projections.runner import Runner

        return Runner(self.ledger, self.pool, self.projections)

    def _embedding(self) -> Embedder:
        from projections.embedding import embedder_for

        return embedder_for(self.settings.embedder, self.settings.cache)

    def _indexing(self) -> ElasticsearchIndices | None:
        if self.settings.elasticsearch is None:
            return None
        from projections.search.index import ElasticsearchIndices

        indices = ElasticsearchIndices(self.settings.elasticsearch)
        self._exit.callback(indices.close)
        return indices


def _plan_anew(conn: psycopg.Connection[Any]) -> None:
    """Plan each statement for what it is asked: a plan that is kept from when a table was small reads a large one through."""
    conn.execute("SET plan_cache_mode = force_custom_plan")
    conn.commit()


def _answers(conninfo: str) -> None:
    """Look whether the configured PostgreSQL answers, so that the user hears of it now. Raises Unavailable, InvalidSetting."""
    try:
        psycopg.connect(conninfo, connect_timeout=CONNECT_SECONDS).close()
    except psycopg.ProgrammingError:
        raise InvalidSetting(
            VARIABLES["postgres"],
            "no connection string",
            "a connection string, such as postgresql://user@host:5432/database",
        ) from None
    except psycopg.OperationalError as error:
        first = str(error).strip().splitlines()[0]
        raise Unavailable(
            f"PostgreSQL at FABULA_POSTGRES did not answer ({first}); start it, or unset FABULA_POSTGRES for the embedded one"
        ) from None
