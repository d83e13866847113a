"""A reader over saved packets; what it answered is saved beside them, so that nothing is asked twice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from hashlib import blake2b
from pathlib import Path

import orjson

from services.answering.readers import Answer, Reader
from services.evaluation.retrieval.questions import Question
from services.evaluation.retrieval.saved import NoPackets, Saved, SavedPacket


@dataclass(frozen=True, slots=True)
class Read:
    """An answer from a packet."""

    question: Question
    packet: SavedPacket
    answer: Answer


def answers_file(directory: Path, reader: str) -> Path:
    return directory / f"answers-{reader}.jsonl"


def read_all(
    saved: Saved,
    reader: Reader,
    directory: Path,
    *,
    time: int = 1,
    told: Callable[[str], None] = lambda _: None,
) -> list[Read]:
    """The reader's answers from every saved packet under a budget, in the packets' order; asked for the `time`th time."""
    file = answers_file(directory, reader.name)
    known = _known(file)
    found: list[Read] = []
    packets = [packet for packet in saved.packets if packet.budget]
    with file.open("ab") as out:
        for number, packet in enumerate(packets):
            if number % 500 == 0:
                told(f"reading: {number:,} of {len(packets):,} packets")
            question = saved.questions[packet.suite, packet.question]
            key = _key(question, packet, time)
            answer = known.get(key)
            if answer is None:
                items = [saved.items[each] for each in packet.items]
                answer = known[key] = reader.answer(question.text, {"items": items}, question.options)
                out.write(orjson.dumps({"key": key, **asdict(answer)}) + b"\n")
            found.append(Read(question, packet, answer))
    return found


def _key(question: Question, packet: SavedPacket, time: int) -> str:
    """Equal questions about equal packets have equal keys, whichever method made them."""
    asked = json.dumps([question.text, question.options, packet.items, time])
    return blake2b(asked.encode(), digest_size=12).hexdigest()


def _known(file: Path) -> dict[str, Answer]:
    return dict(_lines(file)) if file.is_file() else {}


def _lines(file: Path) -> Iterator[tuple[str, Answer]]:
    for line in file.read_bytes().splitlines():
        try:
            value = orjson.loads(line)
            yield value["key"], Answer(value["text"], value["abstained"], tuple(value["evidence_ids"]))
        except (ValueError, KeyError, TypeError):
            raise NoPackets(f"{file} has a line that cannot be read; remove the file and run again.") from None
