"""What a question about the state is answered with: entries that hold, or records, and the text that they are."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

from events.ids import EntityId
from services.answering.naming import Names
from services.retrieval.cast import Figure
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

MOST: Final = 12
"""Entries that one answer lists."""
NOW: Final = (
    r"(?:\s+(?:now|currently|at (?:the moment|present|this point|this time)|these days|by now|right now|still|any ?more|today))?"
    r"[\s?.!]*$"
)
THING: Final = r"(?P<x>[^?]+?)"


@dataclass(frozen=True, slots=True)
class FromState:
    """An answer with the entries that it is, all of which hold, or the records. `about`: the key or keys looked at."""

    text: str
    entries: tuple[Entry, ...]
    about: str
    records: tuple[int, ...] = ()
    source: Literal["state", "records"] = "state"

    def says(self, chapter: int) -> str:
        """What it was looked up in, for the support trace."""
        return (
            f"what holds after chapter {chapter}: {self.about}"
            if self.source == "state"
            else f"{self.about} up to chapter {chapter}"
        )


Look: TypeAlias = Callable[[Slice, Names, re.Match[str]], FromState | None]


def compiled(rows: Iterable[tuple[str, Look]]) -> Iterator[tuple[re.Pattern[str], Look]]:
    """Wordings with what looks them up, in any case of letters."""
    for pattern, look in rows:
        yield re.compile(pattern, re.IGNORECASE), look


def holding(slice_: Slice, functor: str, subject: EntityId | None = None) -> list[Entry]:
    """The entries of a functor that hold, in the order of their keys; those about one entity if it is given."""
    found = slice_.entries if subject is None else slice_.entries_of_subject.get(subject, ())
    return [entry for entry in found if entry.holds and entry.key.startswith(f"{functor}(")]


def attributes(slice_: Slice, names: Names, figure: Figure | None, *wanted: str) -> list[Entry]:
    """The entries that hold of somebody's attributes of these names, in lower case; none for nobody."""
    found = holding(slice_, "character", figure.id) if figure is not None else []
    return [entry for entry in found if attribute_of(names, entry) in wanted]


def attribute_of(names: Names, entry: Entry) -> str:
    """The attribute of a `character` entry, in lower case."""
    return told_fact(names, entry).split(",")[0].casefold()


def told_fact(names: Names, entry: Entry) -> str:
    """The fact of a `knowledge` entry, or the attribute of a `character` entry: what its key says beside its subject."""
    inside = entry.key[entry.key.index("(") + 1 : -1]
    who = names.of(entry.subjects[0]) if entry.subjects else ""
    return inside[len(who) + 1 :] if who and inside.startswith(f"{who},") else inside


def worded_fact(slice_: Slice, names: Names, entry: Entry) -> str:
    """The fact of a `knowledge` entry in the words of the record that says it last; as its key has it where that names another record."""
    fact = str(slice_.records[entry.support[-1]].payload.get("fact") or "")
    return fact.rstrip(".") if " " in fact.strip() else told_fact(names, entry)


def listed(found: Sequence[Entry], about: str) -> FromState:
    return FromState("; ".join(dict.fromkeys(entry.value for entry in found)), tuple(found[:MOST]), about)
