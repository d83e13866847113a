"""Leases: one worker at a time has a story, and a killed one has none."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from services.extraction.leases import PostgresLeases, StoryLeased


@pytest.fixture
def two_workers(postgres_dsn: str) -> Iterator[tuple[PostgresLeases, PostgresLeases]]:
    pair = PostgresLeases(postgres_dsn, 2), PostgresLeases(postgres_dsn, 2)
    yield pair
    for leases in pair:
        leases.close()


Pair = tuple[PostgresLeases, PostgresLeases]


def test_a_story_that_another_worker_has_is_refused_at_once(two_workers: Pair) -> None:
    one, other = two_workers
    with one.hold("a"), pytest.raises(StoryLeased), other.hold("a"):
        raise AssertionError("both have it")


def test_other_stories_are_free(two_workers: Pair) -> None:
    one, other = two_workers
    with one.hold("a"), other.hold("b"):
        pass


def test_a_story_is_free_again_afterwards(two_workers: Pair) -> None:
    one, other = two_workers
    with one.hold("a"):
        pass
    with other.hold("a"):
        pass


def test_a_failure_gives_the_story_back(two_workers: Pair) -> None:
    one, other = two_workers
    with pytest.raises(KeyError), one.hold("a"):
        raise KeyError("broken")
    with other.hold("a"):
        pass


def test_a_lease_ends_with_its_holders_connection(two_workers: Pair, postgres_dsn: str) -> None:
    one, other = two_workers
    with one.hold("a"):
        with psycopg.connect(postgres_dsn, autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'fabula lease'"
            )
        with other.hold("a"):
            pass
