"""A contradiction between a draft and the state, or within the draft, with the words of both sides."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from events.domain_events import Json
from events.revisions import Entry

ERROR, WARNING = "error", "warning"
"""An error cannot be while what is recorded holds; a warning can, if the author means it."""
DEAD_ACT: Final = "dead_act"
TWO_PLACES: Final = "two_places"
OWNERSHIP: Final = "ownership"
UNTOLD: Final = "untold_knowledge"
RELATIONSHIP: Final = "relationship_flip"
REOPENED: Final = "thread_reopened"
OVERDUE: Final = "thread_overdue"
RULE: Final = "world_rule"
ALIAS: Final = "unrevealed_alias"
CONTRADICTED: Final = "contradicted_fact"
PRECONDITION: Final = "precondition"
KINDS: Final = (
    DEAD_ACT, TWO_PLACES, OWNERSHIP, UNTOLD, RELATIONSHIP, REOPENED, OVERDUE, RULE, ALIAS, CONTRADICTED, PRECONDITION,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Finding:
    """`about` names what it is about, by ids: the same finding in another draft of the chapter is about the same.

    `said` is the draft's record (None: it is silent where it should not be), `against` the records that decide. `key` and
    `value` are the state that is contradicted, `since` the chapter since when it holds.
    """

    kind: str
    severity: str
    message: str
    about: tuple[str, ...]
    said: Entry | None
    against: tuple[Entry, ...]
    key: str | None = None
    value: str | None = None
    since: int | None = None

    def name(self, chapter: int) -> str:
        """`<chapter>-<kind>-<what>-<why>`: the first digest is of what it is about, the second of the records that decide."""
        why = sorted(f"{entry.chapter}\x1f{entry.content}" for entry in self.against)
        return f"{chapter}-{self.kind}-{digest((self.kind, *self.about))}-{digest(why)}"


def digest(parts: Sequence[str]) -> str:
    return hashlib.blake2b("\x1e".join(parts).encode("utf-8", "replace"), digest_size=5).hexdigest()


def of_what(name: str) -> tuple[str, str]:
    """A finding's name without the digest of why, and that digest."""
    what, _, why = name.rpartition("-")
    return what, why


def span(said: Entry | None, text: str) -> Json:
    """Where the draft says it."""
    if said is None:
        return None
    start, end = said.evidence[0]
    return {"start": start, "end": end, "quote": text[start:end]}
