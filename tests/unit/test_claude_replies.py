"""S39: replies in every shape are read, or refused aloud; never is one silently empty."""

from __future__ import annotations

import json

import pytest

from services.extraction.claude.errors import ReplyUnreadable
from services.extraction.claude.replies import listed

ONE = [{"id": "e1", "kind": "entity"}]
PLAIN = json.dumps({"records": ONE})


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        json.dumps(ONE),
        f"```json\n{PLAIN}\n```",
        f"<think>The text says {{nothing}} of [it].</think>\n{PLAIN}",
        f"Here is what {{I}} found: {PLAIN} Anything else?",
        f"Records: {json.dumps(ONE)}",
        PLAIN.replace("}]}", "},]}"),
    ],
    ids=[
        "plain",
        "list instead of object",
        "code fence",
        "think prefix",
        "prose with braces",
        "list in prose",
        "comma",
    ],
)
def test_s39_a_reply_in_another_shape_is_read(text: str) -> None:
    assert listed(text) == ONE


@pytest.mark.parametrize(
    "text",
    ["", "I found nothing of note.", PLAIN[:-6], '{"entities": []}', '{"records": "none"}', "[1, 2]", "[" * 100_000],
    ids=["empty", "prose", "cut off", "other object", "no list", "no records", "too deep"],
)
def test_s39_a_reply_that_lists_no_records_is_refused_and_not_taken_for_an_empty_one(text: str) -> None:
    with pytest.raises(ReplyUnreadable):
        listed(text)


def test_an_empty_list_is_an_empty_list() -> None:
    assert listed('{"records": []}') == []


def test_s39_half_a_character_does_not_cost_the_reply() -> None:
    assert len(listed('{"records": [{"id": "e1", "name": "\\ud83d"}]}')) == 1
