"""What the model is shown of the chapters before."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from psycopg_pool import ConnectionPool

from events.ledger import Ledger
from services.extraction.claude.context import NOTHING, Context, ReaderContext
from tests.integration.test_reading import FIRST, SECOND, STORY, THIRD, Library, told

TEXT = "Mara Voss looked for Tomas at the bridge."


@pytest.fixture
def shelf(postgres_dsn: str) -> Iterator[Library]:
    Ledger.migrate(postgres_dsn)
    with ConnectionPool(postgres_dsn, min_size=1, max_size=8) as pool:
        opened = Library(postgres_dsn, pool)
        yield opened
        opened.ledger.close()


def before(library: Library, chapter: int, text: str = TEXT) -> Context:
    return ReaderContext(library.reader).before(STORY, chapter, text)


def test_the_context_has_likely_entities_owners_and_open_threads(shelf: Library) -> None:
    told(shelf, FIRST, SECOND)
    context = before(shelf, 3)
    assert {name for name, _, _ in context.entities} >= {"Mara Voss", "Tomas Reyle"}
    assert ("owner(brass key)", "Tomas Reyle", "2:o1") in context.held
    assert context.threads == (("Mara's promise", "2:t1"),)


def test_the_context_says_who_knows_what(shelf: Library) -> None:
    told(shelf, FIRST, SECOND, THIRD)
    assert any(key.startswith("knowledge(Tomas Reyle") for key, _, _ in before(shelf, 4).held)


@pytest.mark.parametrize("chapter", [1, 2, 3])
def test_the_context_is_the_same_whatever_comes_later(shelf: Library, chapter: int) -> None:
    told(shelf, FIRST, SECOND)
    early = before(shelf, chapter)
    told(shelf, THIRD)
    assert before(shelf, chapter) == early


def test_before_the_first_chapter_nothing_is_known(shelf: Library) -> None:
    told(shelf, FIRST)
    assert before(shelf, 1) == NOTHING


def test_of_a_story_without_chapters_nothing_is_known(shelf: Library) -> None:
    assert ReaderContext(shelf.reader).before("unheard-of", 5, TEXT) == NOTHING


def test_entities_that_the_text_does_not_name_are_left_out(shelf: Library) -> None:
    told(shelf, FIRST, SECOND)
    assert {name for name, _, _ in before(shelf, 3, "Tomas slept.").entities} == {"Tomas Reyle"}


def test_another_story_shows_nothing_of_this_one(shelf: Library) -> None:
    told(shelf, FIRST)
    other: dict[str, Any] = {
        "id": "e1",
        "kind": "entity",
        "type": "character",
        "name": "Bo",
        "evidence": [{"quote": "Bo"}],
    }
    shelf.publish(1, "Bo sang.", other, story="elsewhere")
    context = ReaderContext(shelf.reader).before("elsewhere", 2, f"Bo met {TEXT}")
    assert "Mara" not in context.render()


def test_a_context_holds_what_it_shows_and_no_more(shelf: Library) -> None:
    told(shelf, FIRST, SECOND)
    context = before(shelf, 3)
    assert context.holds("owner(brass key)", "tomas reyle")
    assert not context.holds("owner(brass key)", "Mara Voss")
