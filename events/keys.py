"""State keys: `owner(brass key)`, `relationship(Ilse,Tomas)`. How they are written, and read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from events.domain_events import Setting, Term
from events.errors import InvalidInput
from events.ids import EntityId

ENTITY_ARGUMENTS: Final[dict[str, tuple[bool, ...]]] = {
    "location": (True,),
    "owner": (True,),
    "object_state": (True,),
    "character": (True, False, False),
    "relationship": (True, True),
    "knowledge": (True, False),
    "arc": (True, False),
    "fact": (True, False, False),
    "identity": (False, False),
    "thread": (False,),
    "rule": (False,),
}
"""For each functor, which of its arguments name entities."""

_LEAST: Final = {"character": 2}
_ARROW: Final = "->"
_MOST_SEPARATORS: Final = 12
_KEY: Final = re.compile(r"^\s*([a-z_]+)\s*\((.*)\)\s*$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class ParsedKey:
    """A key as somebody wrote it: names are not looked up yet."""

    functor: str
    args: tuple[str, ...]
    arrow: bool = False


def render(setting: Setting, name_of: Callable[[EntityId], str]) -> str:
    """The key as a reader sees it, entities under the names that `name_of` gives them."""
    shown = [name_of(EntityId(t.key)) if t.entity else t.text for t in setting.args]
    if setting.functor == "relationship":
        return f"relationship({'->'.join(shown) if setting.arrow else ','.join(sorted(shown))})"
    return f"{setting.functor}({','.join(shown)})"


def shown_value(value: Term | None, name_of: Callable[[EntityId], str]) -> str | None:
    """The value as a reader sees it; None where the key has ended."""
    if value is None:
        return None
    return name_of(EntityId(value.key)) if value.entity else value.text


def parse(key: str) -> ParsedKey:
    """The parts of a key. Raises `InvalidInput` for what is no key of the vocabulary.

    An argument may contain commas: what is too many belongs to the last.
    """
    functor, inside = _split(key)
    most = len(ENTITY_ARGUMENTS[functor])
    arrow = functor == "relationship" and _ARROW in inside
    args = tuple(part.strip() for part in (inside.split(_ARROW, 1) if arrow else inside.split(",", most - 1)))
    least = _LEAST.get(functor, most)
    if not least <= len(args) <= most or not all(args):
        given = len([arg for arg in args if arg])
        raise InvalidInput(
            f"{key[:80]!r} has {given} arguments; {functor} takes {least if least == most else f'{least} or {most}'}."
        )
    return ParsedKey(functor, args, arrow)


def readings(key: str) -> list[ParsedKey]:
    """Every way to read a key in whose names there may be commas or arrows, what `parse` makes of it first.

    Raises `InvalidInput`, as `parse` does. A key with very many commas is read in that one way only.
    """
    functor, inside = _split(key)
    most = len(ENTITY_ARGUMENTS[functor])
    pattern = f",|{_ARROW}" if functor == "relationship" else ","
    separators = [match.span() for match in re.finditer(pattern, inside)]
    if len(separators) > _MOST_SEPARATORS:
        return [parse(key)]
    counts = range(_LEAST.get(functor, most) - 1, most)
    cuts = [cut for count in counts for cut in combinations(separators, count)]
    found = [ParsedKey(functor, _parts(inside, cut), _is_arrow(inside, cut)) for cut in cuts]
    whole = [reading for reading in found if all(reading.args)]
    try:
        return list(dict.fromkeys([parse(key), *whole]))
    except InvalidInput:  # the arrow, or the first comma, is part of a name
        if not whole:
            raise
        return list(dict.fromkeys(whole))


def _split(key: str) -> tuple[str, str]:
    """The functor of a key, and what stands between its parentheses. Raises `InvalidInput`."""
    match = _KEY.match(key)
    if not match or match[1] not in ENTITY_ARGUMENTS:
        raise InvalidInput(
            f"{key[:80]!r} is no state key; write one of {', '.join(sorted(ENTITY_ARGUMENTS))} and its arguments."
        )
    return match[1], match[2]


def _parts(inside: str, cut: tuple[tuple[int, int], ...]) -> tuple[str, ...]:
    starts = [0, *(end for _, end in cut)]
    ends = [*(start for start, _ in cut), len(inside)]
    return tuple(inside[start:end].strip() for start, end in zip(starts, ends, strict=True))


def _is_arrow(inside: str, cut: tuple[tuple[int, int], ...]) -> bool:
    return any(inside[start:end] == _ARROW for start, end in cut)
