"""Who somebody is: the name that a guise turned out to have, occupation and ties, else how somebody was introduced."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from events.ids import EntityId
from services.answering.looking import NOW, THING, FromState, Look, attributes, compiled, holding
from services.answering.naming import Names
from services.retrieval.cast import Figure
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_PARTS: Final = 4
"""Things that are said of somebody at most."""
_TIES: Final = re.compile(
    r"(?:father|mother|parent|brother|sister|son|daughter|child|uncle|aunt|nephew|niece|cousin|husband|wife|widow|widower|grand\w+|guardian|ward"
    r"|friend|enemy|rival|sweetheart|lover|betrothed|fianc[eé]e?|servant|maid|valet|butler|housekeeper|footman|coachman|groom|nurse|governess|tutor"
    r"|pupil|master|mistress|employer|partner|apprentice|assistant|secretary|clerk|steward|squire|landlord|landlady|neighbou?r)(?:-in-law)?$",
    re.IGNORECASE,
)
_MARRIED: Final = re.compile(r"married(?: to)?$", re.IGNORECASE)


def questions() -> Iterator[tuple[re.Pattern[str], Look]]:
    """The wordings that ask who somebody is, and what somebody does for a living."""
    return compiled(
        (
            (
                rf"^(?:who|what)(?: exactly| really)? (?:is|was|are|were|['’]s) {THING}(?: really| in truth| in reality)?{NOW}",
                _who,
            ),
            (rf"^what (?:is|was) {THING}['’]s? (?:job|trade|profession|calling|occupation|work){NOW}", _works),
            (rf"^what (?:does|did) {THING} do for a living{NOW}", _works),
        )
    )


def _who(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    figure = names.meant(match["x"])
    if figure is None:
        return None
    known = [*_occupations(slice_, names, figure), *_ties(slice_, names, figure)][:_PARTS]
    revealed = _revealed(slice_, names, figure, match["x"])
    described = [n for n in figure.introduced_in if slice_.records[n].payload.get("description")][:1]
    said = [names.of(figure.id)] if revealed else []
    said += [str(slice_.records[n].payload["description"]).strip().rstrip(".") for n in described]
    said = list(dict.fromkeys([*said, *(text for text, _ in known)]))
    entries = tuple(dict.fromkeys(entry for _, entry in known))
    return (
        FromState("; ".join(said), entries, f"who {names.of(figure.id)} is", (*revealed, *described)) if said else None
    )


def _works(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    figure = names.meant(match["x"])
    told = _occupations(slice_, names, figure) if figure is not None else []
    return FromState("; ".join(text for text, _ in told), tuple(e for _, e in told), told[0][1].key) if told else None


def _revealed(slice_: Slice, names: Names, figure: Figure, asked: str) -> tuple[int, ...]:
    """The record that tells that whoever is asked for by one name has another."""
    if set(re.findall(r"\w+", asked.casefold())) & set(re.findall(r"\w+", names.of(figure.id).casefold())):
        return ()
    told = [
        n
        for n, record in enumerate(slice_.records)
        if record.kind == "identity" and any(slice_.cast.of(e) == figure.id for _, e, _ in record.mentions)
    ]
    return tuple(told[-1:])


def _occupations(slice_: Slice, names: Names, figure: Figure) -> list[tuple[str, Entry]]:
    return [(entry.value, entry) for entry in attributes(slice_, names, figure, "occupation")]


def _ties(slice_: Slice, names: Names, figure: Figure) -> list[tuple[str, Entry]]:
    """What somebody is to others; the source of a directed tie is that of the target."""
    return [(text, e) for e in holding(slice_, "relationship", figure.id) if (text := _tie(names, e, figure.id))]


def _tie(names: Names, entry: Entry, of: EntityId) -> str:
    if len(set(entry.subjects)) != 2:
        return ""
    source, target = entry.subjects
    if "->" in entry.key:
        value = re.sub(r"\s+of$", "", entry.value)
        return f"{value} of {names.of(target)}" if source == of and _TIES.search(value) else ""
    return f"married to {names.of(target if source == of else source)}" if _MARRIED.match(entry.value) else ""
