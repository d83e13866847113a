"""What a rebuild is divided into, and rows that it writes without making objects: the same as those of the objects."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.domain_events import Mention, Order, RecordAsserted, Setting, Term
from events.ids import Chapter, EntityId, PublicationId, RecordName, RecordUid, Revision
from events.stored import StorySize, asserted_state
from events.wire import encode
from projections import copying
from projections.facets import Facet, Row
from projections.once_asserted import OnceAsserted
from projections.parts import KEYS_REMEMBERED, REMEMBERED, WORTH_PARTING, Part, StoryPart, story_parts, without_keys
from projections.record_versions import RECORDS
from projections.record_view import RecordView, stated
from projections.story_state.assertions import ASSERTIONS, entities_of_keys, entities_of_node_key, value_key

KEYS = st.text(alphabet="abz/@=(), ->\"\\'é雪", min_size=1, max_size=8)
TERMS = st.builds(Term, KEYS, st.text(max_size=6), st.booleans())
SETTINGS = st.one_of(
    st.builds(Setting, st.just("owner"), st.tuples(TERMS), st.none() | TERMS),
    st.builds(Setting, st.just("relationship"), st.tuples(TERMS, TERMS), TERMS, st.booleans()),
)
TEXTS = st.text(alphabet='ab\t\n\r\\"N雪 ', max_size=8)
EVENTS = st.builds(
    RecordAsserted,
    story=st.just("s"),
    version=st.just(1),
    recorded_at=st.just(datetime(2026, 1, 1, tzinfo=UTC)),
    correlation=st.just(PublicationId("s/1")),
    caused_by=st.none(),
    chapter=st.builds(Chapter, st.integers(1, 9)),
    uid=st.just(RecordUid("1r1:a")),
    record=st.builds(RecordName, TEXTS),
    revision=st.just(Revision(1)),
    kind=st.just("object_delta"),
    payload=st.dictionaries(TEXTS, TEXTS, max_size=3),
    evidence=st.lists(st.tuples(st.integers(0, 99), st.integers(0, 99)), max_size=3).map(tuple),
    order=st.builds(Order, st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)),
    content=TEXTS,
    mentions=st.lists(st.builds(Mention, TEXTS, st.builds(EntityId, TEXTS), TEXTS), max_size=3).map(tuple),
    settings=st.lists(SETTINGS, max_size=3).map(tuple),
)


def once(event: RecordAsserted) -> OnceAsserted:
    return OnceAsserted(asserted_state(encode(event)))


def read(line: str) -> list[str | None]:
    """The values of a line, as PostgreSQL reads it."""
    meant = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}
    values: list[str | None] = []
    for written in line.split("\t"):
        if written == "\\N":
            values.append(None)
            continue
        parts = iter(written)
        values.append("".join(meant[next(parts)] if part == "\\" else part for part in parts))
    return values


def written(row: Row) -> list[str | None]:
    return [None if value is None else "t" if value is True else "f" if value is False else str(value) for value in row]


@given(EVENTS)
def test_what_is_read_without_its_event_is_the_view_of_the_event(event: RecordAsserted) -> None:
    assert once(event).view() == stated(event, live=True)


@pytest.mark.parametrize("facet", [RECORDS, ASSERTIONS], ids=lambda facet: facet.table)
@given(event=EVENTS)
def test_lines_say_what_rows_say(facet: Facet, event: RecordAsserted) -> None:
    assert facet.lines is not None
    lines = facet.lines(once(event))
    assert [read(line) for line in lines] == [written(row) for row in facet.rows(stated(event, live=True))]
    assert not any("\n" in line for line in lines)


@given(st.lists(st.none() | TEXTS, min_size=1, max_size=4))
def test_a_line_is_read_as_what_was_written(values: list[str | None]) -> None:
    assert read(copying.line(values)) == values


@given(st.lists(SETTINGS, max_size=4).map(tuple))
def test_the_entities_of_a_key_are_those_of_the_settings_that_set_it(settings: tuple[Setting, ...]) -> None:
    view = RecordView("u", "1:u", 1, 1, "x", {}, (), Order(0, 0, 0), "", (), settings, live=True)
    values: dict[str, set[str]] = {}
    for setting in settings:
        values.setdefault(setting.node_key, set()).add(value_key(setting.value) or "")
    found = {(entity, key) for key, given in values.items() for entity in entities_of_node_key(key, given)}
    assert found == set(entities_of_keys([view]))


@given(st.text(max_size=9), st.integers(1, 5))
def test_a_name_is_in_one_part(name: str, parts: int) -> None:
    assert sum(Part(number, parts).has(name) for number in range(parts)) == 1


SIZES: Mapping[str, StorySize] = {
    "short": StorySize(10, 0),
    "long": StorySize(3 * WORTH_PARTING, 0),
    "edited": StorySize(2 * REMEMBERED, REMEMBERED + 1),
}


def test_one_process_parts_only_what_it_could_not_remember() -> None:
    assert story_parts(SIZES, SIZES, processes=1) == [
        StoryPart("edited", Part(0, 2)), StoryPart("edited", Part(1, 2)),
        StoryPart("long", with_keys=True), StoryPart("short", with_keys=True),
    ]  # fmt: skip


def test_two_processes_share_a_story_that_is_most_of_the_log() -> None:
    alone = {"long": SIZES["long"], "short": SIZES["short"]}
    parts = story_parts(alone, alone, processes=2)
    assert parts == [StoryPart("long", Part(0, 2)), StoryPart("long", Part(1, 2)), StoryPart("short", with_keys=True)]


def test_a_story_of_unknown_size_is_read_whole() -> None:
    assert story_parts(["new"], {}, processes=2) == [StoryPart("new", with_keys=True)]


def test_keys_are_remembered_only_of_short_whole_stories() -> None:
    sizes = {**SIZES, "endless": StorySize(KEYS_REMEMBERED + 1, 0)}
    assert without_keys(story_parts(sizes, sizes, processes=1)) == ["edited", "endless"]


def test_the_second_process_of_a_rebuild_loads_nothing_that_only_taking_chapters_in_needs() -> None:
    asked = (
        "import sys, projections.rebuild_process, projections.story_state.projection;"
        " print(sorted({'pydantic', 'eventsourcing', 'numpy', 'spacy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
