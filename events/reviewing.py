"""What an editor must look at after parting two that had been merged: records whose side the text does not settle."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from events.evidence import folded
from events.ids import RecordName
from events.names import key_of, literal_key
from events.revisions import Entry
from events.story_index import StoryIndex


def unsettled(index: StoryIndex, alias: str, names: Collection[str]) -> list[RecordName]:
    """Live records published after `alias` was merged with the entity of `names` (name keys) that may belong to either.

    A record stays on the side whose name it uses; it is unsettled where its evidence shows none of that side's names.
    """
    since = _merged_in(index, alias, names)
    if since is None:
        return []
    sides = {alias, *names}
    return [e.name for e in index.live_entries() if e.sequence > since and _is_open(index, e, sides)]


def _merged_in(index: StoryIndex, alias: str, names: Collection[str]) -> int | None:
    """The number of the last decision that made `alias` one with any of `names`; None if there is none."""
    pairs = {frozenset((alias, name)) for name in names}
    found = [
        sequence
        for sequence, decision in index.decisions.items()
        if "merge" in decision and frozenset(key_of(e) for e in decision["merge"]) in pairs
    ]
    return max(found, default=None)


def _is_open(index: StoryIndex, entry: Entry, sides: Collection[str]) -> bool:
    concerned = [m for m in entry.mentions if key_of(m.entity) in sides]
    if not concerned:
        return False
    words = literal_key(" ".join(_evidence(index, entry)))
    return any(not _shows(words, key_of(m.entity), index) for m in concerned)


def _evidence(index: StoryIndex, entry: Entry) -> Iterator[str]:
    text = index.text_of(entry)
    for start, end in entry.evidence:
        yield folded(text[start:end]) if text is not None else ""


def _shows(words: str, key: str, index: StoryIndex) -> bool:
    return any(name in words for name in index.names_of(key))
