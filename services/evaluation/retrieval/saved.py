"""Packets on file, so that a report can be drawn again without retrieving.

`run.json`: what was run. `questions.jsonl`: the questions. `items.jsonl`: each different item once, with a key.
`packets.jsonl`: a packet a line, its items by key.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from hashlib import blake2b
from pathlib import Path
from typing import IO, Any, Final

import orjson

from events.errors import InvalidInput
from services.evaluation.retrieval.questions import Question

Json = Any

RUN, QUESTIONS, ITEMS, PACKETS = "run.json", "questions.jsonl", "items.jsonl", "packets.jsonl"
_KEPT: Final = ("id", "type", "text", "chapter", "record", "passage", "evidence", "score", "channel")


class NoPackets(InvalidInput):
    """The folder has no saved packets."""

    title = "There are no saved packets"
    slug = "no-saved-packets"


@dataclass(frozen=True, slots=True)
class SavedPacket:
    """A packet by a method for a question. `leaks` are keys of items that tell what comes after the checkpoint."""

    suite: str
    question: str
    method: str
    budget: int
    used: int
    seconds: float
    items: tuple[str, ...]
    leaks: tuple[str, ...] = ()
    trace: Json = None


class Writer:
    """Takes packets as they are made."""

    def __init__(self, items: IO[bytes], packets: IO[bytes]) -> None:
        self._items = items
        self._packets = packets
        self._seen: set[str] = set()

    def key(self, item: Mapping[str, Json]) -> str:
        """The item's key, under which it is on file from now on."""
        kept = {name: item[name] for name in _KEPT if name in item}
        content = orjson.dumps(kept)
        key = blake2b(content, digest_size=8).hexdigest()
        if key not in self._seen:
            self._seen.add(key)
            self._items.write(orjson.dumps({"key": key, **kept}) + b"\n")
        return key

    def add(self, packet: SavedPacket) -> None:
        self._packets.write(orjson.dumps(asdict(packet)) + b"\n")


@contextmanager
def writing(directory: Path, questions: Sequence[Question]) -> Iterator[Writer]:
    """Saves into the directory, in place of what it has."""
    directory.mkdir(parents=True, exist_ok=True)
    lines = b"".join(orjson.dumps(question.to_json()) + b"\n" for question in questions)
    (directory / QUESTIONS).write_bytes(lines)
    with ExitStack() as stack:
        items = stack.enter_context((directory / ITEMS).open("wb"))
        packets = stack.enter_context((directory / PACKETS).open("wb"))
        yield Writer(items, packets)


@dataclass(frozen=True, slots=True)
class Saved:
    """What a run left: questions by (suite, id), items by key, packets in the order in which they were made."""

    run: Json
    questions: dict[tuple[str, str], Question]
    items: dict[str, Json]
    packets: list[SavedPacket]


def save_run(directory: Path, run: Json) -> None:
    (directory / RUN).write_text(json.dumps(run, indent=2, ensure_ascii=False) + "\n", "utf-8")


def read(directory: Path) -> Saved:
    """What is saved. Raises `NoPackets` naming the file that is missing or broken."""
    try:
        run = json.loads((directory / RUN).read_bytes())
        questions = [Question.from_json(line) for line in _lines(directory / QUESTIONS)]
        items = {line.pop("key"): line for line in _lines(directory / ITEMS)}
        packets = [_packet(line) for line in _lines(directory / PACKETS)]
    except OSError as error:
        raise NoPackets(
            f"{error.filename} cannot be read; give a folder written by `fabula eval retrieval --report`."
        ) from None
    except (ValueError, KeyError, TypeError) as error:
        raise NoPackets(f"{directory} has a file that cannot be used ({error}); run the evaluation again.") from None
    return Saved(run, {(q.suite, q.id): q for q in questions}, items, packets)


def _packet(line: Json) -> SavedPacket:
    packet = SavedPacket(**line)
    return replace(packet, items=tuple(packet.items), leaks=tuple(packet.leaks))


def _lines(path: Path) -> Iterator[Json]:
    with path.open("rb") as file:
        for line in file:
            if line.strip():
                yield orjson.loads(line)
