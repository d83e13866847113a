"""An editor's decisions on identity and on threads, from names as they are typed to entities as they are believed now.

One that was made before and stands is no mistake: it is given again, and registering it says that nothing changes.
"""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import Any, Final

from events.errors import Conflict, InvalidInput, Unknown, UnknownEntity
from events.evidence import clean_text
from events.ids import EntityId
from events.names import AMBIGUOUS, UNKNOWN, class_of, key_of, literal_key, name_key
from events.references import ANY
from events.registry import NO_NAMES, Links, Registry, compatible
from events.repeating import standing
from events.reviewing import unsettled
from events.story_index import StoryIndex

Decision = dict[str, Any]
MAX_REASON: Final = 2_000
_FINDING: Final = re.compile(r"\d{1,7}-[a-z_]+-[0-9a-f]{10}-[0-9a-f]{10}")
_THREAD: Final = "thread(="
"""What the node key of every thread begins with."""


class UnknownThread(Unknown):
    """No live record opens a thread of this name."""

    title = "There is no such thread"
    slug = "unknown-thread"


def merge(index: StoryIndex, a: str, b: str, since: int) -> Decision:
    """That `b` is `a`, from chapter `since` on. Raises `UnknownEntity`, `Conflict`."""
    registry, at = index.registry, _after(index)
    one, other = _entity(registry, a, at), _entity(registry, b, at)
    if not compatible(class_of(one), class_of(other)):
        raise Conflict(
            f"{a!r} is a {class_of(one)} and {b!r} a {class_of(other)}; only two of one class can be merged."
        )
    decision: Decision = {"merge": [one, other], "since": since}
    one_already = registry.links.representative(one, since) == registry.links.representative(other, since)
    if one_already and not _made_before(index, decision):
        raise Conflict(f"{a!r} and {b!r} are one already; there is nothing to merge.")
    return decision


def split(index: StoryIndex, alias: str, from_: str) -> Decision:
    """That the name `alias` does not belong to the entity `from_`. Raises `UnknownEntity`, `Conflict`.

    `review` names the records published meanwhile whose side the text does not settle.
    """
    registry, key = index.registry, name_key(alias)
    entity = _entity(registry, from_, _after(index))
    if key_of(entity) == key:
        raise Conflict(f"{alias!r} is the very name of {from_!r}; name what is left by another of its names.")
    group = registry.links.group(entity, None)
    claimants = registry.names[key].claimed if key in registry.names else {}
    apart = Links(link for link in registry.links if key not in (key_of(link.a), key_of(link.b)))
    names = sorted({key_of(each) for each in apart.group(entity, None)})
    decision: Decision = {"split": key, "names": names, "review": unsettled(index, key, names)}
    has_the_name = key in map(key_of, group) or not group.isdisjoint(claimants)
    if not has_the_name and not _made_before(index, decision):
        raise Conflict(f"{alias!r} is no name of {from_!r}; look at its aliases with `fabula entity`.")
    return decision


def due(index: StoryIndex, thread: str, chapter: int | None) -> Decision:
    """That a thread is to be paid off by a chapter; None: nothing is planned any more. Raises `UnknownThread`."""
    threads = [key.removeprefix(_THREAD)[:-1] for key, said in index.keys.items() if key.startswith(_THREAD) and said]
    key = literal_key(thread)
    if key not in threads:
        near = get_close_matches(key, threads, n=3, cutoff=0.4) or sorted(threads)[:3]
        hint = f" There is {', '.join(map(repr, near))}." if near else " It has none yet."
        raise UnknownThread(f"The story {index.story!r} has no thread {thread!r}.{hint}")
    return {"thread": key, "due": chapter}


def exemption(finding: str, reason: str) -> Decision:
    """That a finding of a check stands, and why. Raises `InvalidInput` for what names none, or gives no reason."""
    name = finding.strip() if isinstance(finding, str) else ""
    why = clean_text(reason).strip() if isinstance(reason, str) else ""
    if not _FINDING.fullmatch(name):
        raise InvalidInput(f"{name[:80]!r} names no finding; write one as `fabula check` shows it.")
    if not 1 <= len(why) <= MAX_REASON:
        raise InvalidInput(f"Say why it stands, in 1 to {MAX_REASON} characters.")
    return {"finding": name, "reason": why}


def _made_before(index: StoryIndex, decision: Decision) -> bool:
    """Whether a decision on identity says what one says that was made before and stands."""
    return standing(decision, index.decisions) is not None


def _after(index: StoryIndex) -> int:
    """The chapter after the last: whatever any chapter introduces is known there."""
    return max(index.chapters, default=0) + 1


def _entity(registry: Registry, name: str, at: int) -> EntityId:
    """The entity of a name, an alias or an id."""
    named = _by_id(registry, name) or registry.resolve(name_key(name), ANY, at, NO_NAMES)
    if class_of(named) == AMBIGUOUS:
        candidates = registry.introduced_before(key_of(named), at) or registry.claimed_before(key_of(named), at)
        raise Conflict(f"{name!r} names several: {', '.join(sorted(candidates))}; write one of these ids.")
    if class_of(named) == UNKNOWN and not _is_used(registry, named):
        raise UnknownEntity(f"Nobody goes by {name!r} in this story; look at the spelling.")
    return named


def _by_id(registry: Registry, name: str) -> EntityId | None:
    entity = EntityId(name)
    entry = registry.names.get(key_of(entity))
    if entry and (entity in entry.introduced or (class_of(entity) == UNKNOWN and entry.unknown_in)):
        return entity
    return None


def _is_used(registry: Registry, entity: EntityId) -> bool:
    entry = registry.names.get(key_of(entity))
    return bool(entry and entry.unknown_in)
