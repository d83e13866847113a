"""What holds now, beside an answer that tells what held before.

Sentences of a story tell what was so when they were written: where the ring lay, what somebody wanted. Where a record says that
a value which such a sentence gives has been replaced since, the answer gives the one that holds, too, or it leaves the sentence out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from services.answering.evidence import assembled
from services.answering.readers.sentences import split
from services.retrieval.slices import Slice
from services.retrieval.superseding import current

Json = Any
_SHORTEST: Final = 20
"""Characters of a piece of a sentence that tells what the whole one does."""


@dataclass(frozen=True, slots=True)
class Completed:
    """An answer with what holds now beside it. `keys`: those of which it told a past value; `text` is empty where nothing is left."""

    text: str
    evidence_ids: tuple[str, ...]
    packet: dict[str, Json]
    keys: tuple[str, ...]


def completed(slice_: Slice, text: str, evidence_ids: Sequence[str], packet: Mapping[str, Json]) -> Completed:
    """The answer as it may stand: each replaced value that one of its sentences gives has the one that holds with it.

    Where the packet has no room for that, the sentence goes. An answer of words that are no sentence of its evidence stays.
    """
    given = _given(slice_, text, evidence_ids, packet)
    keys = sorted({key for found in given.values() for key in found})
    now = {key: [item.to_json() for item in current(slice_, key)] for key in keys}
    cited = [
        item for item in packet["items"] if item["id"] in set(evidence_ids)
    ]  # what the answer rests on comes first
    whole = assembled(packet, [*cited, *(item for key in keys for item in now[key])], []) if keys else dict(packet)
    there = {item["id"] for item in whole["items"]}
    told = [key for key in keys if now[key] and all(item["id"] in there for item in now[key])]
    dropped = [sentence for sentence, found in given.items() if not found <= set(told)]
    said = _without(text, dropped)
    if not said:
        return Completed("", (), dict(packet), tuple(keys))
    beside = [item for key in told for item in now[key] if item["text"] not in said]
    notes = " ".join(f"[{item['text']}]" for item in beside)
    ids = dict.fromkeys((*evidence_ids, *(item["id"] for item in beside)))
    return Completed(f"{said} {notes}".strip(), tuple(ids), whole, tuple(keys))


def _given(slice_: Slice, text: str, ids: Sequence[str], packet: Mapping[str, Json]) -> dict[str, frozenset[str]]:
    """By sentence of the answer, the keys of which it gives a past value; those whose present value it gives anywhere are none."""
    cited = [item for item in packet["items"] if item["id"] in set(ids)]
    found: dict[str, frozenset[str]] = {}
    told: set[str] = set()
    for sentence in dict.fromkeys((*split(text), *_pieces(text, cited))):
        standing = frozenset(n for item in cited for n in _standing(slice_, sentence, item))
        if standing:
            told |= slice_.past.told_by(sentence, standing)
            found[sentence] = slice_.past.given_by(sentence, standing)
    return {sentence: keys - told for sentence, keys in found.items() if keys - told}


def _pieces(text: str, cited: Sequence[Json]) -> Iterator[str]:
    """The sentences of the evidence that an answer has in it, wherever its own begin and end."""
    said = " ".join(text.split())
    for item in cited:
        yield from (sentence for sentence in split(item["text"]) if len(sentence) >= _SHORTEST and sentence in said)


def _standing(slice_: Slice, sentence: str, item: Json) -> Iterator[int]:
    """The records that stand on a sentence of an answer, as it is told by an item."""
    record = slice_.record_by_name.get(item.get("record") or "")
    said = " ".join(sentence.split())
    if record is not None:
        if len(said) >= _SHORTEST and said.rstrip(".") in " ".join(item["text"].split()):
            yield record
        return
    for span in item["evidence"]:
        first, last = slice_.sentences.at(span["chapter"], span["start"], span["end"])
        for number in range(first, last):
            if _is_told(said, _text(slice_, number)):
                yield from slice_.provenance.records_of(number).tolist()


def _is_told(said: str, sentence: str) -> bool:
    """Whether what is said is this sentence, a good piece of it, or has it in it: texts are cut into sentences in more than one way."""
    return sentence in said or (len(said) >= _SHORTEST and said in sentence)


def _text(slice_: Slice, number: int) -> str:
    run = slice_.sentences.run(int(slice_.sentences.run_of[number]))
    start, end = slice_.sentences.spans[number] - run.start
    return " ".join(run.text[start:end].split())


def _without(text: str, dropped: Iterable[str]) -> str:
    gone = list(dropped)
    kept = (sentence for sentence in split(text) if not any(each in sentence or sentence in each for each in gone))
    return " ".join(kept) if gone else text
