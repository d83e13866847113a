"""What every reader does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer with the ids of the packet's items that it rests on. Who abstains says nothing and names nothing."""

    text: str
    abstained: bool
    evidence_ids: tuple[str, ...]


ABSTAINED: Final = Answer("", abstained=True, evidence_ids=())


class Reader(Protocol):
    """Answers from a packet alone. `options` are the answers to choose from; the text is then one of them."""

    @property
    def name(self) -> str: ...

    def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer: ...
