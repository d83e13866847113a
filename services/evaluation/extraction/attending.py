"""Who is in which chapter, against a list of the people of each."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from services.evaluation.extraction.corpora import Attendance
from services.evaluation.extraction.intervals import Tally
from services.evaluation.extraction.memory import comparable
from services.extraction.offline.lexicon import words

_TITLES: Final = words(
    "mr mrs miss master dr doctor rev reverend captain colonel judge aunt uncle brother sister brer deacon widow"
)
_OF_ANYBODY: Final = words("old young new little big poor")
"""Words that two people may well share: "the old man" is not the Old Doctor."""
_LADIES: Final = words("miss mrs")
_CLASHING: Final = ({"mr", "mrs", "miss"}, {"brother", "sister"}, {"mr", "sister"}, {"mr", "aunt"})


def names_of(description: str) -> list[str]:
    """The names in a description: "Emily Peggotty (Little Em'ly), niece of DP" has two."""
    named = re.sub(r"\\'", "", description.split(",", 1)[0])
    named = re.sub(r"\s+\d+\b|\s+Jr\.", "", named)
    inside = re.findall(r"\(([^)]*)\)", named)
    return [comparable(name) for name in (re.sub(r"\([^)]*\)", " ", named), *inside)]


def tallies(
    attendance: Attendance, names: Mapping[str, Iterable[str]], present: Mapping[int, frozenset[str]]
) -> list[Tally]:
    """A tally a chapter, over the people that the list knows: whoever it never mentions is neither right nor wrong.

    An entity stands for the person whose name its names agree with best; where a name fits several (a family), for the one
    with whom it shares most chapters.
    """
    stands_for = _aligned(attendance, names, present)
    result = []
    for chapter in attendance.chapters:
        gold = attendance.present[chapter.number]
        found = {stands_for[e] for e in present.get(chapter.number, frozenset()) if e in stands_for}
        result.append(Tally(len(found & gold), len(found - gold), len(gold - found)))
    return result


def _aligned(
    attendance: Attendance, names: Mapping[str, Iterable[str]], present: Mapping[int, frozenset[str]]
) -> dict[str, str]:
    people = {code: names_of(description) for code, description in attendance.described.items()}
    where = {code: {n for n, there in attendance.present.items() if code in there} for code in attendance.described}
    result = {}
    for entity, called in names.items():
        chapters = {n for n, there in present.items() if entity in there}
        ours = [comparable(name) for name in called]
        scores = [
            (*max(_agreement(one, other) for one in ours for other in theirs), len(chapters & where[code]), code)
            for code, theirs in people.items()
            # whoever is a Mr. is no Mrs., and a Miss is one only where she has married
            if not any(_clash(one, other) and not _has_title_of(ours, other) for one in ours for other in theirs)
        ]
        best = max(scores, default=(0, False, 0, ""))
        if best[0]:
            result[entity] = best[3]
    return result


def _agreement(one: str, other: str) -> tuple[int, bool]:
    """How well two names agree, and whether they have a title in common.

    3 the same, 2 the same but for titles, 1 one is part of the other, 0 not.
    """
    if one == other:
        return 3, True
    if _clash(one, other):
        return 0, False
    ours, theirs = one.split(), other.split()
    titles = (set(ours) & _TITLES, set(theirs) & _TITLES)
    shared = bool(titles[0] & titles[1])
    bare, longer = (set(each) - _TITLES for each in (ours, theirs))
    if bare <= _OF_ANYBODY or longer <= _OF_ANYBODY:  # "the widow" may be the Widow Douglas
        return int(set(ours) < set(theirs) or set(theirs) < set(ours)), shared
    return 2 if bare == longer else 1 if bare <= longer or longer <= bare else 0, shared


def _has_title_of(names: Sequence[str], name: str) -> bool:
    """Whether somebody who is called Miss and Mrs. has the title of a name that has one of them."""
    titles = [_LADIES & set(each.split()) for each in names]
    return len(set().union(*titles)) > 1 and bool(_LADIES & set(name.split()))


def _clash(one: str, other: str) -> bool:
    """Whether two names have titles that one person cannot both have."""
    titles = (set(one.split()) & _TITLES, set(other.split()) & _TITLES)
    return any(titles[0] & clash and titles[1] & clash and not titles[0] & titles[1] for clash in _CLASHING)
