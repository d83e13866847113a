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


@dataclass(frozen=True, slots=True)
class Manner:
    """How a packet is to be read: in words for a model, and what a reader without one does otherwise.

    `tells`: an answer in sentences where no name, place, time or number is asked for; `revealed`: in the order of the chapters;
    `strict`: an option needs words of its own in the evidence; `settled`: the parts of the question, by their places, that are
    answered already, so that nothing need be told of them.
    """

    instructions: tuple[str, ...] = ()
    tells: bool = False
    revealed: bool = False
    strict: bool = False
    settled: tuple[int, ...] = ()


PLAIN: Final = Manner()


class Reader(Protocol):
    """Answers from a packet alone. `options` are the answers to choose from; the text is then one of them."""

    @property
    def name(self) -> str: ...

    def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer: ...


class GuidedReader(Reader, Protocol):
    """A reader that can be told how to read."""

    def guided(self, question: str, packet: Mapping[str, Any], options: Sequence[str], manner: Manner) -> Answer:
        """As `answer`, which reads plainly."""
        ...
