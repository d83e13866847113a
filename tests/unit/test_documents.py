"""Replies and problems as JSON."""

from __future__ import annotations

import json

import psycopg
import pytest

from events.errors import InvalidChapter, UnknownStory
from services.documents import MalformedJson, decode, encode, problem
from services.local.errors import LocalServiceError


def test_half_a_surrogate_pair_does_not_stop_a_reply() -> None:
    assert json.loads(encode({"a\udc00": ["x\ud83dy"]})) == {"a\ufffd": ["x\ufffdy"]}


def test_a_whole_pair_of_surrogates_becomes_its_character() -> None:
    assert json.loads(encode({"a": "\ud83d\ude00\ud83d"})) == {"a": "😀\ufffd"}


@pytest.mark.parametrize("raw", [b"{", b"", b"[NaN]", b"[-Infinity]", b"[1e999]", b"\xff", b"[" * 100_000, b"1" * 5000])
def test_what_is_no_json_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedJson, match="the body"):
        decode(raw, "the body")


@pytest.mark.parametrize(
    ("raw", "field"),
    [
        (b'{"text": "one", "text": "two"}', "text"),
        (b'{"records": [{"id": "a", "evidence": [{"quote": "x", "start": 1, "quote": "y"}]}]}', "quote"),
        (b'{"\\u0061": 1, "a": 1}', "a"),
    ],
)
def test_a_field_that_is_given_twice_is_named(raw: bytes, field: str) -> None:
    with pytest.raises(MalformedJson, match=f"the body has the field '{field}' twice") as refused:
        decode(raw, "the body")
    assert problem(refused.value)["type"] == "urn:fabula:problem:repeated-field"


def test_the_same_field_in_two_objects_is_no_repetition() -> None:
    assert decode(b'[{"id": 1}, {"id": 1, "in": {"id": 2}}]', "it") == [{"id": 1}, {"id": 1, "in": {"id": 2}}]


def test_json_has_a_hundred_levels_and_not_one_more() -> None:
    assert decode(b"[" * 100 + b"]" * 100, "the body")
    for opened, closed in (b"[", b"]"), (b'{"a":', b"}"):
        deep = opened * 100 + b"[1]" + closed * 100
        with pytest.raises(MalformedJson, match="nested too deeply"):
            decode(deep, "the body")


def test_half_a_surrogate_pair_is_read_as_it_is() -> None:
    assert decode(rb'"\ud83d"', "the body") == "\ud83d"


def test_a_refusal_says_what_to_do_in_its_problem_document() -> None:
    document = problem(InvalidChapter("The text is empty; send at least one character."))
    assert document == {
        "type": "urn:fabula:problem:invalid-chapter",
        "title": "The chapter cannot be published",
        "status": 422,
        "detail": "The text is empty; send at least one character.",
    }


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (UnknownStory("no"), 404),
        (psycopg.OperationalError("connection refused"), 503),
        (LocalServiceError("start it"), 503),
        (psycopg.errors.DiskFull("could not extend file"), 503),
        (psycopg.errors.ReadOnlySqlTransaction("cannot execute INSERT in a read-only transaction"), 503),
        (psycopg.errors.InsufficientPrivilege("permission denied for schema ledger"), 503),
        (psycopg.errors.UndefinedTable("no such table"), 500),
        (psycopg.DataError("PostgreSQL text fields cannot contain NUL (0x00) bytes"), 422),
        (psycopg.errors.UntranslatableCharacter("unsupported Unicode escape sequence: \\u0000"), 422),
        (ValueError("x"), 500),
    ],
)
def test_each_kind_of_error_has_its_status(error: Exception, status: int) -> None:
    assert problem(error)["status"] == status


def test_an_unexpected_error_tells_nothing_of_the_inside() -> None:
    assert "secret" not in problem(ValueError("password=secret"))["detail"]


def test_a_full_disk_is_called_one() -> None:
    assert "Make room" in problem(psycopg.errors.DiskFull("could not extend file"))["detail"]
