"""What somebody knows or feels, and where somebody was when something happened: by records, under the names that hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from events.ids import EntityId
from projections.search.analysis import terms
from services.answering.facts import SAME, held
from services.answering.kinship import is_kin
from services.answering.looking import (
    MOST,
    NOW,
    THING,
    FromState,
    Look,
    attributes,
    compiled,
    holding,
    listed,
    told_fact,
    worded_fact,
)
from services.answering.naming import Names, identities
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_HAPPENS: Final = ("event", "situation", "interaction", "revelation")
_STANCES: Final = {
    "know": ("knows",), "believe": ("believes", "mistaken"), "think": ("believes", "mistaken"), "suspect": ("suspects",),
    "doubt": ("doubts",),
}  # fmt: skip
_SCENES: Final = 6
"""Scenes of a chapter that are told."""
_DANGER: Final = frozenset(
    terms(
        "danger dangerous harm threat threaten hurt kill killed attack seize steal hate grudge enemy revenge cruel destroy betray"
    )
)
_FEARS: Final = 3
_IGNORANT: Final = ("unaware",)
_LEARNED: Final = 0.9
"""The share of the words of what one was unaware of that what one learned later has to have."""


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask for it, each with what looks it up."""
    about = r"(?: (?:about|of) (?P<y>[^?]+?))?"
    return compiled(
        (
            (rf"^what (?:does|do) {THING} (?:still )?(?:not (?:yet )?know|not (?:yet )?realise){about}{NOW}", _ignores),
            (rf"^what does the reader know that {THING} (?:does|do)(?: not|n['’]t)(?: yet)?(?: know)?{NOW}", _ignores),
            (rf"^what is {THING} (?:still )?(?:unaware|ignorant) of{NOW}", _ignores),
            (
                rf"^what (?:does|do) {THING} (?:already )?(?P<stance>know|believe|think|suspect|doubt){about}{NOW}",
                _knows,
            ),
            (
                rf"^how (?:does|do|is|are) {THING} (?:feel(?:ing)?|stand) (?:about|towards?|with) (?P<y>[^?]+?){NOW}",
                _towards,
            ),
            (rf"^how (?:does|do|is|are) {THING} feel(?:ing)?{NOW}", _feels),
            (
                rf"^why (?:does|do|is|are) {THING} (?:still )?(?:fear|dread|afraid of|frightened of|scared of|wary of) (?P<y>[^?]+?){NOW}",
                _fears,
            ),
            (rf"^what (?:does|do) {THING} (?:still )?want(?: to do)?{NOW}", _wants),
            (rf"^what (?:is|are) {THING} (?:trying|planning|hoping|going) to (?:do|achieve|reach){NOW}", _wants),
            (
                rf"^what (?:happens|happened|takes place|took place|is told|was told) in chapter (?P<n>\d{{1,6}}){NOW}",
                _in_chapter,
            ),
            (rf"^where (?:was|were) {THING} (?:when|while|as) (?P<f>[^?]+?)[\s?.!]*$", _where_when),
        )
    )


def _knows(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _minded(slice_, names, match, _STANCES[match["stance"].lower()])


def _ignores(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """What somebody is said to be unaware of, and is not said to have learned since in other words."""
    return _minded(slice_, names, match, _IGNORANT)


def _has_learned(slice_: Slice, names: Names, unaware: Entry) -> bool:
    """`Who the clerk is` is known to whom it was revealed that the clerk is Ewart."""
    who, fact = unaware.subjects[0], worded_fact(slice_, names, unaware)
    known = [
        worded_fact(slice_, names, e) for e in holding(slice_, "knowledge", who)
        if e.subjects[:1] == (who,) and e.value == "knows" and e.valid_from >= unaware.valid_from
    ]  # fmt: skip
    told = [
        str(r.payload["fact"]) for r in slice_.records
        if r.kind == "revelation" and r.chapter >= unaware.valid_from
        and any(slot.startswith("revealed_to") and slice_.cast.of(e) == who for slot, e, _ in r.mentions)
    ]  # fmt: skip
    return any(held(fact, each) >= _LEARNED for each in (*known, *told))


def _minded(slice_: Slice, names: Names, match: re.Match[str], stances: tuple[str, ...]) -> FromState | None:
    """The facts towards which a figure has a stance, the latest first; those about what is named, where something is."""
    figure = names.meant(match["x"])
    if figure is None:
        return None
    about = match.groupdict().get("y") or ""
    named = identities(names.in_text(about))
    found = [
        e for e in holding(slice_, "knowledge", figure.id) if e.subjects[:1] == (figure.id,) and e.value in stances
    ]
    found = [
        e for e in found
        if not about or (named and named <= identities(names.in_text(told_fact(names, e)))) or held(about, told_fact(names, e)) >= SAME
    ]  # fmt: skip
    found = [e for e in found if e.value not in _IGNORANT or not _has_learned(slice_, names, e)]
    found.sort(key=lambda e: (-e.valid_from, e.key))
    if not found:
        return None
    return FromState("; ".join(worded_fact(slice_, names, e) for e in found[:MOST]), tuple(found[:MOST]), "knowledge")


def _towards(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """What holds between two, the one towards the other first; how it came to that is for the packet."""
    first, second = names.meant(match["x"]), names.meant(match["y"])
    if first is None or second is None or first.id == second.id:
        return None
    found = [e for e in holding(slice_, "relationship", first.id) if {first.id, second.id} == set(e.subjects)]
    found = [e for e in found if "->" not in e.key or e.subjects[0] == first.id]
    found = [e for e in found if not is_kin(e.value)]  # a wife may feel anything
    return listed(found, found[0].key) if found else None


def _feels(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _all_of(attributes(slice_, names, names.meant(match["x"]), "emotion", "mood"))


def _fears(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """What somebody knows or believes of another that is a danger, the latest first."""
    who, whom = names.meant(match["x"]), names.meant(match["y"])
    if who is None or whom is None:
        return None
    found = [
        e
        for e in holding(slice_, "knowledge", who.id)
        if e.subjects[:1] == (who.id,) and e.value in ("knows", "believes", "suspects")
        and whom.id in identities(names.in_text(worded_fact(slice_, names, e)))
        and _DANGER & set(terms(worded_fact(slice_, names, e)))
    ]  # fmt: skip
    found.sort(key=lambda e: (-e.valid_from, e.key))
    said = "; ".join(f"{names.of(who.id)} {e.value} that {worded_fact(slice_, names, e)}" for e in found[:_FEARS])
    return FromState(said, tuple(found[:_FEARS]), "knowledge") if found else None


def _wants(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    return _all_of(attributes(slice_, names, names.meant(match["x"]), "goal"))


def _all_of(found: Sequence[Entry]) -> FromState | None:
    return listed(found, found[0].key) if found else None


def _in_chapter(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """The scenes of a chapter as its records sum them up, else what happens in it; nothing where rules alone have read it."""
    told = [
        (n, r) for n, r in enumerate(slice_.records)
        if r.chapter == int(match["n"]) and r.kind in ("situation", "event") and r.payload.get("confidence", 1.0) == 1.0
        and r.payload.get("modality", "actual") == "actual" and r.payload.get("summary")
    ]  # fmt: skip
    scenes = [each for each in told if each[1].kind == "situation"] or told
    if not scenes:
        return None
    said = " ".join(f"{str(r.payload['summary']).rstrip('.')}." for _, r in scenes[:_SCENES])
    return FromState(said, (), f"chapter {match['n']}", tuple(n for n, _ in scenes[:_SCENES]))


def _where_when(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Where a figure was at an event: by the event's own place, its scene's, or where the figure was told to be last before it."""
    figure = names.meant(match["x"])
    event = _event(slice_, names, match["f"]) if figure else None
    if figure is None or event is None:
        return None
    at = slice_.records[event]
    scene = [
        n
        for n, r in enumerate(slice_.records)
        if (r.chapter, r.order[0]) == (at.chapter, at.order[0]) and r.kind in _HAPPENS
    ]
    for index in (event, *scene):
        place = _place_of(slice_, index, figure.id)
        if place is not None:
            return FromState(names.of(place), (), "location", (event,) if index == event else (event, index))
    before = [
        (r.order, n) for n, r in enumerate(slice_.records)
        if r.kind == "presence" and r.chapter == at.chapter and r.order <= at.order
        and any(slot == "entity" and slice_.cast.of(e) == figure.id for slot, e, _ in r.mentions)
    ]  # fmt: skip
    if not before:
        return None
    _, index = max(before)
    where = _location(slice_, index)
    return None if where is None else FromState(names.of(where), (), "location", (event, index))


def _event(slice_: Slice, names: Names, clause: str) -> int | None:
    """The event that has most of a clause's words, and everybody that it names; the first of equals. None: none has enough."""
    about = identities(names.in_text(clause))
    best: tuple[float, int] | None = None
    for index, record in enumerate(slice_.records):
        if record.kind in _HAPPENS and record.payload.get("modality", "actual") == "actual":
            share = held(clause, record.text)
            if (
                share >= SAME
                and (best is None or share > best[0])
                and about <= {slice_.cast.of(e) for _, e, _ in record.mentions}
            ):
                best = (share, index)
    return None if best is None else best[1]


def _place_of(slice_: Slice, index: int, figure: EntityId) -> EntityId | None:
    mentions = slice_.records[index].mentions
    if not any(
        slot.startswith(("participants", "source", "target")) and slice_.cast.of(e) == figure for slot, e, _ in mentions
    ):
        return None
    return _location(slice_, index)


def _location(slice_: Slice, index: int) -> EntityId | None:
    return next((slice_.cast.of(e) for slot, e, _ in slice_.records[index].mentions if slot == "location"), None)
