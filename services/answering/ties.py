"""What two people are to each other and what one thinks of the other, as it is recorded: friends, rivals, who trusts whom."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from events.ids import EntityId
from services.answering.looking import MOST, NOW, THING, FromState, Look
from services.answering.naming import Names
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_STILL: Final = r"(?:still |now |really )?"
_NOT_SO: Final = re.compile(
    r"\b(?:not|no|never|former|formerly|once|ex|almost|false|supposed|pretended|alleged|would-be|estranged)\b",
    re.IGNORECASE,
)
"""Words of a relation that make it another."""


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask for it, each with what looks it up."""
    verb = r"(?P<r>[\w-]+)"
    for pattern, look in (
        (rf"^(?:are|were) {THING} and (?P<y>[^?]+?) {_STILL}(?P<r>[\w-]+(?: [\w-]+)?){NOW}", _are),
        (rf"^is {THING} {_STILL}(?:a |an |the )?(?P<r>[\w-]+) (?:of|to|with) (?P<y>[^?]+?){NOW}", _is),
        (rf"^is {THING} {_STILL}(?P<y>[^?]+?)['’]s? (?P<r>[\w-]+){NOW}", _is),
        (rf"^(?:does|do) {THING} {_STILL}{verb} (?P<y>[^?]+?){NOW}", _does),
        (rf"^whom? (?:does|do) {THING} {_STILL}{verb}{NOW}", _whom),
        (rf"^who {_STILL}(?P<r>[\w-]+s) {THING}{NOW}", _who),
    ):
        yield re.compile(pattern, re.IGNORECASE), look


def _are(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _whether(slice_, names, match, directed=False)


def _is(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _whether(slice_, names, match, directed=False)


def _does(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _whether(slice_, names, match, directed=True)


def _whether(slice_: Slice, names: Names, match: re.Match[str], *, directed: bool) -> FromState | None:
    """Yes where it is recorded and holds; no where it was, and something else holds in its place."""
    one, other = names.meant(match["x"]), names.meant(match["y"])
    if one is None or other is None or one.id == other.id:
        return None
    between = [e for e in _entries(slice_, one.id) if {one.id, other.id} == set(e.subjects)]
    if directed:
        between = [e for e in between if _runs(e, one.id)]
    said = [entry for entry in between if _says(entry, match["r"])]
    holds = [entry for entry in said if entry.holds]
    if holds:
        return FromState("Yes", (holds[0],), holds[0].key)
    now = next((e for past in said for e in between if e.holds and e.key == past.key), None)
    return FromState(f"No: {now.value}", (now,), now.key) if now is not None else None


def _whom(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    figure = names.meant(match["x"])
    found = [e for e in _entries(slice_, figure.id) if e.holds and _runs(e, figure.id)] if figure else []
    return _others(names, [e for e in found if _says(e, match["r"])], figure.id) if figure else None


def _who(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    figure = names.meant(match["x"])
    found = [e for e in _entries(slice_, figure.id) if e.holds and _runs(e, figure.id, to=True)] if figure else []
    return _others(names, [e for e in found if _says(e, match["r"])], figure.id) if figure else None


def _others(names: Names, found: Sequence[Entry], figure: EntityId) -> FromState | None:
    kept = list(found[:MOST])
    who = dict.fromkeys(names.of(subject) for entry in kept for subject in entry.subjects if subject != figure)
    return FromState(", ".join(who), tuple(kept), kept[0].key) if kept else None


def _entries(slice_: Slice, figure: EntityId) -> list[Entry]:
    return [
        entry
        for entry in slice_.entries
        if figure in entry.subjects and entry.key.startswith("relationship(") and len(set(entry.subjects)) == 2
    ]


def _runs(entry: Entry, figure: EntityId, *, to: bool = False) -> bool:
    """Whether a relation is what somebody is, or thinks, to the other; with `to`: the other to him. A joint one is both."""
    if "->" not in entry.key:
        return True
    return entry.subjects[1 if to else 0] == figure


def _says(entry: Entry, relation: str) -> bool:
    """Whether a relation has the words that are asked for, and none that makes it another."""
    wanted = set(terms(relation)) - FUNCTION_TERMS
    there = set(terms(entry.value))
    return bool(wanted) and wanted <= there and not _NOT_SO.search(entry.value)
