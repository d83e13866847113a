"""Packing evidence into a budget of characters, and the form in which a reader gets it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from services.retrieval.folding import Folding

SEPARATOR: Final = "\n\n"
FACTS: Final = "facts"
"""The channel whose items are a line each. Their id, which begins with the chapter, is all the heading they have."""
_LEAST: Final = 30
"""Characters that any passage takes, its heading included: with less room there is no use in trying."""
_MISSES: Final = 20
_SENTENCE_END: Final = re.compile(r"[.!?…]+[\"'”’»)\]]*(?=\s|$)|[。！？]+[」』”’）]*|\n")


@dataclass(frozen=True, slots=True)
class Span:
    """The code points [start, end) of a revision's text."""

    chapter: int
    revision: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Item:
    """A piece of evidence. `source` is `record` or `passage`, `name` what it is called; `order` its place in the story.

    Only a passage can be cut: its text is the text of its one evidence span.
    """

    id: str
    type: str
    text: str
    chapter: int
    source: str
    name: str
    evidence: tuple[Span, ...]
    score: float
    channel: str
    order: tuple[int, ...]
    path: tuple[str, ...] = ()
    """Why it is there: what led to it, the strongest first."""

    def to_json(self) -> dict[str, Any]:
        spans = [{"chapter": s.chapter, "revision": s.revision, "start": s.start, "end": s.end} for s in self.evidence]
        return {
            "id": self.id,
            "type": self.type,
            "text": self.text,
            "chapter": self.chapter,
            self.source: self.name,
            "evidence": spans,
            "score": self.score,
            "channel": self.channel,
            "path": list(self.path),
        }


def render(items: Iterable[Item]) -> str:
    """The packet as a reader gets it: each item under a heading with its id, kind and chapter, or as a line behind its id."""
    return SEPARATOR.join(_heading(item.id, item.type, item.chapter, item.channel) + item.text for item in items)


def rendered_packet(packet: dict[str, Any]) -> str:
    """The same from a packet's JSON form; its length is the packet's `used`."""
    return SEPARATOR.join(
        _heading(i["id"], i["type"], i["chapter"], i.get("channel", "")) + i["text"] for i in packet["items"]
    )


def _heading(item_id: str, kind: str, chapter: int, channel: str) -> str:
    return f"[{item_id}] " if channel == FACTS else f"[{item_id} | {kind} | chapter {chapter}]\n"


def overhead(item: Item) -> int:
    return len(_heading(item.id, item.type, item.chapter, item.channel))


def cost_of(item: Item) -> int:
    """The characters an item takes beside others: its heading, its text and a separator."""
    return overhead(item) + len(item.text) + len(SEPARATOR)


class Packing:
    """Takes items until the budget is used. The order in which they are taken does not change what they cost."""

    def __init__(self, budget: int) -> None:
        self._room = budget
        self._folding = Folding()
        self.items: list[Item] = []
        self.folded = 0
        """Passages that only repeated what was there."""

    @property
    def room(self) -> int:
        """The characters left for one more item."""
        return self._room - (len(SEPARATOR) if self.items else 0)

    def take(self, item: Item) -> bool:
        """Takes the whole item if it fits."""
        cost = overhead(item) + len(item.text)
        if cost > self.room:
            return False
        self._room = self.room - cost
        self.items.append(item)
        if item.source == "passage":
            self._folding.add(item.text)
        return True

    def take_shortened(self, item: Item) -> bool:
        """Takes as many whole sentences from the passage's beginning as fit, if one does."""
        shorter = shortened(item, self.room - overhead(item))
        return shorter is not None and self.take(shorter)

    def fill(self, ranking: Iterable[Item]) -> None:
        """Takes whole items as they are ranked; the first passage that does not fit is cut, and it is the last.

        Where no sentence of it fits, shorter ones further down have their chance, but only a few.
        """
        misses = 0
        for item in ranking:
            if self.room < _LEAST or misses == _MISSES:
                return
            if item.source == "passage" and self._folding.repeats(item.text):
                self.folded += 1
                continue
            if not self.take(item):
                if item.source == "passage" and self.take_shortened(item):
                    return
                misses += 1

    def in_story_order(self) -> list[Item]:
        return sorted(self.items, key=lambda item: (item.order, item.id))


def shortened(item: Item, length: int) -> Item | None:
    """The passage cut after the last sentence that ends within `length` characters, its span with it; None if none does."""
    end = 0
    # one character more, to see what follows a full stop
    for match in _SENTENCE_END.finditer(item.text, 0, max(0, length + 1)):
        if match.end() > length:
            break
        end = match.end()
    text = item.text[:end].rstrip()
    if not text:
        return None
    (span,) = item.evidence
    return replace(item, text=text, evidence=(replace(span, end=span.start + len(text)),))


def used(items: Sequence[Item]) -> int:
    return len(render(items))
