"""What a system of others has to do to be measured: read chapters in order, and give its evidence for a question."""

from __future__ import annotations

import importlib.util
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

from events.errors import InvalidInput
from services.evaluation.retrieval import controls
from services.evaluation.retrieval.questions import Question, Story
from services.retrieval.packing import Item, Packing, Span

TEXT: Final = "passage"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One thing that a peer would show to a reader: its kind, the latest chapter it stands on, and what it says."""

    kind: str
    chapter: int
    text: str


class Peer(Protocol):
    """One story in another system. `evidence` is what its own defaults give, kind by kind, the best of each first."""

    shares: Mapping[str, float]
    """The share of a packet that each kind of evidence may have by the peer's defaults; the last one takes what is left."""

    def read(self, chapter: int, text: str) -> None: ...

    def evidence(self, question: str) -> Sequence[Evidence]: ...

    def close(self) -> None: ...


class Reading:
    """A peer that has read a story up to some chapter. Questions are asked by rising checkpoint: what is read is not unread."""

    def __init__(self, peer: Peer, story: Story, name: str) -> None:
        self._peer = peer
        self._story = story
        self._name = name
        self._at = 0
        self._found: tuple[tuple[str, int], Sequence[Evidence]] | None = None

    def packet(self, question: Question, budget: int) -> dict[str, Any]:
        """As a method's packet. Raises ValueError for a checkpoint before the one that was asked about last."""
        if question.checkpoint < self._at:
            raise ValueError(f"{self._name} has read chapter {self._at} and cannot answer as of {question.checkpoint}")
        for chapter in self._story.chapters:
            if self._at < chapter.number <= question.checkpoint:
                self._peer.read(chapter.number, chapter.text)
        self._at = question.checkpoint
        asked = (question.text, question.checkpoint)
        if self._found is None or self._found[0] != asked:  # the same for each budget
            self._found = (asked, self._peer.evidence(question.text))
        return controls.packet(packed(self._found[1], self._peer.shares, self._story, self._name, budget))

    def close(self) -> None:
        self._peer.close()


def packed(
    evidence: Sequence[Evidence], shares: Mapping[str, float], story: Story, name: str, budget: int
) -> list[Item]:
    """Each kind up to its share of the budget, in the peer's own order; the last kind takes what the others leave."""
    items = [_item(each, place, story, name) for place, each in enumerate(evidence)]
    kinds = list(shares)
    packing = Packing(budget)
    for kind in kinds:
        room = budget if kind == kinds[-1] else int(shares[kind] * budget)
        part = Packing(min(room, max(0, packing.room)))
        part.fill(item for item in items if item.type == kind)
        for item in part.items:
            packing.take(item)
    return packing.items


def _item(evidence: Evidence, place: int, story: Story, name: str) -> Item:
    """Text of a chapter has its span, and can be cut; what a peer has written itself has none, and counts by its words alone."""
    start = story.texts[evidence.chapter].find(evidence.text) if evidence.kind == TEXT else -1
    spans = (Span(evidence.chapter, 1, start, start + len(evidence.text)),) if start >= 0 else ()
    source = "passage" if spans else "record"
    title = f"{name}{place}"
    return Item(
        title, evidence.kind, evidence.text, evidence.chapter, source, title, spans, 1.0 / (1 + place), name, (place,)
    )


def installed(name: str, packages: Mapping[str, str]) -> None:
    """Raises `InvalidInput` unless the modules that a peer imports are there; `packages` says in which package each is."""
    missing = [package for module, package in packages.items() if importlib.util.find_spec(module) is None]
    if missing:
        needed = " and ".join(missing)
        raise InvalidInput(
            f"The method {name} needs {needed}; install what is missing beside Fabula, or leave the method out."
        )
