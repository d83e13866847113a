"""Who is whose father, wife or sister: by the relationships and facts that are recorded, before any words are read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from events.ids import EntityId
from services.answering.looking import NOW, THING, FromState, Look, compiled
from services.answering.naming import Names
from services.extraction.offline.attitudes import REGARD
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_KIN: Final = (
    r"(?:(?:great-)*grand|step|foster|god|half-)?-?(?:father|mother|parent|brother|sister|sibling|son|daughter|child)s?(?:-in-law)?|children"
    r"|uncles?|aunts?|nephews?|nieces?|cousins?|husband|wife|spouse|(?:great-)*grand(?:child|children)"
)
_MARRIED: Final = re.compile(r"husband|wife|spouse")
"""Kin that one can cease to be; others are kin until somebody is told to be something else to them."""
_FEELING: Final = re.compile(
    rf"(?:{'|'.join(relation for relation, _ in REGARD.values())}|in love with)(?: deeply| dearly)?$", re.IGNORECASE
)
"""What one is to another beside what kin: it stands under the same key, and ends no marriage."""
_TIE: Final = re.compile(rf"(?<![\w-])(?:{_KIN}|guardian|ward|stranger|impostor)(?![\w-])", re.IGNORECASE)
NOT_SO: Final = re.compile(
    r"\b(?:not|no|never|former|formerly|once|ex|like|as|almost|false|supposed|pretended|alleged|would-be|estranged)\b",
    re.IGNORECASE,
)
"""Words beside a tie that make it none."""
_MALE_OR_FEMALE: Final = {
    "parent": ("father", "mother"),
    "child": ("son", "daughter"),
    "sibling": ("brother", "sister"),
    "spouse": ("husband", "wife"),
}
_PAIRED: Final = re.compile(r"\b([\w-]+) and ([\w-]+)\b")


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask for kin, each with what looks it up."""
    kin = rf"(?P<k>{_KIN})"
    return compiled(
        (
            (rf"^(?:who|what) (?:is|are|was|were|['’]s) {THING}['’]s? {kin}(?: called| named)?{NOW}", _who),
            (rf"^(?:who|what) (?:is|are|was|were|['’]s) (?:the )?{kin} of {THING}{NOW}", _who),
            (rf"^(?:what|who) is the name of {THING}['’]s? {kin}{NOW}", _who),
            (rf"^(?:is|was) (?P<y>[^?]+?) {THING}['’]s? {kin}{NOW}", _whether),
            (rf"^(?:is|was) (?P<y>[^?]+?) (?:the |a )?{kin} of {THING}{NOW}", _whether),
        )
    )


def _who(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    found = _kin(slice_, names, match)
    if not found:
        return None
    who = dict.fromkeys(names.of(figure) for figure, _ in found)
    entries = tuple(dict.fromkeys(entry for _, entry in found))
    return FromState(", ".join(who), entries, entries[0].key)


def _whether(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Yes where it is recorded; no only where who is father, mother, husband or wife is, for there is but one."""
    meant = names.meant(match["y"])
    found = _kin(slice_, names, match)
    if meant is None or not found:
        return None
    for figure, entry in found:
        if figure == meant.id:
            return FromState("Yes", (entry,), entry.key)
    one = re.fullmatch(r"father|mother|husband|wife", match["k"], re.IGNORECASE)
    return FromState(f"No: {names.of(found[0][0])}", (found[0][1],), found[0][1].key) if one else None


def _kin(slice_: Slice, names: Names, match: re.Match[str]) -> list[tuple[EntityId, Entry]]:
    """Who is the kin of the figure that is named, each with the entry that says so."""
    figure = names.meant(match["x"])
    if figure is None:
        return []
    word = match["k"].lower()
    word = {"children": "child", "grandchildren": "grandchild"}.get(word, word.removesuffix("s"))
    wanted = (word, *_MALE_OR_FEMALE.get(word, ()))
    found = []
    now = {entry.key: entry.value for entry in slice_.entries if entry.holds}
    for entry in slice_.entries:
        if not entry.holds and _ended(now.get(entry.key, ""), word):
            continue
        other = _by_relationship(slice_, names, entry, figure.id, wanted)
        if other is not None:
            found.append((other, entry))
    return found


def is_kin(value: str) -> bool:
    """Whether a relationship says of what kin somebody is, and nothing else."""
    return re.fullmatch(rf"(?:{_KIN})(?: of)?", value.strip(), re.IGNORECASE) is not None


def _ended(now: str, word: str) -> bool:
    """Whether what holds in the place of a tie ends it: a marriage by whatever is no mere feeling, other kin by another tie."""
    return not _FEELING.match(now) if _MARRIED.search(word) else _TIE.search(now) is not None


def _by_relationship(
    slice_: Slice, names: Names, entry: Entry, of: EntityId, wanted: tuple[str, ...]
) -> EntityId | None:
    if not entry.key.startswith("relationship(") or of not in entry.subjects or len(set(entry.subjects)) != 2:
        return None
    source, target = entry.subjects
    other = target if source == of else source
    value = entry.value.lower()
    if NOT_SO.search(value):
        return None
    if value in ("married", "married to") and any(_MARRIED.search(word) for word in wanted):
        return other
    if "->" in entry.key:  # the source is that of the target
        is_it = any(
            re.search(rf"(?<![\w-]){re.escape(word)}(?: of)?\s*$|(?<![\w-]){re.escape(word)} (?:of|who)\b", value)
            for word in wanted
        )
        return other if is_it and target == of else None
    if any(re.search(rf"(?<![\w-]){re.escape(word)}s(?![\w-])", value) for word in wanted):
        return other  # the two are brothers
    pair = next((m for m in _PAIRED.finditer(value) if m[1] in wanted or m[2] in wanted), None)
    return None if pair is None else _of_pair(slice_, names, entry, of, other, pair, wanted)


def _of_pair(
    slice_: Slice,
    names: Names,
    entry: Entry,
    of: EntityId,
    other: EntityId,
    pair: re.Match[str],
    wanted: tuple[str, ...],
) -> EntityId | None:
    """Of two who are `father and daughter`: the record names them in that order."""
    if pair[1] in wanted and pair[2] in wanted:
        return other
    record = slice_.records[entry.support[-1]]
    first = next((slice_.cast.of(entity) for slot, entity, _ in record.mentions if slot == "source"), None)
    holder = first if pair[1] in wanted else (other if first == of else of)
    return other if holder == other else None
