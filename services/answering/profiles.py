"""What somebody looks like, has, and has become, since when, and what a chapter changed: by records that hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from events.ids import EntityId
from services.answering.facts import SAME, held, may_be_one
from services.answering.looking import (
    MOST,
    NOW,
    THING,
    FromState,
    Look,
    attributes,
    compiled,
    holding,
    told_fact,
    worded_fact,
)
from services.answering.naming import Names
from services.retrieval.cast import Figure
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_HAD: Final = r"(?:had|owned|held|kept|carried|possessed|worn)"


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask for it, each with what looks it up."""
    return compiled(
        (
            (
                rf"^(?:which|what) promises (?:were|have been|are) (?P<how>kept|broken|fulfilled|abandoned){NOW}",
                _ended_promises,
            ),
            (rf"^what (?:do|does|did) {THING} look like{NOW}", _looks),
            (rf"^how (?:do|does) {THING} look{NOW}", _looks),
            (rf"^how old (?:does|do) {THING} look{NOW}", _looks),
            (rf"^how old (?:is|are) {THING}{NOW}", _age),
            (
                rf"^what (?:has |have )?(?:become|became|becomes|happened|happens) (?:of|to|with) {THING}(?: after [^?]+?)?{NOW}",
                _status,
            ),
            (
                rf"^what (?:do|does) {THING} (?:have|own|possess|carry|hold)(?: with (?:him|her|them))?{NOW}",
                _belongings,
            ),
            (rf"^since when (?:has|have) {THING} {_HAD} (?P<y>[^?]+?){NOW}", _had_since),
            (rf"^(?:for )?how long (?:has|have) {THING} {_HAD} (?P<y>[^?]+?){NOW}", _had_since),
            (
                rf"^since when (?:does|do|has|have) {THING} (?:know|known)(?: that| of| about)? (?P<f>[^?]+?){NOW}",
                _known_since,
            ),
            (
                rf"^when did {THING} (?:learn|find out|hear|discover)(?: that| of| about)? (?P<f>[^?]+?){NOW}",
                _known_since,
            ),
            (
                rf"^how (?:does|do|did) {THING} (?:know|learn|find out)(?: that| of| about)? (?P<f>[^?]+?){NOW}",
                _known_by,
            ),
            (rf"^what (?:has )?change[sd] (?:for|with|about|of) {THING} in chapter (?P<n>\d{{1,6}}){NOW}", _changed),
        )
    )


def _looks(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _attribute(slice_, names.meant(match["x"]), names, ("appearance", "look", "looks"))


def _age(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _attribute(slice_, names.meant(match["x"]), names, ("age",))


def _status(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _attribute(slice_, names.meant(match["x"]), names, ("status",))


def _attribute(slice_: Slice, figure: Figure | None, names: Names, wanted: Sequence[str]) -> FromState | None:
    """The values that hold of an attribute, the latest first."""
    found = [e for e in attributes(slice_, names, figure, *wanted) if e.value]
    found.sort(key=lambda e: (-e.valid_from, e.key))
    said = dict.fromkeys(e.value for e in found)
    return FromState("; ".join(said), tuple(found[:MOST]), found[0].key) if found else None


def _belongings(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """What somebody owns; what the records do not say is not taken for nothing."""
    figure = names.meant(match["x"])
    found = [e for e in holding(slice_, "owner") if figure and _is_of(names, e, figure.id)][:MOST]
    things = dict.fromkeys(names.of(e.subjects[0]) for e in found if e.subjects)
    return FromState(", ".join(things), tuple(found), "owner") if things else None


def _had_since(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    who, thing = names.meant(match["x"]), names.meant(match["y"])
    found = [e for e in (holding(slice_, "owner", thing.id) if thing else ()) if who and _is_of(names, e, who.id)]
    return FromState(f"Since chapter {found[0].valid_from}", (found[0],), found[0].key) if len(found) == 1 else None


def _is_of(names: Names, entry: Entry, who: EntityId) -> bool:
    owner = names.called(entry.value)
    return owner is not None and owner.id == who


def _known_since(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    found = _known(slice_, names, match)
    return (
        FromState(f"Since chapter {found.valid_from}: {worded_fact(slice_, names, found)}", (found,), found.key)
        if found
        else None
    )


def _known_by(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """How somebody came to know a fact, where the record of it says so."""
    found = _known(slice_, names, match)
    how = slice_.records[found.support[0]].payload.get("learned_via") if found else None
    return FromState(str(how), (found,), found.key) if found and how else None


def _known(slice_: Slice, names: Names, match: re.Match[str]) -> Entry | None:
    """What somebody knows that has most of a fact's words."""
    figure = names.meant(match["x"])
    found = holding(slice_, "knowledge", figure.id) if figure else []
    scored = [
        (held(match["f"], worded_fact(slice_, names, e)), -e.valid_from, e.key, e)
        for e in found
        if figure and e.subjects[:1] == (figure.id,) and e.value == "knows"
        if may_be_one(names, match["f"], worded_fact(slice_, names, e))
    ]
    best = max(scored, key=lambda each: each[:3], default=None)
    return best[3] if best and best[0] >= SAME else None


def _ended_promises(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """The promises that are paid off, or given up."""
    status = "abandoned" if match["how"].lower() in ("broken", "abandoned") else "paid_off"
    found = [e for e in holding(slice_, "thread") if e.value.replace(" ", "_") == status]
    found = [e for e in found if slice_.records[e.support[0]].payload.get("thread_kind") == "promise"][:MOST]
    return FromState("; ".join(told_fact(names, e) for e in found), tuple(found), "thread") if found else None


def _changed(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """The values that a chapter gave what is kept of somebody, of those that still hold or held then."""
    figure, chapter = names.meant(match["x"]), int(match["n"])
    if figure is None:
        return None
    found = [e for e in slice_.entries if e.valid_from == chapter and figure.id in e.subjects and e.value][:MOST]
    said = [f"{_attribute_of(names, e)}: {e.value}" for e in found]
    return FromState("; ".join(dict.fromkeys(said)), tuple(found), f"chapter {chapter}") if found else None


def _attribute_of(names: Names, entry: Entry) -> str:
    functor = entry.key.partition("(")[0]
    if functor in ("character", "knowledge", "arc"):
        return told_fact(names, entry).split(",")[0] if functor == "character" else told_fact(names, entry)
    return functor.replace("_", " ") if len(entry.subjects) < 2 else f"{functor} {entry.key[len(functor) :]}"
