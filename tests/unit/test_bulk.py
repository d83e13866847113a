"""Bulk writing: what became of every item counts, whatever the reply as a whole says."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import orjson
import pytest

from projections.search.bulk import MAX_BYTES, Backoff, Operation, Reply, TooManyRequests, batches, write
from projections.search.errors import BulkRejected, ElasticsearchUnavailable

Answer = Callable[[str, int], int]
"""The status of an item, by id and the number of the request (from 1)."""


class Server:
    """A bulk endpoint that answers as it is told to."""

    def __init__(self, answer: Answer, busy: int = 0) -> None:
        self.requests: list[list[str]] = []
        self._answer = answer
        self._busy = busy

    def bulk(self, index: str, lines: bytes) -> Reply:
        parsed = [orjson.loads(line) for line in lines.splitlines()]
        heads = [line for line in parsed if set(line) <= {"index", "delete"}]
        self.requests.append([next(iter(head.values()))["_id"] for head in heads])
        assert all(next(iter(head.values()))["version_type"] == "external" for head in heads)
        if len(self.requests) <= self._busy:
            raise TooManyRequests
        items = [{action: self._item(head["_id"])} for line in heads for action, head in line.items()]
        return {"errors": False, "items": items}

    def _item(self, name: str) -> dict[str, Any]:
        status = self._answer(name, len(self.requests))
        return {"_id": name, "status": status} | ({"error": {"type": "some_error"}} if status >= 400 else {})


class Waits:
    def __init__(self) -> None:
        self.seconds: list[float] = []

    def backoff(self, attempts: int = 8) -> Backoff:
        return Backoff(attempts=attempts, sleep=self.seconds.append, random=lambda: 0.5)


def operations(count: int) -> list[Operation]:
    return [Operation(f"d{i}", 7, {"text": "x"}) for i in range(count)]


def test_three_conflicts_are_successes_and_the_one_without_room_is_sent_again_alone() -> None:
    statuses = {"d5": 409, "d6": 409, "d7": 409, "d499": 429}
    server = Server(lambda name, request: 201 if request > 1 else statuses.get(name, 201))
    waits = Waits()
    assert write(server, "i", operations(500), waits.backoff()) == 3
    assert [len(request) for request in server.requests] == [500, 1]
    assert server.requests[1] == ["d499"]
    assert len(waits.seconds) == 1


def test_waits_grow_and_end_with_an_error_that_says_what_to_do() -> None:
    waits = Waits()
    with pytest.raises(ElasticsearchUnavailable, match="no room for 1 documents after 4 attempts"):
        write(Server(lambda name, request: 429), "i", operations(1), waits.backoff(attempts=4))
    assert waits.seconds == [0.1, 0.2, 0.4]


def test_a_request_without_room_as_a_whole_is_sent_again_as_a_whole() -> None:
    server = Server(lambda name, request: 201, busy=2)
    write(server, "i", operations(3), Waits().backoff())
    assert [len(request) for request in server.requests] == [3, 3, 3]


def test_a_refused_document_is_an_error_although_the_reply_is_a_success() -> None:
    with pytest.raises(BulkRejected, match="d1: 400"):
        write(Server(lambda name, request: 400 if name == "d1" else 201), "i", operations(3), Waits().backoff())


@pytest.mark.parametrize("reply", [{}, {"items": []}, {"errors": False}, {"items": "?"}])
def test_a_reply_that_does_not_answer_for_every_document_is_an_error(reply: Reply) -> None:
    class Odd:
        def bulk(self, index: str, lines: bytes) -> Reply:
            return reply

    with pytest.raises(ElasticsearchUnavailable, match="does not answer for 2 documents"):
        write(Odd(), "i", operations(2), Waits().backoff())


def test_an_item_without_a_status_is_an_error() -> None:
    with pytest.raises(BulkRejected):
        write(Server(lambda name, request: 0), "i", operations(1), Waits().backoff())


def test_deleting_what_is_not_there_is_a_success() -> None:
    assert write(Server(lambda name, request: 404), "i", [Operation("d1", 9, None)], Waits().backoff()) == 0


def test_requests_are_bounded_in_number_and_size() -> None:
    large = [Operation(f"d{i}", 1, {"text": "x" * (MAX_BYTES // 2)}) for i in range(3)]
    assert [len(batch) for batch in batches(operations(1201))] == [500, 500, 201]
    assert [len(batch) for batch in batches(large)] == [1, 1, 1]


def test_nothing_to_write_asks_nothing() -> None:
    server = Server(lambda name, request: 201)
    assert (write(server, "i", [], Waits().backoff()), server.requests) == (0, [])
