"""Whatever the history and the order of arrival, the index says the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from events.story_index import StoryIndex
from tests.properties.histories import CHAPTERS, Published, history, known, numbered, take


def _index(publications: list[tuple[Published, int]]) -> StoryIndex:
    index = StoryIndex("s", lambda _: None)
    for published, revision in publications:
        take(index, published, revision)
    return index


@settings(max_examples=300)
@given(history(), st.randoms(use_true_random=False))
def test_the_outcome_is_a_function_of_the_publications_not_of_their_arrival(
    found: list[Published], random: Any
) -> None:
    publications = numbered(found)
    shuffled = random.sample(publications, len(publications))
    assert known(_index(publications)) == known(_index(shuffled))


@settings(max_examples=300)
@given(history())
def test_weighing_every_chapter_again_changes_nothing(found: list[Published]) -> None:
    index = _index(numbered(found))
    before = known(index)
    index._watching.mark(range(1, CHAPTERS + 1))
    index._settle()
    assert known(index) == before


@settings(max_examples=150)
@given(history())
def test_what_is_known_up_to_a_chapter_does_not_depend_on_later_chapters(found: list[Published]) -> None:
    publications = numbered(found)
    whole = known(_index(publications))
    for chapter in range(1, CHAPTERS + 1):
        part = known(_index([p for p in publications if p[0].chapter <= chapter]))
        assert part["records"] == {n: r for n, r in whole["records"].items() if int(n.split(":")[0]) <= chapter}
        of_then = [[link for link in k["links"] if link.chapter <= chapter] for k in (part, whole)]
        assert of_then[0] == of_then[1]
