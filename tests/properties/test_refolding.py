"""Refolding where a key changed equals folding it from scratch."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from events.validity import Assertion, fold_key
from projections.story_state.refolding import Span, refold

Words = dict[tuple[int, int], str | None]
PLACES = st.tuples(st.integers(1, 8), st.integers(0, 2))
WORDS = st.dictionaries(PLACES, st.sampled_from(["a", "b", "c", None]), max_size=12)
EDIT = st.dictionaries(
    PLACES, st.one_of(st.just("gone"), st.sampled_from(["a", "b", "c", None])), min_size=1, max_size=5
)


def folded(words: Words) -> list[Span]:
    assertions = [
        Assertion((chapter, 0, start, 0, f"{chapter}.{start}"), "k", value, f"{chapter}.{start}")
        for (chapter, start), value in words.items()
    ]
    return [Span(i.valid_from, i.valid_to, i.value) for i in fold_key(assertions)]


def last_words(words: Words, first: int, last: int) -> list[tuple[int, str | None]]:
    by_chapter = {chapter: words[chapter, start] for chapter, start in sorted(words)}
    beyond = min((chapter for chapter in by_chapter if chapter > last), default=10**9)
    return [(chapter, value) for chapter, value in sorted(by_chapter.items()) if first <= chapter <= beyond]


@given(WORDS, st.lists(EDIT, min_size=1, max_size=6))
@settings(max_examples=600)
def test_intervals_kept_up_to_date_by_refolding_equal_the_fold_from_scratch(words: Words, edits: list[Words]) -> None:
    spans = folded(words)
    for edit in edits:
        edited = {**words, **edit}
        words = {place: value for place, value in edited.items() if value != "gone"}
        first, last = min(edit)[0], max(edit)[0]
        reaching = [span for span in spans if span.end is None or span.end >= first]
        change = refold(reaching, last_words(words, first, last), first, last)
        spans = sorted([s for s in spans if s not in change.closed] + change.opened, key=lambda s: s.start)
        assert spans == folded(words)


@given(WORDS, EDIT)
def test_refolding_touches_nothing_that_stays_as_it_was(words: Words, edit: Words) -> None:
    before = folded(words)
    after_words = {place: value for place, value in {**words, **edit}.items() if value != "gone"}
    first, last = min(edit)[0], max(edit)[0]
    reaching = [span for span in before if span.end is None or span.end >= first]
    change = refold(reaching, last_words(after_words, first, last), first, last)
    assert not set(change.closed) & set(change.opened)
    assert set(change.closed) == set(before) - set(folded(after_words))
