"""What a trial says is what publishing does, and it leaves no trace, for any history of a small story."""

from __future__ import annotations

from hypothesis import given, settings

from events.story_index import StoryIndex
from tests.properties.histories import Published, history, known, numbered, take


@settings(max_examples=200, deadline=None)
@given(history())
def test_what_is_taken_back_was_never_there(found: list[Published]) -> None:
    publications = numbered(found)
    index = StoryIndex("s", lambda _: None)
    for published, revision in publications:
        if published.decision is None:
            before = known(index)
            take(index, published, revision)
            newest = index.current(published.chapter)
            assert newest is not None
            index.take_back(published.chapter, newest)
            assert known(index) == before
            assert not index.has(published.sequence)
        take(index, published, revision)
    whole = StoryIndex("s", lambda _: None)
    for published, revision in publications:
        take(whole, published, revision)
    assert known(index) == known(whole)
    assert index.chapters == whole.chapters
