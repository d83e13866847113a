"""A log that was set back, as when a backup of it is restored: the read models tell what it says, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from projections import versions
from projections.runner import Runner
from services.composition import Application
from services.projecting.read_models import health
from services.settings import Settings
from tests.serving_fixtures import owns

OWNERS = ("Mara", "Tomas", "Ilse")


@pytest.fixture
def set_back(environment: dict[str, str]) -> Iterator[Application]:
    """A story of two chapters, whose read models include a third."""
    with Application(Settings.from_env(environment)) as application:
        for chapter, owner in enumerate(OWNERS, start=1):
            records = [owns("o1", "key", owner, f"{owner} had the key")]
            reply = application.publisher.publish("s", chapter, f"{owner} had the key.", records=records)
            application.settle()
            assert reply["position"] == 2 * chapter
        with psycopg.connect(application.dsn) as conn:
            conn.execute("DELETE FROM ledger.stored_events WHERE notification_id > 4")
            conn.execute("DELETE FROM ledger.publications WHERE sequence = 3")
            conn.execute("UPDATE ledger.stories SET last_sequence = 2")
        yield application


def owner_of_the_key(application: Application) -> str:
    (entry,) = application.reader.state("s")["state"]
    return str(entry["value"])


def test_a_program_that_starts_builds_them_anew(set_back: Application, environment: dict[str, str]) -> None:
    assert owner_of_the_key(set_back) == "Ilse"
    with Application(Settings.from_env(environment)) as started:
        started.settle()
        assert owner_of_the_key(started) == "Tomas"
        started.publisher.publish("s", 3, "Voss had the key.", records=[owns("o1", "key", "Voss", "Voss had the key")])
        started.settle()
        assert owner_of_the_key(started) == "Voss"


def test_a_rebuild_comes_to_an_end(set_back: Application) -> None:
    for projection in set_back.projections:
        versions.rebuild(set_back.pool, set_back.ledger, projection)
    assert owner_of_the_key(set_back) == "Tomas"


def test_whoever_asks_how_they_are_hears_of_it(set_back: Application) -> None:
    names = [projection.name for projection in set_back.projections]
    assert all("the log ends at 4" in str(each.error) for each in health(set_back.pool, names))
    Runner(set_back.ledger, set_back.pool, set_back.projections).prepare()
    assert [each.stalled_at for each in health(set_back.pool, names)] == [None] * len(names)
