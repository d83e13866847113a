"""What a process registered and was ended before it took it in: somebody else takes it in, and nobody waits for ever."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from datetime import timedelta

import psycopg
import pytest

from events.chapters import PublicationRequest
from events.errors import Unavailable
from services.cli.importing import publish_all
from services.composition import Application
from services.publishing import outbox
from services.publishing.importing.chapters import Source, SourceChapter
from services.publishing.outbox import Outbox
from services.settings import Settings
from tests.serving_fixtures import fabula


@pytest.fixture
def embedded(environment: dict[str, str]) -> Iterator[Application]:
    with Application(Settings.from_env(environment)) as built:
        yield built


def leave_behind(application: Application, story: str, text: str) -> None:
    """Do what a process does that is killed between registering chapter 1 and taking it in."""
    application.ledger.register(PublicationRequest(story=story, chapter=1, action="publish", text=text))


def wait_until_taken_in(application: Application, story: str) -> dict[str, int]:
    looks = threading.Event()
    for _ in range(200):
        if not application.ledger.statuses(story).get("accepted"):
            break
        looks.wait(0.05)
    return application.ledger.statuses(story)


@pytest.mark.timeout(60)
def test_an_import_of_other_texts_takes_in_what_a_killed_one_left_behind(embedded: Application, story: str) -> None:
    leave_behind(embedded, story, "Mara held the key.")
    source = Source([SourceChapter(1, None, "Mara lost the key.", None, "chapter-1.txt")], [])
    publish_all(embedded, story, source, "en")
    assert embedded.ledger.statuses(story) == {"appended": 2}
    assert embedded.reader.audit(story)["events"][-1]["revision"] == 1


@pytest.mark.timeout(120)
def test_any_command_that_writes_takes_in_what_a_killed_one_left_behind_long_ago(
    environment: dict[str, str], story: str
) -> None:
    def publish(chapter: int, **more: str) -> int:
        arguments = ("publish", story, str(chapter), "-", "--json")
        return fabula(*arguments, environment={**environment, **more}, stdin=b"Mara held the key.").returncode

    def statuses() -> dict[str, int]:
        with Application(Settings.from_env(environment)) as application:
            return application.ledger.statuses(story)

    assert publish(1, FABULA_FAILPOINTS=f"before_append=kill@{story}/1") == -signal.SIGKILL
    assert publish(2) == 0
    assert statuses() == {"accepted": 1, "appended": 1}  # it might still be on its way
    with psycopg.connect(environment["FABULA_POSTGRES"]) as conn:
        conn.execute("UPDATE ledger.publications SET published_at = published_at - interval '2 minutes'")
    assert publish(3) == 0
    assert statuses() == {"appended": 3}


def test_a_server_takes_in_what_a_killed_process_left_behind(
    embedded: Application, story: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_behind(embedded, story, "Mara held the key.")
    resend = embedded.publisher.resend_pending
    # what counts as left behind is a minute old: here everything is
    monkeypatch.setattr(embedded.publisher, "resend_pending", lambda _: resend(timedelta(0)))
    with embedded.following():
        assert wait_until_taken_in(embedded, story) == {"appended": 1}


def test_what_is_on_its_way_is_left_to_the_process_that_has_it(embedded: Application, story: str) -> None:
    leave_behind(embedded, story, "Mara held the key.")
    assert embedded.publisher.resend_pending(outbox.GRACE) == 0
    assert embedded.ledger.statuses(story) == {"accepted": 1}


def test_only_the_story_asked_for_is_sent_again(embedded: Application, story: str) -> None:
    leave_behind(embedded, story, "Mara held the key.")
    leave_behind(embedded, f"{story}-2", "Mara held the key.")
    assert embedded.publisher.resend_pending(story=story) == 1
    assert embedded.ledger.statuses(f"{story}-2") == {"accepted": 1}


def test_the_outbox_looks_again_after_a_failure() -> None:
    stop = threading.Event()
    looks: list[int] = []

    def resend(_: timedelta) -> int:
        looks.append(len(looks))
        if len(looks) == 1:
            raise Unavailable("not now")
        stop.set()
        return 0

    Outbox(resend, every=0.01).run_forever(stop)
    assert looks == [0, 1]


def test_statements_are_planned_for_what_they_are_asked(embedded: Application) -> None:
    with embedded.pool.connection() as conn:
        assert conn.execute("SHOW plan_cache_mode").fetchone() == ("force_custom_plan",)
