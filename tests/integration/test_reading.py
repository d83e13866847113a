"""The reading service over the ledger, the read models and real PostgreSQL."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from events.chapters import PublicationRequest
from events.errors import InvalidInput, ReadModelBehind, UnknownCheckpoint, UnknownEntity, UnknownStory
from events.ledger import Ledger
from projections import versions
from projections.entities.projection import Entities
from projections.projection import Projection
from projections.runner import Runner
from projections.story_state.projection import StoryState
from projections.timeline.projection import Timeline
from services.reading.reader import Reader

STORY = "lantern"
Record = dict[str, Any]


class Library:
    """One database, with a clock that moves a minute from publication to publication."""

    def __init__(self, dsn: str, pool: ConnectionPool[Any]) -> None:
        self.now = datetime(2026, 5, 3, 12, tzinfo=UTC)
        self.ledger = Ledger(dsn, clock=lambda: self.now)
        self.pool = pool
        self.projections: list[Projection] = [StoryState(), Entities(), Timeline()]
        self.runner = Runner(self.ledger, pool, self.projections)
        self.reader = Reader(pool)

    def publish(self, chapter: int, text: str, *records: Record, story: str = STORY) -> int:
        return self._append(
            PublicationRequest(story=story, chapter=chapter, action="publish", text=text, records=list(records))
        )

    def retract(self, chapter: int) -> int:
        return self._append(PublicationRequest(story=STORY, chapter=chapter, action="retract"))

    def checkpoint(self, name: str, at: int) -> int:
        return self._append(
            PublicationRequest(story=STORY, chapter=at, action="checkpoint", decision={"name": name, "at": at})
        )

    def _append(self, request: PublicationRequest) -> int:
        self.now += timedelta(minutes=1)
        publication = self.ledger.register(request).publication
        position = self.ledger.append(publication, publication.records, "sidecar").position
        self.runner.catch_up()
        return position


@pytest.fixture
def library(postgres_dsn: str) -> Iterator[Library]:
    Ledger.migrate(postgres_dsn)
    with ConnectionPool(postgres_dsn, min_size=1, max_size=8) as pool:
        library = Library(postgres_dsn, pool)
        yield library
        library.ledger.close()


def record(local: str, kind: str, quote: str, **fields: Any) -> Record:
    return {"id": local, "kind": kind, "evidence": [{"quote": quote}], **fields}


def person(local: str, name: str, quote: str, *aliases: str, **fields: Any) -> Record:
    return record(local, "entity", quote, type="character", name=name, aliases=list(aliases), **fields)


def owns(local: str, thing: str, owner: str, quote: str, **fields: Any) -> Record:
    return record(local, "object_delta", quote, object=thing, owner=owner, **fields)


FIRST = (
    1,
    "Mara Voss shut the door. The brass key lay warm in Mara's palm.",
    person("e1", "Mara Voss", "Mara Voss", "Mara", description="A courier."),
    record("e2", "entity", "brass key", type="object", name="brass key"),
    owns("o1", "brass key", "Mara Voss", "The brass key lay warm in Mara's palm"),
)
SECOND = (
    2,
    "At the bridge Mara gave the brass key to Tomas Reyle. They were friends. “I will bring you the ledger,” said Mara.",
    person("e1", "Tomas Reyle", "Tomas Reyle", "Tomas"),
    owns("o1", "brass key", "Tomas Reyle", "Mara gave the brass key to Tomas Reyle"),
    record(
        "r1", "relationship_delta", "They were friends", source="Tomas", target="Mara", relation="friends", polarity=0.7
    ),
    record(
        "t1", "thread", "I will bring you the ledger", thread="Mara's promise", thread_kind="promise", status="opened"
    ),
    record(
        "v1", "event", "gave the brass key", summary="The key changes hands", participants=["Mara", {"entity": "Tomas"}]
    ),
)
THIRD = (
    3,
    "In a letter he named Mara. In the cellar Tomas sold the brass key to the Harbour Guild. The ledger lay there.",
    person("e1", "Harbour Guild", "Harbour Guild"),
    owns("o1", "brass key", "Harbour Guild", "Tomas sold the brass key to the Harbour Guild", confidence=0.8),
    record("p1", "presence", "In the cellar Tomas", entity="Tomas", location="the cellar"),
    record("k1", "knowledge", "he named Mara", knower="Tomas", fact="Mara is away", focalizer="Mara"),
    record("t1", "thread", "The ledger lay there", thread="Mara's promise", status="paid_off"),
)


def told(library: Library, *chapters: tuple[Any, ...]) -> list[int]:
    return [library.publish(*chapter) for chapter in chapters]


def values(reply: Any) -> dict[str, Any]:
    return {entry["key"]: entry["value"] for entry in reply["state"]}


# --- state ---


def test_state_has_keys_values_and_quotes_under_canonical_names(library: Library) -> None:
    last = told(library, FIRST, SECOND)[-1]
    reply = library.reader.state(STORY)
    entry = next(e for e in reply["state"] if e["key"] == "owner(brass key)")
    assert (reply["story"], reply["at"], reply["position"], reply["incomplete"]) == (STORY, 2, last, [])
    assert entry == {
        "key": "owner(brass key)",
        "value": "Tomas Reyle",
        "valid_from": 2,
        "record": "2:o1",
        "confidence": 1.0,
        "evidence": [
            {
                "chapter": 2,
                "revision": 1,
                "start": 14,
                "end": 52,
                "quote": "Mara gave the brass key to Tomas Reyle",
            }
        ],
    }


def test_entries_are_ordered_by_key(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    keys = [entry["key"] for entry in library.reader.state(STORY)["state"]]
    assert keys == sorted(keys)


def test_state_can_be_asked_for_one_entity_by_alias_or_for_a_key_prefix(library: Library) -> None:
    told(library, FIRST, SECOND)
    assert set(values(library.reader.state(STORY, entity="Tomas"))) == {
        "owner(brass key)",
        "relationship(Mara Voss,Tomas Reyle)",
    }
    assert set(values(library.reader.state(STORY, key="owner("))) == {"owner(brass key)"}


READINGS: dict[str, Callable[[Reader, int], Any]] = {
    "state": lambda reader, at: reader.state(STORY, at=at),
    "history": lambda reader, at: reader.history(STORY, "owner(brass key)", at=at),
    "entity": lambda reader, at: reader.entity(STORY, "Mara", at=at),
    "threads": lambda reader, at: reader.threads(STORY, at=at),
    "timeline": lambda reader, at: reader.timeline(STORY, at=at),
    "audit": lambda reader, at: reader.audit(STORY, at=at),
    "diff": lambda reader, at: reader.diff(STORY, from_=1, to=at),
}


@pytest.mark.parametrize("reading", READINGS)
def test_nothing_read_as_of_a_chapter_depends_on_later_ones(library: Library, reading: str) -> None:
    told(library, FIRST, SECOND)
    before = json.dumps(READINGS[reading](library.reader, 2))
    told(library, THIRD)
    library.checkpoint("the sale", 3)
    library.publish(3, "Mara Voss was called the courier.", person("e1", "Mara Voss", "Mara Voss", "the courier"))
    assert json.dumps(READINGS[reading](library.reader, 2)) == before
    assert json.dumps(READINGS[reading](Reader(library.pool), 2)) == before


def test_a_slice_in_memory_gives_way_when_a_chapter_that_concerns_it_is_edited(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    before = library.reader.state(STORY, at=3)
    library.publish(2, "The rain did not stop.")
    after = library.reader.state(STORY, at=3)
    assert values(before)["relationship(Mara Voss,Tomas Reyle)"] == "friends"
    assert not [key for key in values(after) if key.startswith("relationship")]
    assert library.reader.state(STORY, at=1)["position"] < after["position"]


def test_a_checkpoint_beyond_the_last_chapter_shows_what_holds_in_the_end(library: Library) -> None:
    told(library, FIRST, SECOND)
    beyond = library.reader.state(STORY, at=99)
    assert beyond["at"] == 99
    assert beyond["digest"] == library.reader.state(STORY)["digest"]


def test_missing_chapters_below_the_highest_are_named_and_a_retracted_one_is_not_missing(library: Library) -> None:
    told(library, FIRST, SECOND, (5, "The end."))
    library.retract(2)
    assert library.reader.state(STORY)["incomplete"] == [3, 4]
    assert library.reader.state(STORY, at=4)["incomplete"] == []


def test_a_story_without_a_chapter_left_is_read_as_of_its_beginning(library: Library) -> None:
    told(library, FIRST)
    retracted = library.retract(1)
    reply = library.reader.state(STORY)
    assert (reply["at"], reply["position"], reply["state"]) == (1, retracted, [])
    assert reply == library.reader.state(STORY, at=1)


def test_a_read_as_of_a_position_inside_a_publication_shows_what_was_believed_before_it(library: Library) -> None:
    first, second = told(library, FIRST, SECOND)
    reply = library.reader.state(STORY, at=2, as_recorded=second - 1)
    assert reply["position"] == first
    assert values(reply) == {"owner(brass key)": "Mara Voss"}


def test_belief_can_be_read_as_of_a_time(library: Library) -> None:
    told(library, FIRST)
    then = library.now.isoformat()
    library.publish(1, "The brass key was gone.")
    assert values(library.reader.state(STORY, at=1, as_recorded=then)) == {"owner(brass key)": "Mara Voss"}
    assert values(library.reader.state(STORY, at=1)) == {}


def test_before_anything_was_recorded_nothing_was_believed(library: Library) -> None:
    told(library, FIRST)
    assert library.reader.state(STORY, at=1, as_recorded=0)["state"] == []


def test_evidence_of_an_older_belief_quotes_the_revision_it_was_found_in(library: Library) -> None:
    believed = told(library, FIRST)[0]
    library.publish(1, "Long ago. " + FIRST[1], *FIRST[2:])
    old = library.reader.state(STORY, at=1, as_recorded=believed)["state"][0]["evidence"]
    new = library.reader.state(STORY, at=1)["state"][0]["evidence"]
    assert [(e["revision"], e["quote"]) for e in (*old, *new)] == [
        (1, "The brass key lay warm in Mara's palm"),
        (2, "The brass key lay warm in Mara's palm"),
    ]


def test_equal_state_has_an_equal_digest_whatever_the_order_of_arrival(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    for chapter in (THIRD, FIRST, SECOND):
        library.publish(*chapter, story="other")
    for at in (1, 2, 3):
        assert library.reader.state("other", at=at)["digest"] == library.reader.state(STORY, at=at)["digest"]


def test_an_edit_that_only_moves_evidence_keeps_the_digest(library: Library) -> None:
    told(library, FIRST)
    before = library.reader.state(STORY)["digest"]
    library.publish(1, "Long ago. " + FIRST[1], *FIRST[2:])
    assert library.reader.state(STORY)["digest"] == before


# --- checkpoints ---


def test_a_named_checkpoint_is_a_place_to_read_from_and_moves_no_position(library: Library) -> None:
    told(library, FIRST, SECOND)
    before = library.reader.state(STORY, at=1)
    library.checkpoint("the door", 1)
    assert library.reader.state(STORY, at="the door") == before


def test_an_unknown_checkpoint_is_refused_with_those_there_are(library: Library) -> None:
    told(library, FIRST)
    library.checkpoint("the door", 1)
    with pytest.raises(UnknownCheckpoint, match="It has the door"):
        library.reader.state(STORY, at="the window")


def test_an_unknown_story_is_refused(library: Library) -> None:
    told(library, FIRST)
    with pytest.raises(UnknownStory, match="'lanturn'"):
        library.reader.state("lanturn")


def test_before_the_first_read_model_reading_says_what_to_start(library: Library) -> None:
    with pytest.raises(ReadModelBehind, match="fabula project"):
        library.reader.state(STORY)


@pytest.mark.parametrize("at", [0, -1, "0", 1_000_001])
def test_a_checkpoint_that_is_no_chapter_is_refused(library: Library, at: int | str) -> None:
    told(library, FIRST)
    with pytest.raises(InvalidInput, match="whole number from 1"):
        library.reader.state(STORY, at=at)


@pytest.mark.parametrize("moment", [-1, "yesterday", "2026-13-01"])
def test_a_moment_of_belief_that_is_none_is_refused(library: Library, moment: int | str) -> None:
    told(library, FIRST)
    with pytest.raises(InvalidInput):
        library.reader.state(STORY, as_recorded=moment)


# --- history ---


def test_history_has_the_current_belief_first_and_what_was_believed_before_after_it(library: Library) -> None:
    first, second = told(library, FIRST, SECOND)
    intervals = library.reader.history(STORY, "owner(the Brass Key)")["intervals"]
    shown = [
        (i["value"], i["valid_from"], i["valid_to"], i["recorded_from"], i["recorded_to"], i["record"])
        for i in intervals
    ]
    assert shown == [
        ("Mara Voss", 1, 2, second, None, "1:o1"),
        ("Tomas Reyle", 2, None, second, None, "2:o1"),
        ("Mara Voss", 1, None, first, second, "1:o1"),
    ]


def test_history_as_of_a_chapter_has_no_end_that_a_later_one_brings(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    intervals = library.reader.history(STORY, "owner(brass key)", at=1)["intervals"]
    assert [(i["value"], i["valid_to"]) for i in intervals] == [("Mara Voss", None)]


def test_history_of_a_symmetric_relationship_is_found_whichever_name_comes_first(library: Library) -> None:
    told(library, FIRST, SECOND)
    for key in ("relationship(Tomas,Mara)", "relationship(Mara Voss,Tomas Reyle)"):
        reply = library.reader.history(STORY, key)
        assert reply["key"] == "relationship(Mara Voss,Tomas Reyle)"
        assert [i["value"] for i in reply["intervals"]] == ["friends"]


def test_a_superseded_belief_is_shown_under_the_names_of_its_time(library: Library) -> None:
    library.publish(
        1,
        "A stranger took the key.",
        person("e1", "the stranger", "stranger"),
        owns("o1", "key", "the stranger", "took the key"),
    )
    library.publish(
        2,
        "It was Ilse.",
        person("e1", "Ilse", "Ilse"),
        record("i1", "identity", "It was Ilse", a="the stranger", b="Ilse"),
    )
    intervals = library.reader.history(STORY, "owner(key)")["intervals"]
    assert [(i["value"], i["recorded_to"] is None) for i in intervals] == [("Ilse", True), ("the stranger", False)]


def test_history_of_a_key_nobody_ever_set_is_empty(library: Library) -> None:
    told(library, FIRST)
    assert library.reader.history(STORY, "owner(silver spoon)")["intervals"] == []


def test_history_of_what_is_no_key_is_refused(library: Library) -> None:
    told(library, FIRST)
    with pytest.raises(InvalidInput):
        library.reader.history(STORY, "possession of the key")


# --- entities, threads, timeline ---


def test_an_entity_has_aliases_profile_relationships_appearances_and_threads(library: Library) -> None:
    told(library, FIRST, SECOND)
    mara = library.reader.entity(STORY, "the Mara")
    assert (mara["name"], mara["type"], mara["aliases"], mara["profile"]) == (
        "Mara Voss",
        "character",
        ["Mara"],
        "A courier.",
    )
    assert [(r["with"], r["relation"], r["polarity"]) for r in mara["relationships"]] == [
        ("Tomas Reyle", "friends", 0.7)
    ]
    assert mara["appearances"] == {"present": [2], "mentioned": [1]}
    assert [t["thread"] for t in mara["threads"]] == ["Mara's promise"]


def test_a_thread_that_was_paid_off_is_open_no_longer(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    assert library.reader.entity(STORY, "Mara")["threads"] == []
    assert [t["status"] for t in library.reader.threads(STORY)["threads"]] == ["paid_off"]
    assert library.reader.threads(STORY, status="open")["threads"] == []
    assert [t["status"] for t in library.reader.threads(STORY, at=2, status="open")["threads"]] == ["opened"]


def test_a_thread_shows_kind_first_and_last_chapter(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    (thread,) = library.reader.threads(STORY)["threads"]
    assert (thread["kind"], thread["opened"], thread["last"], thread["record"]) == ("promise", 2, 3, "3:t1")
    assert [e["quote"] for e in thread["evidence"]] == ["I will bring you the ledger", "The ledger lay there"]


def test_an_unknown_status_of_a_thread_is_refused(library: Library) -> None:
    told(library, FIRST)
    with pytest.raises(InvalidInput, match="paid_off"):
        library.reader.threads(STORY, status="finished")


def test_a_name_that_several_share_answers_with_candidates(library: Library) -> None:
    library.publish(1, "Anna Petrova, the doctor.", person("e1", "Anna Petrova", "Anna Petrova", "Anna"))
    library.publish(2, "Anna Berg, a smuggler.", person("e1", "Anna Berg", "Anna Berg", "Anna"))
    reply = library.reader.entity(STORY, "Anna")
    assert [c["name"] for c in reply["candidates"]] == ["Anna Berg", "Anna Petrova"]
    assert reply["type"] == "ambiguous"
    assert library.reader.entity(STORY, "Anna", at=1)["name"] == "Anna Petrova"


def test_an_unknown_entity_is_refused_with_near_names_of_that_time(library: Library) -> None:
    told(library, FIRST, SECOND)
    with pytest.raises(UnknownEntity, match="Near it: Tomas Reyle"):
        library.reader.entity(STORY, "Thomas Reyle")
    with pytest.raises(UnknownEntity) as refused:
        library.reader.entity(STORY, "Thomas Reyle", at=1)
    assert "Tomas" not in str(refused.value)


def test_who_is_only_mentioned_is_not_present(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    timeline = library.reader.timeline(STORY)
    rows = {row["name"]: row["cells"] for row in timeline["characters"]}
    assert timeline["chapters"] == [1, 2, 3]
    assert rows["Mara Voss"] == ["mentioned", "present", "mentioned"]
    assert rows["Tomas Reyle"] == [None, "present", "present"]
    assert "brass key" not in rows


def test_a_planned_presence_is_none(library: Library) -> None:
    library.publish(
        1,
        "Ilse planned to go to Orrin.",
        person("e1", "Ilse", "Ilse"),
        record("p1", "presence", "to go to Orrin", entity="Ilse", location="Orrin", modality="planned"),
    )
    assert library.reader.timeline(STORY)["characters"][0]["cells"] == ["mentioned"]


# --- differences ---


def test_a_diff_between_chapters_has_what_was_added_removed_and_changed(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    reply = library.reader.diff(STORY, from_=1, to=2)
    assert [e["key"] for e in reply["added"]] == ["relationship(Mara Voss,Tomas Reyle)", "thread(Mara's promise)"]
    assert [(c["key"], c["before"]["value"], c["after"]["value"]) for c in reply["changed"]] == [
        ("owner(brass key)", "Mara Voss", "Tomas Reyle")
    ]
    assert [e["key"] for e in library.reader.diff(STORY, from_=2, to=1)["removed"]] == [
        e["key"] for e in reply["added"]
    ]


def test_a_diff_between_beliefs_shows_intervals_that_an_edit_moved_though_nothing_changed_in_the_end(
    library: Library,
) -> None:
    told(library, FIRST, SECOND)
    before = told(library, THIRD)[0]
    after = library.publish(2, "The rain did not stop.")
    reply = library.reader.diff_beliefs(STORY, before, after)
    moved = [(c["key"], c["before"]["valid_to"], c["after"]["valid_to"]) for c in reply["changed"]]
    assert moved == [("owner(brass key)", 2, 3)]
    assert ("owner(brass key)", "Tomas Reyle") in [(e["key"], e["value"]) for e in reply["removed"]]


# --- audit ---


def test_the_audit_of_a_record_follows_it_under_every_name_it_had(library: Library) -> None:
    told(library, FIRST)
    renamed = [{**r, "id": "x" + r["id"]} for r in FIRST[2:]]
    library.publish(1, FIRST[1], *renamed)
    events = library.reader.audit(STORY, record="1:xo1")["events"]
    assert [(e["type"], e["record"]) for e in events] == [("RecordAsserted", "1:o1"), ("RecordCarried", "1:xo1")]


def test_the_audit_is_in_log_order_and_names_what_led_to_each_event(library: Library) -> None:
    told(library, FIRST)
    library.retract(1)
    events = library.reader.audit(STORY, chapter=1)["events"]
    assert [e["position"] for e in events] == sorted(e["position"] for e in events)
    withdrawn = [e for e in events if e["type"] == "RecordInvalidated"]
    assert {e["reason"] for e in withdrawn} == {"chapter_retracted"}
    root = next(e for e in events if e["type"] == "ChapterRetracted")
    assert {e["caused_by"] for e in withdrawn} == {root["id"]}
    assert {e["correlation"] for e in withdrawn} == {f"{STORY}/2"}


# --- while a read model is replaced ---


def test_reading_goes_on_while_read_models_are_rebuilt_and_gives_the_same(library: Library) -> None:
    told(library, FIRST, SECOND, THIRD)
    before = library.reader.state(STORY, at=3)
    for projection in library.projections:
        versions.rebuild(library.pool, library.ledger, projection)
        assert library.reader.state(STORY, at=3) == before


def test_stories_do_not_see_each_other(library: Library) -> None:
    told(library, FIRST)
    library.publish(
        1, "Somebody else held the brass key.", owns("o1", "brass key", "Somebody", "held the brass key"), story="other"
    )
    assert values(library.reader.state(STORY)) == {"owner(brass key)": "Mara Voss"}
    assert values(library.reader.state("other")) == {"owner(brass key)": "Somebody"}
