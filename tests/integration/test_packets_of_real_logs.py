"""Packets over logs that the ledger wrote: random histories with edits, reveals, merges and splits."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import orjson
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg_pool import ConnectionPool

from events.ledger import Ledger
from projections.embedding import HashEmbedder
from projections.entities.projection import Entities
from projections.passages.projection import PassagesProjection
from projections.passages.vectors import VectorCache
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.reading.reader import Reader
from services.retrieval.retriever import METHODS, Retriever
from services.retrieval.source import PostgresSlices
from tests.properties.histories import CHAPTERS, Published, history, request

QUESTION = "Does Mara Voss or the stranger have the brass key, and who knows x is y?"
TEXT = "Mara has the brass key. The stranger swims. " * 3
METHOD_NAMES = sorted(METHODS)
_numbers = itertools.count()

through_postgres = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


class System:
    """Ledger, read models, reader and retriever over one database; every example is a story of its own."""

    def __init__(self, dsn: str, pool: ConnectionPool[Any]) -> None:
        embedder = HashEmbedder()
        self.ledger = Ledger(dsn)
        self.reader = Reader(pool)
        self.slices = PostgresSlices(pool, "passages_hash")
        self.retriever = Retriever(pool, embedder, slices=self.slices)
        passages = PassagesProjection(self.ledger, VectorCache(pool, embedder))
        self._runner = Runner(self.ledger, pool, [StoryState(), Entities(), Timeline(), passages])

    def publish(self, story: str, found: list[Published]) -> None:
        for publication in [self.ledger.register(request(story, p, TEXT)).publication for p in found]:
            self.ledger.append(publication, publication.records, "sidecar")
        self._runner.catch_up()

    def packets(self, story: str, at: int, as_recorded: int | None = None) -> list[bytes]:
        asked: dict[str, Any] = {"at": at, "budget": 3_000, "as_recorded": as_recorded}
        return [orjson.dumps(self.retriever.packet(story, QUESTION, method=method, **asked)) for method in METHOD_NAMES]

    def state(self, story: str, at: int) -> list[tuple[str, str, int, str]]:
        """As the retriever serializes it: key, value, since when, and the record that says so first."""
        slice_ = self.slices.slice(self.slices.resolve(story, at, None))
        return [(e.key, e.value, e.valid_from, slice_.records[e.support[0]].name) for e in slice_.entries if e.holds]


def _story() -> str:
    return f"asked-{next(_numbers)}"


@pytest.fixture(scope="module")
def system(module_dsn: str) -> Iterator[System]:
    Ledger.migrate(module_dsn)
    with ConnectionPool(module_dsn, min_size=1, max_size=8) as pool:
        system = System(module_dsn, pool)
        yield system
        system.ledger.close()


@through_postgres
@given(found=history(most=7))
def test_the_state_in_a_packet_is_the_state_that_the_reader_answers(system: System, found: list[Published]) -> None:
    story = _story()
    system.publish(story, found)
    for at in range(1, CHAPTERS + 2):
        answered = system.reader.state(story, at=at)["state"]
        assert system.state(story, at) == [(e["key"], e["value"], e["valid_from"], e["record"]) for e in answered]


@through_postgres
@given(found=history(most=7, decisions=False), cut=st.integers(1, CHAPTERS - 1))
def test_publications_of_later_chapters_change_no_byte_of_a_packet(
    system: System, found: list[Published], cut: int
) -> None:
    story = _story()
    early = [p for p in found if p.chapter <= cut]
    if not early:
        return
    system.publish(story, early)
    before = [system.packets(story, at) for at in range(1, cut + 1)]
    system.publish(story, [p for p in found if p.chapter > cut])
    system.retriever.forget()
    assert [system.packets(story, at) for at in range(1, cut + 1)] == before


@through_postgres
@given(found=history(most=6))
def test_what_was_believed_gives_the_same_packets_for_ever(system: System, found: list[Published]) -> None:
    story = _story()
    remembered = []
    for each in found:
        system.publish(story, [each])
        remembered.append((system.ledger.last_position(), system.packets(story, CHAPTERS)))
    system.retriever.forget()
    for position, then in remembered:
        assert system.packets(story, CHAPTERS, position) == then


@through_postgres
@given(found=history(most=5), others=history(most=5))
def test_another_story_changes_no_byte_of_a_packet(
    system: System, found: list[Published], others: list[Published]
) -> None:
    story = _story()
    system.publish(story, [*found, Published(len(found) + 1, 1, ())])
    before = system.packets(story, CHAPTERS)
    system.publish(_story(), others)
    system.retriever.forget()
    assert system.packets(story, CHAPTERS) == before
