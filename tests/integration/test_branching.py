"""Branches on PostgreSQL: what they inherit, that the parent is not touched, and what promoting and dropping do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg_pool import ConnectionPool

from events.chapters import PublicationRequest
from events.errors import Conflict, InvalidInput, InvalidName, UnknownChapter, UnknownStory
from events.ledger import Ledger
from projections.entities.projection import Entities
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.branching.branching import Branching
from services.branching.errors import ParentMovedOn, UnknownBranch
from services.composition import Application
from services.publishing.gateway import Publisher
from services.reading.reader import Reader
from services.settings import Settings
from tests.properties.histories import CHAPTERS, Published, history, request
from tests.serving_fixtures import entity, owns

TEXT = "abcdefghijklmnopqrstuvwxyz. " * 4
_numbers = itertools.count()

ONE = "Mara Voss held the brass key."
TWO = "Tomas Reyle took the brass key."
DROWNED = "The brass key sank; Ilse Brandt dived for the brass key."


def key_of(owner: str, quote: str, **more: Any) -> list[dict[str, Any]]:
    return [entity("e1", owner), owns("o1", "brass key", owner, quote, **more)]


class Told:
    """A story in an application over a database of its own."""

    def __init__(self, application: Application, story: str) -> None:
        self.application = application
        self.branching = application.branching
        self.story = story

    def publish(self, story: str, chapter: int, text: str, records: list[dict[str, Any]] | None) -> dict[str, Any]:
        return self.application.publisher.publish(story, chapter, text, records=records)

    def owner(self, story: str, at: int | None = None) -> Any:
        state = self.application.reading().state(story, at=at, key="owner(")["state"]
        return state[0]["value"] if state else None

    def parent(self) -> list[Any]:
        """All that may be seen of the parent: its events and its state after each chapter."""
        reader = self.application.reading()
        states = [reader.state(self.story, at=chapter) for chapter in range(1, 5)]
        return [reader.audit(self.story), states]


@pytest.fixture(scope="module")
def product(shared_environment: dict[str, str]) -> Iterator[Application]:
    with Application(Settings.from_env(shared_environment)) as application:
        yield application


@pytest.fixture
def told(product: Application, story: str) -> Told:
    """Two chapters: Mara has the key, then Tomas."""
    told = Told(product, story)
    told.publish(story, 1, ONE, key_of("Mara Voss", "held the brass key"))
    told.publish(story, 2, TWO, key_of("Tomas Reyle", "took the brass key"))
    return told


def test_a_branch_is_a_story_that_goes_its_own_way_and_the_parent_is_not_touched(told: Told) -> None:
    before = told.parent()
    forked = told.branching.fork(told.story, "drowned", 1)
    assert (forked["branch"], forked["forked_at"]) == (f"{told.story}.drowned", 1)
    assert told.owner(forked["branch"]) == "Mara Voss"
    told.publish(forked["branch"], 2, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    assert (told.owner(forked["branch"]), told.owner(told.story)) == ("Ilse Brandt", "Tomas Reyle")
    assert told.parent() == before


def test_an_edit_in_a_branch_is_the_next_revision_and_cascades_as_in_its_parent(told: Told) -> None:
    rests = key_of("Ilse Brandt", "The brass key was Ilse Brandt's", depends_on=["1:o1"])
    told.publish(told.story, 3, "The brass key was Ilse Brandt's.", rests)
    branch = told.branching.fork(told.story, "edited")["branch"]
    assert told.owner(branch) == "Ilse Brandt"
    assert told.publish(branch, 1, "Nobody held anything.", [])["revision"] == 2
    assert (told.owner(branch), told.owner(told.story)) == ("Tomas Reyle", "Ilse Brandt")


def test_checkpoints_and_decisions_up_to_the_fork_are_inherited_and_later_ones_are_not(told: Told) -> None:
    told.application.checkpoint(told.story, "the key", 1)
    told.application.checkpoint(told.story, "the theft", 2)
    told.application.publisher.merge(told.story, "Mara Voss", "Tomas Reyle")
    branch = told.branching.fork(told.story, "early", "the key")["branch"]
    reader = told.application.reading()
    assert reader.state(branch, at="the key")["digest"] == reader.state(told.story, at="the key")["digest"]
    types = [event["type"] for event in reader.audit(branch)["events"]]
    assert types.count("CheckpointNamed") == 1
    assert types.count("EntitiesMerged") == 1


def test_what_read_a_record_and_its_warnings_are_inherited_too(told: Told) -> None:
    branch = told.branching.fork(told.story, "same")["branch"]
    reader = told.application.reading()

    def said(story: str) -> list[Any]:
        return [(e["type"], e["chapter"], e["record"], e["detail"]) for e in reader.audit(story)["events"]]

    assert said(branch) == said(told.story)


def test_a_branch_of_a_branch(told: Told) -> None:
    branch = told.branching.fork(told.story, "one", 1)["branch"]
    told.publish(branch, 2, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    nested = told.branching.fork(branch, "two")["branch"]
    assert nested == f"{told.story}.one.two"
    assert told.owner(nested) == "Ilse Brandt"


@pytest.mark.parametrize("name", ["", "a.b", "a b", "x" * 100])
def test_a_name_that_is_none_is_refused(told: Told, name: str) -> None:
    with pytest.raises(InvalidName, match="cannot name a branch"):
        told.branching.fork(told.story, name)


def test_a_branch_never_takes_the_place_of_a_story(told: Told) -> None:
    told.publish(f"{told.story}.taken", 1, ONE, [])
    told.branching.fork(told.story, "forked")
    for name, at in (("taken", None), ("forked", 1)):
        with pytest.raises(Conflict, match="another name"):
            told.branching.fork(told.story, name, at)


def test_who_asks_for_a_branch_again_is_told_of_the_one_that_is_there(told: Told) -> None:
    first = told.branching.fork(told.story, "again")
    told.publish(first["branch"], 3, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    told.publish(told.story, 3, "Nothing that the branch inherits.", [])
    assert told.branching.fork(told.story, "again", 2) == {**first, "unchanged": True}


def test_a_branch_that_is_asked_for_by_many_at_once_is_made_once(told: Told) -> None:
    with ThreadPoolExecutor(8) as pool:
        replies = [*pool.map(lambda _: told.branching.fork(told.story, "crowded", 1), range(8))]
    assert sorted(reply.pop("unchanged") for reply in replies) == [False] + [True] * 7
    assert all(reply == replies[0] for reply in replies)
    assert len(told.branching.of(told.story)["branches"]) == 1


def test_a_branch_from_what_the_parent_does_not_say_any_more_is_another_one(told: Told) -> None:
    told.branching.fork(told.story, "before")
    told.publish(told.story, 1, "Nobody held anything.", [])
    with pytest.raises(Conflict, match="another name"):
        told.branching.fork(told.story, "before")


@pytest.mark.parametrize("at", [0, -1, 3, 10**9])
def test_a_fork_after_a_chapter_that_is_not_there_is_refused(told: Told, at: int) -> None:
    with pytest.raises(InvalidInput, match="from 1 to 2"):
        told.branching.fork(told.story, "nowhere", at)


def test_a_fork_before_anything_is_published_is_refused(told: Told, story: str) -> None:
    late = f"{story}-late"
    told.publish(late, 5, ONE, [])
    with pytest.raises(UnknownChapter):
        told.branching.fork(late, "empty", 3)
    with pytest.raises(UnknownStory):
        told.branching.fork(f"{story}-never", "any")


def test_a_refused_fork_leaves_nothing_behind(told: Told) -> None:
    with pytest.raises(InvalidInput):
        told.branching.fork(told.story, "half", 9)
    assert told.branching.of(told.story)["branches"] == []
    assert told.branching.fork(told.story, "half", 1)["chapters"] == 1


def test_the_list_says_what_each_side_published_since(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.publish(branch, 2, DROWNED, [])
    told.publish(told.story, 3, "A third chapter.", [])
    (found,) = told.branching.of(told.story)["branches"]
    assert (found["name"], found["chapters"], found["moved"]) == ("drowned", [2], [3])


def test_the_difference_between_a_branch_and_its_parent(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    same = told.branching.compare(told.story, told.story, "drowned", at=1)
    assert (same["same"], same["added"], same["removed"], same["changed"]) == (True, [], [], [])
    told.publish(branch, 2, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    found = told.branching.compare(told.story, told.story, "drowned")
    (change,) = found["changed"]
    assert (change["before"]["value"], change["after"]["value"]) == ("Tomas Reyle", "Ilse Brandt")
    assert change["after"]["evidence"][0]["quote"] == "dived for the brass key"
    with pytest.raises(UnknownBranch, match="fabula branches"):
        told.branching.compare(told.story, told.story, "nobody")


def test_promoting_publishes_the_chapters_that_differ_and_names_where_they_come_from(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.publish(branch, 2, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    told.publish(branch, 3, "A third chapter.", None)
    told.publish(branch, 1, "Nobody held anything.", [])
    before = told.parent()
    preview = told.branching.preview(told.story, "drowned")
    assert [(each["chapter"], each["new"]) for each in preview["chapters"]] == [(2, False), (3, True)]
    assert preview["changes"][0]["keys"] == [
        {"key": "owner(brass key)", "before": "Tomas Reyle", "after": "Ilse Brandt"}
    ]
    assert preview["left"]["chapters"] == [1]
    assert told.parent() == before
    reply = told.branching.promote(told.story, "drowned")
    assert [(each["chapter"], each["revision"]) for each in reply["published"]] == [(2, 2), (3, 1)]
    assert told.owner(told.story) == "Ilse Brandt"
    told.application.settle()
    events = told.application.reading().audit(told.story, chapter=2)["events"]
    warnings = [e["detail"]["warnings"] for e in events if e["type"] == "ChapterPublished"]
    assert any(f"branch {branch}" in warning for warning in warnings[-1])


def test_promoting_again_changes_nothing_nor_does_publishing_the_same(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    records = key_of("Ilse Brandt", "dived for the brass key")
    told.publish(branch, 2, DROWNED, records)
    told.publish(branch, 3, "A third chapter.", None)
    told.branching.promote(told.story, "drowned")
    end = told.application.ledger.last_position()
    assert told.branching.promote(told.story, "drowned")["published"] == []
    assert told.publish(told.story, 2, DROWNED, records)["unchanged"]
    assert told.publish(told.story, 3, "A third chapter.", None)["unchanged"]
    assert told.application.ledger.last_position() == end


def test_where_the_parent_has_moved_on_promoting_is_refused_unless_forced(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.publish(branch, 2, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    told.publish(told.story, 2, "Mara kept the brass key after all.", [])
    before = told.parent()
    with pytest.raises(ParentMovedOn, match="chapter 2"):
        told.branching.promote(told.story, "drowned")
    assert told.parent() == before
    told.branching.promote(told.story, "drowned", force=True)
    assert told.owner(told.story) == "Ilse Brandt"


def test_a_chapter_of_the_parent_that_nobody_saw_is_not_overwritten_by_a_promotion(
    told: Told, monkeypatch: pytest.MonkeyPatch
) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.publish(branch, 2, DROWNED, key_of("Ilse Brandt", "dived for the brass key"))
    publisher = told.application.publisher
    promote = publisher.promote

    def overtaken(request: PublicationRequest, *, wait: bool) -> Any:
        told.publish(told.story, 2, "Mara kept the brass key after all.", [])
        return promote(request, wait=wait)

    monkeypatch.setattr(publisher, "promote", overtaken)
    with pytest.raises(ParentMovedOn, match="meanwhile"):
        told.branching.promote(told.story, "drowned", force=True)
    assert told.owner(told.story) == "Mara Voss"
    assert told.branching.of(told.story)["branches"][0]["moved"] == [2]


def test_what_was_promoted_is_not_what_the_parent_published_since(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.publish(branch, 2, DROWNED, [])
    told.branching.promote(told.story, "drowned")
    assert told.branching.of(told.story)["branches"][0]["moved"] == []


def test_nothing_is_published_into_a_dropped_branch(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.branching.drop(told.story, "drowned")
    before = told.application.ledger.last_position()
    with pytest.raises(Conflict, match=r"was dropped; fork the story again"):
        told.publish(branch, 2, DROWNED, [])
    assert told.application.ledger.last_position() == before


def test_a_later_chapter_of_the_parent_is_told_and_blocks_nothing(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    told.publish(branch, 2, DROWNED, [])
    told.publish(told.story, 3, "A third chapter.", [])
    preview = told.branching.preview(told.story, "drowned")
    assert (preview["moved"], preview["blocking"]) == ([3], [])
    assert told.branching.promote(told.story, "drowned")["moved"] == [3]


def test_dropping_a_branch_erases_what_only_it_has_and_leaves_the_parent_alone(told: Told) -> None:
    branch = told.branching.fork(told.story, "drowned", 1)["branch"]
    lost = f"Nobody ever saw the key of {told.story} again."
    told.publish(branch, 2, lost, [])
    before = told.parent()
    reply = told.branching.drop(told.story, "drowned", by="an editor")
    assert reply["withdrawn"] == [1, 2]
    assert [each["chapter"] for each in reply["erased"]] == [2]
    assert told.parent() == before
    assert told.owner(branch) is None
    with psycopg.connect(told.application.dsn) as conn:
        left = conn.execute("SELECT count(*) FROM ledger.texts WHERE body = %s", (lost,)).fetchone()
    assert left == (0,)
    assert told.branching.of(told.story)["branches"][0]["dropped_at"] is not None
    with pytest.raises(UnknownBranch, match="dropped"):
        told.branching.promote(told.story, "drowned")
    assert told.branching.drop(told.story, "drowned")["withdrawn"] == []


class System:
    """Ledger, projections and reader over one database; every example is a story of its own."""

    def __init__(self, dsn: str, pool: ConnectionPool[Any]) -> None:
        self.ledger = Ledger(dsn)
        self.reader = Reader(pool)
        self.runner = Runner(self.ledger, pool, [StoryState(), Entities(), Timeline()])
        self.runner.prepare()

        def unused() -> Any:
            raise AssertionError("forking needs neither a gateway nor a takedown")

        publisher = Publisher.__new__(Publisher)
        self.branching = Branching(
            self.ledger, pool, publisher, lambda: self.reader, unused, wait=lambda _: self.runner.catch_up()
        )  # fmt: skip


@pytest.fixture(scope="module")
def system(module_dsn: str) -> Iterator[System]:
    Ledger.migrate(module_dsn)
    with ConnectionPool(module_dsn, min_size=1, max_size=4) as pool:
        system = System(module_dsn, pool)
        yield system
        system.ledger.close()


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(history(), st.data())
def test_a_branch_has_the_digest_of_its_parent_at_every_checkpoint_up_to_the_fork(
    system: System, found: list[Published], data: st.DataObject
) -> None:
    story = f"forked-{next(_numbers)}"
    registered = [system.ledger.register(request(story, p, TEXT)) for p in found]
    publications = [r.publication for r in registered if not r.unchanged]
    for publication in data.draw(st.permutations(publications)):
        system.ledger.append(publication, publication.records, "sidecar")
    system.runner.catch_up()
    at = data.draw(st.integers(1, CHAPTERS))
    last = max(p.chapter for p in publications)
    if at > last or not any(0 < p.chapter <= at for p in publications):
        with pytest.raises((InvalidInput, UnknownChapter)):
            system.branching.fork(story, "b", at)
        return
    position = system.ledger.last_position()
    before = list(system.ledger.story_events(story))
    branch = system.branching.fork(story, "b", at)["branch"]
    assert list(system.ledger.story_events(story)) == before
    assert system.ledger.last_position() > position
    for chapter in range(1, at + 1):
        one, other = (system.reader.state(each, at=chapter) for each in (story, branch))
        assert (one["digest"], one["state"]) == (other["digest"], other["state"])


def test_a_branch_may_be_named_as_the_story_that_it_is(told: Told) -> None:
    told.branching.fork(told.story, "dark", 1)
    assert told.branching.preview(told.story, f"{told.story}.dark") == told.branching.preview(told.story, "dark")
