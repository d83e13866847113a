"""Records as lines of a packet of weave, and passages found by what is recorded of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from projections.embedding import HashEmbedder
from services.retrieval.packing import Item, cost_of, render, rendered_packet
from services.retrieval.slices import SURE, Slice
from services.retrieval.superseding import Beside
from services.retrieval.weave.board import LINES, Board
from services.retrieval.weave.views import Views
from services.retrieval.wording import content_terms
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, told

ROOFS = " ".join(f"Snow fell on roof number {i} of the town." for i in range(60))
SECRET = "She told him nothing of it, whatever he asked her, and he asked her until the lamps were lit and the ferry had gone."
KEPT = "Mara keeps the brass key from Tomas"
AT = len(f"{ROOFS} {ROOFS} ")


def secret(confidence: float = 1.0, **fields: Any) -> Telling:
    """The middle of the second chapter tells of Mara and Tomas, and names neither."""
    story = Telling()
    story.publish(1, f"Mara found the brass key. Tomas saw her. {ROOFS}", [])
    event = {"summary": KEPT, "participants": ["Mara", "Tomas"], "location": "the ferry", **fields}
    story.publish(2, f"{ROOFS} {ROOFS} {SECRET} {ROOFS}", [
        told("p1", "presence", SECRET, entity="Mara", location="ferry", confidence=confidence),
        told("v1", "event", SECRET, confidence=confidence, **event),
    ])  # fmt: skip
    return story


def slice_of(story: Telling) -> Slice:
    slices = MemorySlices(story, HashEmbedder())
    return slices.slice(slices.resolve(story.story, None, None))


def packed(story: Telling, budget: int = 900, best: int = 1) -> list[Item]:
    """A packet for which the sentences of chapter `best` score highest, and of the others the one that tells of the secret."""
    slice_ = slice_of(story)
    scores = np.where(slice_.sentences.chapters == best, 9.0, 0.0)
    first, last = slice_.sentences.at(2, AT, AT + len(SECRET))
    scores[first:last] = np.maximum(scores[first:last], 5.0)
    items = Board(slice_, Views(len(scores), {}), scores, []).packed(budget)
    assert len(render(items)) <= budget
    return items


def lines(items: list[Item]) -> list[Item]:
    return [item for item in items if item.channel == "facts"]


def test_a_record_whose_text_is_not_shown_is_a_line_with_its_evidence() -> None:
    items = packed(secret())
    assert not any(SECRET in item.text for item in items)
    (line,) = lines(items)
    assert (line.source, line.name, line.type, line.text) == ("record", "2:v1", "event", f"{KEPT}.")
    (span,) = line.evidence
    assert (span.chapter, span.start, span.end) == (2, AT, AT + len(SECRET))


def test_a_line_has_its_id_before_it_and_no_other_heading() -> None:
    items = packed(secret())
    assert f"\n\n[2:v1] {KEPT}.\n\n" in "\n\n" + render(items)
    assert rendered_packet({"items": [item.to_json() for item in items]}) == render(items)


def test_a_place_has_one_line_and_what_happens_goes_before_where_somebody_is() -> None:
    assert [line.name for line in lines(packed(secret()))] == ["2:v1"]


def test_a_line_keeps_what_kind_of_truth_it_is() -> None:
    (line,) = lines(packed(secret(modality="believed")))
    assert line.text == f"{KEPT}. (believed)"


def test_lines_have_a_share_of_the_budget_and_text_the_rest() -> None:
    assert not lines(packed(secret(), budget=300))
    (line,) = lines(packed(secret()))
    assert cost_of(line) <= LINES * 900
    assert sum(map(cost_of, packed(secret()))) > 800


def test_what_is_shown_as_text_has_no_line() -> None:
    items = packed(secret(), budget=9_000, best=2)
    assert any(SECRET in item.text for item in items)
    assert not lines(items)


@pytest.mark.parametrize("confidence", [0.5, 0.7])
def test_records_that_are_not_sure_have_no_line(confidence: float) -> None:
    assert not lines(packed(secret(confidence)))


def test_a_sure_record_among_others_that_are_not_is_no_line_either() -> None:
    story = secret()
    unsure = [told(f"v{n}", "event", f"roof number {n} of", summary=f"Snow {n}", confidence=0.3) for n in range(9)]
    story.publish(3, ROOFS, unsure)
    assert slice_of(story).trust < SURE
    assert not lines(packed(story))


def test_what_a_line_tells_that_holds_no_more_has_what_holds_beside_it_or_is_left_out() -> None:
    story = Telling()
    story.publish(1, f"Mara found the brass key. Tomas saw her. {ROOFS}", [])
    key = told("o1", "object_delta", SECRET, object="brass key", owner="Mara")
    story.publish(2, f"{ROOFS} {ROOFS} {SECRET} {ROOFS}", [key])
    assert [line.name for line in lines(packed(story))] == ["2:o1"]
    gift = "Mara gave the brass key to Tomas."
    story.publish(3, f"{ROOFS} {gift}", [told("o1", "object_delta", gift, object="brass key", owner="Tomas")])
    for budget in range(300, 3_000, 150):
        items = packed(story, budget)
        if any(line.name == "2:o1" for line in lines(items)):
            assert any(gift in item.text or "owner(brass key) = Tomas" in item.text for item in items)


def test_a_passage_is_found_by_what_its_records_say() -> None:
    slice_ = slice_of(secret())
    terms = content_terms("keeps")
    assert not slice_.passage_lexicon.scores(terms).any()
    (found,) = np.flatnonzero(slice_.annotated_lexicon.scores(terms))
    assert SECRET[:40] in slice_.passages[int(found)].text


def test_a_passage_without_a_record_is_counted_as_its_text_is() -> None:
    slice_ = slice_of(secret())
    for term in content_terms("roof town"):
        np.testing.assert_array_equal(slice_.annotated_lexicon.holders(term), slice_.passage_lexicon.holders(term))


def test_records_that_are_not_sure_say_nothing_of_passages() -> None:
    slice_ = slice_of(secret(0.5))
    assert slice_.annotated_lexicon is slice_.passage_lexicon


LOOK = "white hair, black velvet and old lace"


def seen_again(passing: str) -> Slice:
    """Ilse changes her look in chapter 2; chapter 3 tells the old one, where a record is on somebody else."""
    story = Telling()
    for chapter, look in ((1, LOOK), (2, "golden hair and a blue gown")):
        text = f"Ilse had {look}. {ROOFS}"
        record = told("c1", "character_delta", f"Ilse had {look}", character="Ilse", attribute="appearance", value=look)
        story.publish(chapter, text, [record])
    story.publish(
        3, f"{passing} {ROOFS}", [told("v1", "event", passing, summary="Tomas waits", participants=["Tomas"])]
    )
    return slice_of(story)


def test_the_old_look_of_somebody_named_is_past_whoever_the_record_is_on() -> None:
    passing = "Tomas saw Ilse at the window, the white hair on black velvet and lace."
    slice_ = seen_again(passing)
    first, last = slice_.sentences.at(3, 0, len(passing))
    assert Beside(slice_).of_text(passing, range(first, last)) == {"character(Ilse,appearance)"}


def test_the_same_look_of_somebody_else_is_not() -> None:
    passing = "Tomas saw a doll at the window, the white hair on black velvet and lace."
    slice_ = seen_again(passing)
    first, last = slice_.sentences.at(3, 0, len(passing))
    assert not Beside(slice_).of_text(passing, range(first, last))


@pytest.mark.parametrize(("look", "shown"), [(LOOK, False), ("her hat", True)])
def test_a_line_that_says_an_old_look_is_left_out_where_the_new_one_does_not_stand_beside_it(
    look: str, shown: bool
) -> None:
    passing = "Tomas remembered her as she used to be, long ago, when he had been a boy and the ferry had still been rowed by hand."
    story = Telling()
    for chapter, of in ((1, LOOK), (2, "golden hair and a blue gown")):
        record = told("c1", "character_delta", f"Ilse had {of}", character="Ilse", attribute="appearance", value=of)
        story.publish(chapter, f"Ilse had {of}. {ROOFS}", [record])
    event = told("v1", "event", passing, summary=f"Tomas thinks of Ilse with {look}", participants=["Tomas", "Ilse"])
    story.publish(3, f"{ROOFS} {passing}", [event])
    slice_ = slice_of(story)
    scores = np.zeros(len(slice_.sentences))
    scores[5:40], scores[-1] = 9.0, 5.0
    items = Board(slice_, Views(len(scores), {}), scores, []).packed(900)
    assert any(line.name == "3:v1" for line in lines(items)) == shown


def test_a_record_on_two_sentences_is_one_line() -> None:
    both = (
        f"{SECRET} And he never learned it, neither then nor later, although he came back to it as often as he saw her."
    )
    story = Telling()
    story.publish(1, f"Mara found the brass key. Tomas saw her. {ROOFS}", [])
    story.publish(2, f"{ROOFS} {ROOFS} {both} {ROOFS}", [told("v1", "event", both, summary="Mara is silent")])
    assert [line.name for line in lines(packed(story))] == ["2:v1"]


def test_of_the_records_of_a_passage_only_those_that_are_sure_speak_for_it() -> None:
    story = secret(0.7)
    story.publish(3, ROOFS, [told(f"v{n}", "event", f"roof number {n} of", summary=f"Snow {n}") for n in range(9)])
    slice_ = slice_of(story)
    assert slice_.trust >= SURE
    assert not slice_.annotated_lexicon.scores(content_terms("keeps")).any()
