"""A draft against the state: what is a contradiction, and what only looks like one."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from events.revisions import RevisionState, entry_of
from events.sidecar import validate
from events.story_index import StoryIndex
from services.auditing.checking.checking import check, check_read
from services.auditing.checking.cues import is_dead, sentences
from services.auditing.checking.findings import of_what
from services.evaluation.checking import stories
from services.evaluation.checking.suite import _outcome as outcome
from services.evaluation.checking.suite import edits, right

FIRST = (
    "Mara had the brass key. Ilse and Mara were friends. Tomas lay dead on the stairs. The will was found, and that was the "
    "end of it. No ship may leave on a Friday. Mara alone knew that the lamp was false. The will lay at the mill."
)


def record(kind: str, quote: str, **fields: Any) -> dict[str, Any]:
    return {"kind": kind, "evidence": [{"quote": quote}], **fields}


BASE = [
    record("entity", "Mara", type="character", name="Mara"),
    record("entity", "Ilse", type="character", name="Ilse"),
    record("entity", "Tomas", type="character", name="Tomas"),
    record("entity", "brass key", type="object", name="brass key"),
    record("entity", "will", type="object", name="will"),
    record("object_delta", "Mara had the brass key", object="brass key", owner="Mara"),
    record("object_delta", "The will lay at the mill", object="will", location="the mill"),
    record("character_delta", "Tomas lay dead", character="Tomas", attribute="status", value="dead"),
    record("relationship_delta", "were friends", source="Ilse", target="Mara", relation="friends", polarity=0.8),
    record("thread", "The will was found", thread="the lost will", status="paid_off"),
    record("world_rule", "No ship may leave", rule="Fridays", statement="No ship may leave on a Friday."),
    record("knowledge", "Mara alone knew", knower="Mara", fact="the lamp was false"),
]


@pytest.fixture
def index() -> StoryIndex:
    return told({1: (FIRST, BASE)})


def told(chapters: dict[int, tuple[str, list[dict[str, Any]]]]) -> StoryIndex:
    texts = {str(number): text for number, (text, _) in chapters.items()}
    index = StoryIndex("s", texts.get)
    for number, (text, records) in chapters.items():
        entries = [
            entry_of(r, ((at := text.index(r["evidence"][0]["quote"]), at + 3),), n, (number, number, 1))
            for n, r in enumerate(numbered(records))
        ]
        index.take(number, RevisionState(number, 1, str(number), sorted(entries, key=lambda e: e.place)))
    return index


def numbered(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return validate([{"id": f"r{n}", **r} for n, r in enumerate(records)])


def kinds(index: StoryIndex, text: str, *records: dict[str, Any], after: int = 1, **more: Any) -> list[str]:
    return [finding.kind for _, finding in check(index, text, numbered(list(records)), after, **more).findings]


WRONG = [
    ("dead_act", "Tomas poured the tea.", record("event", "Tomas", summary="Tomas pours tea.", participants=["Tomas"])),
    ("ownership", "On Ilse hung the brass key.", record("object_delta", "brass key", object="brass key", owner="Ilse")),
    ("two_places", "At the inn the will stood open.", record("object_delta", "will", object="will", location="the inn")),
    ("untold_knowledge", "Ilse had it: the lamp was false.", record("knowledge", "Ilse", knower="Ilse", fact="The lamp was false")),
    ("relationship_flip", "Ilse and Mara were foes.",
     record("relationship_delta", "foes", source="Ilse", target="Mara", relation="foes", polarity=-0.8)),
    ("thread_reopened", "The will was still to find.", record("thread", "will", thread="the lost will", status="advanced")),
    ("world_rule", "On a Friday the ship left.", record("event", "ship", summary="A ship leaves on Friday.")),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "text", "said"), WRONG)
def test_a_contradiction_is_found(index: StoryIndex, kind: str, text: str, said: dict[str, Any]) -> None:
    assert kinds(index, text, said) == [kind]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Tomas came up the stair and asked for his hat.", ["dead_act"]),
        ("At the quay Tomas opened the door.", ["dead_act"]),
        ("They spoke of Tomas. His boots stood in the hall.", []),
        ("Tomas would have laughed.", []),
        ("Tomas had built the stair.", []),
        ("“Tomas came up the stair,” said Mara.", []),
        ("Mara dreamt that Tomas came up the stair.", []),
        ("Tomas's brother came up the stair.", []),
        ("Mara came up the stair.", []),
    ],
)
def test_a_draft_without_records_is_read_with_the_names_that_the_story_knows(
    index: StoryIndex, text: str, found: list[str]
) -> None:
    checked = check_read(index, text, [], 1)
    assert [finding.kind for _, finding in checked.findings] == found
    assert index.chapters == [1]


@pytest.mark.parametrize("modality", ["dream", "past", "reported", "hypothetical", "planned", "believed"])
@pytest.mark.parametrize(("kind", "text", "said"), WRONG[:6])
def test_what_does_not_happen_contradicts_nothing(
    index: StoryIndex, kind: str, text: str, said: dict[str, Any], modality: str
) -> None:
    assert kinds(index, text, {**said, "modality": modality}) == []


def test_a_gift_makes_another_owner_lawful(index: StoryIndex) -> None:
    text = "Mara gave Ilse the brass key. It hung at her belt."
    assert kinds(index, text, record("object_delta", "It hung", object="brass key", owner="Ilse")) == []


def test_a_secret_that_is_told_first_may_be_known(index: StoryIndex) -> None:
    text = "Mara told Ilse that the lamp was false. Now Ilse had it too."
    tells = record("interaction", "Mara told", source="Mara", target="Ilse", type="tells", summary="the lamp was false")
    assert kinds(index, text, tells, record("knowledge", "Now Ilse", knower="Ilse", fact="the lamp was false")) == []


def test_a_planned_chapter_that_is_past_makes_an_open_thread_overdue(index: StoryIndex) -> None:
    opened = told({1: (FIRST, [record("thread", "The will", thread="the feud", status="opened")])})
    assert kinds(opened, "Nothing happened.", due={"the feud": 2}) == ["thread_overdue"]
    assert kinds(opened, "Nothing happened.", due={"the feud": 3}) == []
    closes = record("thread", "Peace", thread="the feud", status="paid_off")
    assert kinds(opened, "Peace.", closes, due={"the feud": 2}) == []


def test_a_precondition_that_does_not_hold_is_told(index: StoryIndex) -> None:
    needs = record("event", "door", summary="It opens.", requires=[{"key": "owner(brass key)", "value": "Ilse"}])
    assert kinds(index, "The door opened.", needs) == ["ownership"]


def test_a_finding_keeps_its_name_until_what_decides_it_changes(index: StoryIndex) -> None:
    _, text, said = WRONG[0]
    [(name, _)] = check(index, text, numbered([said]), 1).findings
    [(same, _)] = check(index, f"It rained. {text}", numbered([{**said, "scene": 3}]), 1).findings
    other = told({1: (FIRST, [r if r.get("value") != "dead" else {**r, "value": "drowned"} for r in BASE])})
    [(moved, _)] = check(other, text, numbered([said]), 1).findings
    assert same == name
    assert of_what(moved)[0] == of_what(name)[0]
    assert moved != name


def test_later_chapters_have_no_part_in_it(index: StoryIndex) -> None:
    _, text, said = WRONG[0]
    alive = record("character_delta", "alive", character="Tomas", attribute="status", value="alive")
    later = told({1: (FIRST, BASE), 2: ("Tomas was alive.", [alive]), 3: ("Tomas, the stranger, sang.", [
        record("entity", "Tomas", type="character", name="Tomas", aliases=["the stranger"])])})  # fmt: skip
    ours, theirs = (check(i, text, numbered([said]), 1) for i in (index, later))
    assert [(n, f.message) for n, f in ours.findings] == [(n, f.message) for n, f in theirs.findings]


@pytest.mark.parametrize(
    ("status", "dead"),
    [("dead", True), ("drowned", True), ("said to be dead", False), ("many drowned", False), ("ill", False)],
)
def test_only_the_certain_dead_are_dead(status: str, dead: bool) -> None:
    assert is_dead(status) is dead


@settings(max_examples=100)
@given(st.text(alphabet="ab .!?\n\"'”", max_size=60))
def test_sentences_cover_a_text_without_gaps(text: str) -> None:
    found = sentences(text)
    assert all(a[1] == b[0] for a, b in pairwise(found))
    assert text[found[-1][1] :].strip() == "" if found else text.strip() == ""


def test_the_seeded_edits_of_a_chapter_are_told_apart() -> None:
    serial = stories.demo()
    for index, chapter in serial.indexed():
        if chapter.number == 8:
            case = check(index, chapter.text, chapter.records, 7).case
            found = [
                outcome(e, check(index, e.text, e.records, e.after, e.paragraph.due))
                for e in edits(index, case, "s", chapter)
            ]
            seeded = [o for o in found if o.edit.paragraph.kind]
            clean = [o for o in found if not o.edit.paragraph.kind]
            assert sum(map(right, seeded)) >= 0.85 * len(seeded)
            assert sum(not right(o) for o in clean) <= 0.1 * len(clean)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Ilse and Mara were enemies now.", ["relationship_flip"]),
        ("Ilse could not stand Mara, and everybody knew it.", ["relationship_flip"]),
        ("Ilse and Mara were the best of friends.", []),
        ("As children Ilse and Mara had been enemies.", []),
        ("“Ilse hates Mara,” said the miller.", []),
        ("Ilse was the enemy of nobody.", []),
        ("Ilse found out that Mara had betrayed her, and they quarrelled. Ilse and Mara were enemies now.", []),
    ],
)
def test_who_are_called_friends_or_enemies_is_read_where_the_draft_names_both(
    index: StoryIndex, text: str, found: list[str]
) -> None:
    assert [finding.kind for _, finding in check_read(index, text, [], 1).findings] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("So the old feud was settled.", []),
        ("And the feud came to its end.", []),
        ("Mara mended a chair.", ["thread_overdue"]),
        ("They were no nearer to an end of the feud.", ["thread_overdue"]),
        ("Mara spoke of the feud.", ["thread_overdue"]),
    ],
)
def test_a_thread_that_a_draft_without_records_says_to_be_at_its_end_is_not_overdue(
    text: str, found: list[str]
) -> None:
    opened = told({1: (FIRST, [record("thread", "The will", thread="the feud", status="opened")])})
    checked = check_read(opened, text, [], 1, {"the feud": 2})
    assert [finding.kind for _, finding in checked.findings] == found


READ = [
    ("dead_act", "Ilse found Tomas at the table, peeling an apple."),
    ("dead_act", "Tomas was in high good humour."),
    ("ownership", "From Ilse’s belt hung the brass key."),
    ("ownership", "Ilse turned the brass key over and over."),
    ("ownership", "“Mine,” said Ilse, and patted the pocket with the brass key in it."),
    ("two_places", "At the inn the will stood on the sill."),
    ("two_places", "Ilse sat at the inn. At that moment Ilse lay at the mill."),
    ("untold_knowledge", "Ilse knew well that the lamp held oil and salt."),
    ("untold_knowledge", "“Do not pretend,” said Ilse. “The lamp held oil and salt.”"),
    ("untold_knowledge", "Ilse was quite certain of it. The lamp held oil and salt."),
    ("thread_reopened", "They were no nearer to an end of the lost will."),
    ("unrevealed_alias", "Ilse, whom the children called Mara, came in."),
]
READ_RIGHT = [
    "Ilse found out that Tomas had lied.",
    "Ilse unfolded the letter. In it Tomas asked for a fire.",
    "Ilse had not forgotten Tomas.",
    "Mara turned the brass key over and over.",
    "Ilse carried the brass key to the mill.",
    "Ilse asked to see the brass key.",
    "Ilse sat at the inn. In the evening Ilse lay at the mill.",
    "Ilse was at the mill, and meant to be at the inn by Friday.",
    "Ilse wondered whether the lamp held oil and salt.",
    "“Can it be that the lamp held oil and salt?” asked Ilse.",
    "Ilse had no notion that the lamp held oil and salt.",
    "The lost will was done with.",
    "It turned out that Ilse was Mara.",
]


@pytest.fixture
def furnished() -> StoryIndex:
    more = [
        record("entity", "the mill", type="location", name="the mill"),
        record("entity", "The inn", type="location", name="the inn"),
        record("knowledge", "Mara knew it", knower="Mara", fact="The lamp held oil and salt"),
    ]
    return told({1: (f"{FIRST} The inn was shut. Mara knew it.", [*BASE, *more])})


@pytest.mark.parametrize(("kind", "text"), READ)
def test_a_draft_is_read_with_the_names_that_the_story_knows(furnished: StoryIndex, kind: str, text: str) -> None:
    assert kind in [finding.kind for _, finding in check_read(furnished, text, [], 1).findings]


@pytest.mark.parametrize("text", READ_RIGHT)
def test_nothing_is_read_into_a_draft_that_it_does_not_say(furnished: StoryIndex, text: str) -> None:
    assert not check_read(furnished, text, [], 1).findings
