"""What travels on the broker: one JSON message a publication, keyed by its story.

The text always travels as a reference (its hash), so a takedown erases it in one place. Records travel along unless the
message would pass the broker's limit: then the message is a claim on them. The ledger has everything in either case.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import orjson

from events.chapters import MESSAGE_SCHEMA, Publication
from events.errors import InvalidInput
from services.publishing.validation import story_id

DEAD_LETTER_SCHEMA: Final = "fabula.dead-letter/1"
DEFAULT_MAX_MESSAGE: Final = 900_000
"""Bytes; the broker's own default limit is 1,048,588 for a batch with its headers."""

_LARGEST: Final = 2**31 - 1

Headers = list[tuple[str, bytes]]


@dataclass(frozen=True, slots=True)
class Delivered:
    """Which publication a message is about. Whoever takes it in reads it from the ledger."""

    story: str
    sequence: int
    chapter: int
    revision: int

    @classmethod
    def of(cls, publication: Publication) -> Delivered:
        return cls(publication.story, publication.sequence, publication.chapter, publication.revision)


class Poison(InvalidInput):
    """A message that nobody can read. It is kept with its raw bytes as a dead letter."""

    title = "The message cannot be read"
    slug = "poison"


def encode(publication: Publication, max_bytes: int = DEFAULT_MAX_MESSAGE) -> bytes:
    """The message of a publication, at most `max_bytes` long unless a claim alone is longer (it has about 1 kB)."""
    message = orjson.dumps({**publication.to_json(), "claim": False})
    if len(message) <= max_bytes:
        return message
    return orjson.dumps({**publication.without_records().to_json(), "decision": {}, "claim": True})


def headers(publication: Publication) -> Headers:
    return [("schema", MESSAGE_SCHEMA.encode()), ("correlation", publication.id.encode())]


def decode(raw: bytes | None) -> Delivered:
    """Read a message. Raises `Poison`."""
    if raw is None:
        raise Poison("The message has no value; a publication message is a JSON object.")
    try:
        delivered = Delivered.of(Publication.from_json(orjson.loads(raw)))
        story_id(delivered.story)
    except (orjson.JSONDecodeError, InvalidInput) as error:
        raise Poison(f"The message is no publication: {error}") from None
    if max(delivered.sequence, delivered.chapter, delivered.revision) > _LARGEST:
        raise Poison("The message is no publication: a number in it is out of range.")
    return delivered
