"""The sentences of a packet, and how well each supports a question."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from projections.search.analysis import terms as _terms
from services.answering.readers.wordlists import BASES

_END: Final = re.compile(r"(?<=[.!?…。！？])[\"'”’»)\]]*\s+(?=[\"'“‘«(\[]*[^\W_a-z])|(?<=[。！？])|\n\s*\n")
_ABBREVIATED: Final = re.compile(r"\b(?:Mr|Mrs|Ms|Dr|St|Capt|Col|Gen|Rev|Prof|Sir|Esq|Messrs|Mme|Mlle)\.$")
_STEM_OF: Final = {_terms(form)[0]: _terms(base)[0] for form, base in BASES.items()}


def terms(text: str) -> list[str]:
    """The terms of a text, irregular forms of English verbs as their base has them (`wept` as `weep`)."""
    return [_STEM_OF.get(term, term) for term in _terms(text)]


_FUNCTION: Final = (
    "a an the of to in on at by for with from into and or but as is was were are be been being am do does did done have has had"
    " having he she it they we you i his her hers its their our your my him them me us that this these those there then than so"
    " not no if who whom whose which what where when why how would could should will shall may might can must s many much long"
    " about because happen happened after before during while"
)
FUNCTION_TERMS: Final = frozenset(term for word in _FUNCTION.split() for term in terms(word))
_TYPE: Final = re.compile(r"(?:, (?:character|location|object|group|creature|concept|unknown))?\.?$")
_CLAUSE: Final = re.compile(r"^(?:[^\W_]+ ){1,5}?(?:is|are|was|were|has|have|had|do|does|did|can|will)\b")
"""A description that is a sentence of its own: `most of them are afraid`."""
_ALSO: Final = "also called "
_ENTRY: Final = re.compile(r"\w\(.*\) = |^[^:.!?\n]{1,60}: (?:owner|location|state) ")
NEIGHBOUR: Final = 0.4
"""What a term of the question counts that only the sentence before or after has."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an item; `place` counts the sentences of the packet."""

    text: str
    item: str
    place: int
    chapter: int


def sentences(packet: Mapping[str, Any]) -> list[Sentence]:
    """The packet's sentences in its order, each different text once, where it is first."""
    found: list[Sentence] = []
    seen: set[str] = set()
    for item in packet["items"]:
        for text in described(item["text"]) if item.get("type") == "entity" else split(item["text"]):
            if text not in seen:
                seen.add(text)
                found.append(Sentence(text, item["id"], len(found), item["chapter"]))
    return found


def is_entry(text: str) -> bool:
    """Whether a text is a state entry, `owner(key) = Mara` or `key: owner Mara`: evidence, and no sentence to be told."""
    return _ENTRY.search(text) is not None


def described(text: str) -> Iterator[str]:
    """What the item of an entity says of it, as sentences: its type says no more than that there is somebody, or something."""
    name, *parts = text.split("; ")
    name = _TYPE.sub("", name)
    for part in parts:
        if part.startswith(_ALSO):
            continue
        yield from split(
            part if " = " in part else f"{name}{': ' if _CLAUSE.search(part) else ' is '}{part.rstrip('.')}."
        )


def split(text: str) -> Iterator[str]:
    for start, end in bounds(text):
        yield from _stripped(text[start:end])


def bounds(text: str) -> Iterator[tuple[int, int]]:
    """Where the sentences of a text begin and end, as code points [start, end)."""
    start = 0
    for match in _END.finditer(text):
        if _ABBREVIATED.search(text[start : match.start()]):
            continue
        yield start, match.end()
        start = match.end()
    yield start, len(text)


def _stripped(text: str) -> Iterator[str]:
    if any(c.isalnum() for c in text):
        yield " ".join(text.split())


class Supports:
    """How much of a question each sentence of a packet holds, weighed by how rare its terms are in the packet."""

    def __init__(self, found: Sequence[Sentence]) -> None:
        self.sentences = found
        self._terms = [frozenset(terms(sentence.text)) for sentence in found]
        self._frequency = Counter(term for each in self._terms for term in each)

    def weight(self, term: str) -> float:
        return math.log(1.0 + (len(self.sentences) + 1.0) / (self._frequency[term] + 0.5))

    def share(self, wanted: Iterable[str]) -> list[float]:
        """For each sentence the share of the weight of the wanted terms that it has, its neighbours' counting less; 0 to 1."""
        weights = self._weights(wanted)
        total = sum(weights.values())
        if not total:
            return [0.0] * len(self.sentences)
        return [
            sum(self._held(place, term) * w for term, w in weights.items()) / total for place in range(len(self._terms))
        ]

    def covered(self, wanted: Iterable[str], places: Sequence[int]) -> float:
        """The share of the weight of the wanted terms that some sentence of `places` has."""
        weights = self._weights(wanted)
        held = frozenset[str]().union(*(self._terms[place] for place in places))
        total = sum(weights.values())
        return sum(w for term, w in weights.items() if term in held) / total if total else 0.0

    def _weights(self, wanted: Iterable[str]) -> dict[str, float]:
        terms_ = {_STEM_OF.get(term, term) for term in wanted} - FUNCTION_TERMS
        return {term: self.weight(term) for term in sorted(terms_)}

    def _held(self, place: int, term: str) -> float:
        if term in self._terms[place]:
            return 1.0
        item = self.sentences[place].item
        around = [n for n in (place - 1, place + 1) if 0 <= n < len(self._terms) and self.sentences[n].item == item]
        return NEIGHBOUR if any(term in self._terms[n] for n in around) else 0.0
