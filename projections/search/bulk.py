"""Bulk writing with external versions: the version of a document is the position of the event that last changed it.

Writing something again, or something older, is refused as a conflict and so does no harm: a conflict is a success. What
the server had no room for is sent again, and that alone. The status of the reply as a whole says nothing: every item has its own.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, TypeAlias

import orjson

from projections.search.errors import BulkRejected, ElasticsearchUnavailable

MAX_OPERATIONS: Final = 500
MAX_BYTES: Final = 5_000_000
_NEWER_EXISTS, _NO_ROOM, _NOT_FOUND = 409, 429, 404

Reply: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Operation:
    """A document as it is from log position `version` on; without a body it is deleted."""

    id: str
    version: int
    body: dict[str, Any] | None

    @property
    def action(self) -> str:
        return "delete" if self.body is None else "index"

    def lines(self) -> bytes:
        head = {self.action: {"_id": self.id, "version": self.version, "version_type": "external"}}
        body = b"" if self.body is None else orjson.dumps(self.body) + b"\n"
        return orjson.dumps(head) + b"\n" + body


class BulkEndpoint(Protocol):
    """`POST <index>/_bulk`. Raises `ElasticsearchUnavailable`; a reply of status 429 as a whole is `TooManyRequests`."""

    def bulk(self, index: str, lines: bytes) -> Reply: ...


class TooManyRequests(Exception):
    """The whole request found no room."""


@dataclass(frozen=True, slots=True)
class Backoff:
    """Waits before a retry: doubling from `first` seconds up to `longest`, each times a random factor of 0.5 to 1.5."""

    attempts: int = 8
    first: float = 0.1
    longest: float = 10.0
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = random.random

    def wait(self, attempt: int) -> None:
        self.sleep(min(self.longest, self.first * 2.0**attempt) * (0.5 + self.random()))


def write(endpoint: BulkEndpoint, index: str, operations: Iterable[Operation], backoff: Backoff) -> int:
    """Writes all operations; how many of them the index already had, or had newer.

    Raises `ElasticsearchUnavailable` when there is no room after the last attempt, `BulkRejected` for documents that are refused.
    """
    return sum(_write_batch(endpoint, index, batch, backoff) for batch in batches(operations))


def _write_batch(endpoint: BulkEndpoint, index: str, batch: Sequence[Operation], backoff: Backoff) -> int:
    known = 0
    for attempt in range(backoff.attempts):
        try:
            conflicts, batch = _judged(endpoint.bulk(index, b"".join(o.lines() for o in batch)), batch)
            known += conflicts
        except TooManyRequests:
            pass
        if not batch:
            return known
        if attempt + 1 < backoff.attempts:
            backoff.wait(attempt)
    raise ElasticsearchUnavailable("indexing", f"no room for {len(batch)} documents after {backoff.attempts} attempts")


def _judged(reply: Reply, sent: Sequence[Operation]) -> tuple[int, list[Operation]]:
    """How many items were known already, and those to be sent again. Raises `BulkRejected`."""
    items = reply.get("items")
    if not isinstance(items, list) or len(items) != len(sent):
        raise ElasticsearchUnavailable("indexing", f"the reply does not answer for {len(sent)} documents")
    known, again, refused = 0, [], []
    for operation, item in zip(sent, items, strict=True):
        result = item.get(operation.action) or {}
        status = result.get("status", 0)
        if status == _NEWER_EXISTS:
            known += 1
        elif status == _NO_ROOM:
            again.append(operation)
        elif not 200 <= status < 300 and not (status == _NOT_FOUND and operation.body is None):
            refused.append(f"{operation.id}: {status} {orjson.dumps(result.get('error', result)).decode()[:200]}")
    if refused:
        raise BulkRejected(refused)
    return known, again


def batches(operations: Iterable[Operation]) -> Iterator[list[Operation]]:
    """Requests of bounded size; a document that is larger than the bound goes alone."""
    batch: list[Operation] = []
    size = 0
    for operation in operations:
        length = len(operation.lines())
        if batch and (len(batch) >= MAX_OPERATIONS or size + length > MAX_BYTES):
            yield batch
            batch, size = [], 0
        batch.append(operation)
        size += length
    if batch:
        yield batch
