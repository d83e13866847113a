"""The guarantees end to end, on PostgreSQL: random histories through the ledger, the projections and the reader."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg_pool import ConnectionPool

from events.chapters import Publication
from events.ledger import Ledger
from events.validity import as_of, fold
from projections.entities.projection import Entities
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.reading.reader import Reader
from tests.properties.histories import CHAPTERS, Published, history, request
from tests.stories import Reading

TEXT = "abcdefghijklmnopqrstuvwxyz. " * 4
_numbers = itertools.count()


class System:
    """Ledger, projections and reader over one database; every example is a story of its own."""

    def __init__(self, dsn: str, pool: ConnectionPool[Any]) -> None:
        self.ledger = Ledger(dsn)
        self.reader = Reader(pool)
        self.runner = Runner(self.ledger, pool, [StoryState(), Entities(), Timeline()])
        self.runner.prepare()

    def register(self, story: str, found: list[Published]) -> list[Publication]:
        """Numbers are given in the order of the history. A publication that repeats the one before it is left out."""
        registered = [self.ledger.register(request(story, p, TEXT)) for p in found]
        return [r.publication for r in registered if not r.unchanged]

    def append(self, publication: Publication) -> int:
        position = self.ledger.append(publication, publication.records, "sidecar").position
        self.runner.catch_up()
        return position

    def states(self, story: str) -> list[Any]:
        return [self.reader.state(story, at=chapter) for chapter in range(1, CHAPTERS + 2)]


@pytest.fixture(scope="module")
def system(module_dsn: str) -> Iterator[System]:
    Ledger.migrate(module_dsn)
    with ConnectionPool(module_dsn, min_size=1, max_size=8) as pool:
        system = System(module_dsn, pool)
        yield system
        system.ledger.close()


def _story() -> str:
    return f"story-{next(_numbers)}"


through_postgres = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)


def _shown(state: Any) -> dict[str, tuple[str, int]]:
    """What holds, by key. An identity told before and after one of the two has a type is two entries that read the same."""
    found: dict[str, tuple[str, int]] = {}
    for row in sorted(state["state"], key=lambda row: row["valid_from"]):
        value, since = found.setdefault(row["key"], (row["value"], row["valid_from"]))
        assert since == row["valid_from"] or (row["key"].startswith("identity(") and value == row["value"])
    return found


@through_postgres
@given(found=history(most=7), random=st.randoms(use_true_random=False))
def test_the_incremental_read_model_is_the_fold_from_scratch_at_every_checkpoint(
    system: System, found: list[Published], random: Any
) -> None:
    story = _story()
    publications = system.register(story, found)
    for publication in random.sample(publications, len(publications)):
        system.append(publication)
    index = system.ledger.index_of(story)
    for chapter in range(1, CHAPTERS + 2):
        held = as_of(fold(Reading(index, chapter).assertions()), chapter)
        wanted = {i.key: (i.value, i.valid_from) for i in held.values()}
        assert _shown(system.reader.state(story, at=chapter)) == wanted


@through_postgres
@given(found=history(most=6), random=st.randoms(use_true_random=False))
def test_the_digest_is_a_function_of_the_publications_however_they_arrive(
    system: System, found: list[Published], random: Any
) -> None:
    digests = []
    for shuffled in (False, True):
        story = _story()
        publications = system.register(story, found)
        for publication in random.sample(publications, len(publications)) if shuffled else publications:
            system.append(publication)
        digests.append([s["digest"] for s in system.states(story)])
    assert digests[0] == digests[1]


@through_postgres
@given(found=history(most=6))
def test_a_past_belief_stays_readable_as_it_was(system: System, found: list[Published]) -> None:
    story = _story()
    remembered: list[tuple[int, list[Any]]] = []
    for publication in system.register(story, found):
        position = system.append(publication)
        remembered.append((position, system.states(story)))
    for position, then in remembered:
        now = [system.reader.state(story, at=n, as_recorded=position) for n in range(1, CHAPTERS + 2)]
        assert [_shown(s) for s in now] == [_shown(s) for s in then]
        assert [s["digest"] for s in now] == [s["digest"] for s in then]


@through_postgres
@given(found=history(most=6, decisions=False), cut=st.integers(1, CHAPTERS - 1))
def test_the_state_of_a_chapter_is_the_same_bytes_whatever_comes_after_it(
    system: System, found: list[Published], cut: int
) -> None:
    story = _story()
    early = [p for p in system.register(story, found) if p.chapter <= cut]
    late = [p for p in system.register(story, found) if p.chapter > cut]
    for publication in early:
        system.append(publication)
    if not early:
        return
    before = [system.reader.state(story, at=n) for n in range(1, cut + 1)]
    audits = [system.reader.audit(story, at=n) for n in range(1, cut + 1)]
    for publication in late:
        system.append(publication)
    assert [system.reader.state(story, at=n) for n in range(1, cut + 1)] == before
    assert [system.reader.audit(story, at=n) for n in range(1, cut + 1)] == audits
