"""What two people are to each other and what one thinks of the other, as it is recorded: friends, rivals, who trusts whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from events.ids import EntityId
from services.answering.kinship import NOT_SO
from services.answering.looking import MOST, NOW, THING, FromState, Look, compiled
from services.answering.naming import Names
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_STILL: Final = r"(?:still |now |really )?"
_MARRIED: Final = re.compile(
    r"^(?:married(?: to)?|husband(?: of)?|wife(?: of)?|spouse(?: of)?|husband and wife)$", re.IGNORECASE
)
_BETWEEN: Final = re.compile(r"\s*(?:and|still|now|really)?\s*", re.IGNORECASE)
_LEADING: Final = re.compile(r"^(?:['’]s?)?\s*(?:(?:still|now|really|a|an|the)\s+)*", re.IGNORECASE)


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask for it, each with what looks it up."""
    verb = r"(?P<r>[\w-]+)"
    return compiled(
        (
            (rf"^(?:are|were) (?P<both>[^?]+?){NOW}", _are),
            (rf"^is {THING} {_STILL}(?:a |an |the )?(?P<r>[\w-]+) (?:of|to|with) (?P<y>[^?]+?){NOW}", _is),
            (rf"^is (?P<both>[^?]+?['’]s? [\w-]+){NOW}", _are),
            (rf"^(?:does|do) (?P<both>[^?]+?){NOW}", _does),
            (rf"^whom? (?:does|do) {THING} {_STILL}{verb}{NOW}", _whom),
            (rf"^who {_STILL}(?P<r>[\w-]+s) {THING}{NOW}", _who),
            (rf"^who is {THING}['’]s? (?P<r>[\w-]+){NOW}", _who),
            (rf"^who is the (?P<r>[\w-]+) (?:of|to) {THING}{NOW}", _who),
            (rf"^is {THING} {_STILL}married{NOW}", _married),
        )
    )


def _are(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Of `Mara and Tomas friends` and `Mara Tomas's friend`: two names, and what they are to each other behind them."""
    text = match["both"]
    named = names.in_text(text)
    if len(named) != 2 or named[0].start or _BETWEEN.fullmatch(text[named[0].end : named[1].start]) is None:
        return None
    relation = _LEADING.sub("", text[named[1].end :])
    return _whether(slice_, named[0].figure.id, named[1].figure.id, relation, directed=False)


def _does(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Of `Mara trust Tomas`: a name, a verb, a name, and nothing else."""
    text = match["both"]
    named = names.in_text(text)
    if len(named) != 2 or named[0].start or named[1].end != len(text):
        return None
    verb = _LEADING.sub("", text[named[0].end : named[1].start]).strip()
    return _whether(slice_, named[0].figure.id, named[1].figure.id, verb, directed=True) if verb.isalpha() else None


def _is(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    one, other = names.meant(match["x"]), names.meant(match["y"])
    return _whether(slice_, one.id, other.id, match["r"], directed=False) if one and other else None


def _whether(slice_: Slice, one: EntityId, other: EntityId, relation: str, *, directed: bool) -> FromState | None:
    """Yes where it is recorded and holds; no where it was, and something else holds in its place."""
    between = [e for e in _entries(slice_, one) if one != other and {one, other} == set(e.subjects)]
    if directed:
        between = [e for e in between if _runs(e, one)]
    said = [entry for entry in between if _says(entry, relation)]
    holds = [entry for entry in said if entry.holds]
    if holds:
        return FromState("Yes", (holds[0],), holds[0].key)
    now = next((e for past in said for e in between if e.holds and e.key == past.key), None)
    return FromState(f"No: {now.value}", (now,), now.key) if now is not None else None


def _whom(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _others(slice_, names, match, to=False)


def _who(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _others(slice_, names, match, to=True)


def _others(slice_: Slice, names: Names, match: re.Match[str], *, to: bool) -> FromState | None:
    """Those to whom somebody is it now or, with `to`, who are it to him."""
    figure = names.meant(match["x"])
    if figure is None:
        return None
    found = [e for e in _entries(slice_, figure.id) if e.holds and _runs(e, figure.id, to=to) and _says(e, match["r"])]
    kept = found[:MOST]
    who = dict.fromkeys(names.of(subject) for entry in kept for subject in entry.subjects if subject != figure.id)
    return FromState(", ".join(who), tuple(kept), kept[0].key) if kept else None


def _married(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Yes while somebody is husband or wife to another."""
    figure = names.meant(match["x"])
    found = [e for e in _entries(slice_, figure.id) if e.holds and not NOT_SO.search(e.value)] if figure else []
    spouse = next((e for e in found if _MARRIED.search(e.value)), None)
    return FromState("Yes", (spouse,), spouse.key) if spouse is not None else None


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
    return bool(wanted) and wanted <= there and not NOT_SO.search(entry.value)
