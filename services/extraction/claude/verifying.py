"""Verification: a record of a reply holds only if the vocabulary allows it and the text says so where it quotes it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from events.domain_events import Json
from events.errors import InvalidRecords
from events.evidence import TextIndex, folded
from events.sidecar import validate
from services.extraction.claude import wire
from services.extraction.claude.chunking import Chunk, scene_numbers
from services.extraction.claude.context import Context

_RECORD_NAME: Final = re.compile(r"^[1-9]\d*:\S+$")
_ACTORS: Final = ("character", "source", "target", "knower", "owner", "object", "entity")
_HONORIFICS: Final = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "miss",
        "dr",
        "sir",
        "dame",
        "lady",
        "lord",
        "captain",
        "professor",
        "madame",
        "monsieur",
        "herr",
        "frau",
        "the",
    ]
)


@dataclass(frozen=True, slots=True)
class Rejected:
    """A record as the model wrote it, and why it does not hold."""

    said: Json
    reason: str


class Verifier:
    """Checks the records of replies about one chapter."""

    def __init__(self, text: str, chapter: int, context: Context) -> None:
        self._text = text
        self._chapter = chapter
        self._context = context
        self._folded = folded(text).casefold()
        self._known = {folded(name).casefold() for name in context.names}
        self._scenes = scene_numbers(text)

    def verify(self, said: Iterable[Json], chunk: Chunk) -> tuple[list[dict[str, Any]], list[Rejected]]:
        """The records that hold, their evidence located in the chapter, and the rest. Ids are unique in what holds."""
        index = TextIndex(self._text[chunk.start : chunk.end])
        held: list[dict[str, Any]] = []
        rejected: list[Rejected] = []
        ids: set[str] = set()
        # entities first: the names they bring may be used by the others
        for each in sorted(said, key=lambda s: _kind(s) != "entity"):
            try:
                record = self._record(each, index, chunk)
                if record["id"] in ids:
                    raise ValueError("its id is used twice in the reply")
            except (ValueError, InvalidRecords) as error:
                rejected.append(Rejected(each, str(error)))
                continue
            ids.add(record["id"])
            held.append(record)
        return sorted(held, key=position), rejected

    def _record(self, said: Json, index: TextIndex, chunk: Chunk) -> dict[str, Any]:
        record = wire.record(said)
        record["id"] = str(record.get("id", "")).rpartition(":")[2]
        record["evidence"] = _located(record.get("evidence"), index, chunk.start)
        record["scene"] = self._scene(record["evidence"][0]["start"])
        self._only_known_references(record)
        record = validate([record])[0]
        self._check_names(record)
        self._only_known_circumstances(record)
        return record

    def _scene(self, at: int) -> int:
        number = bisect_right([start for start, _ in self._scenes], at)
        return max(1, number)

    def _only_known_references(self, record: dict[str, Any]) -> None:
        """Leave out what refers to a record or a state that the model was not shown: it would never hold."""
        names = [str(name) for name in record.pop("depends_on", ()) if isinstance(name, str)]
        names = [name.removeprefix(f"{self._chapter}:") for name in names]
        if kept := [name for name in names if not _RECORD_NAME.match(name) or name in self._context.records]:
            record["depends_on"] = kept
        wanted = [each for each in record.pop("requires", ()) if isinstance(each, dict)]
        held = [w for w in wanted if self._context.holds(str(w.get("key")), _plain(w.get("value")))]
        if held:
            record["requires"] = held

    def _only_known_circumstances(self, record: dict[str, Any]) -> None:
        """Leave out a focalizer whom nobody names, and a chapter that is still to come: the record holds without them."""
        if "focalizer" in record and not self._has(record["focalizer"]):
            del record["focalizer"]
        if record.get("event_chapter", 0) > self._chapter:
            del record["event_chapter"]

    def _check_names(self, record: dict[str, Any]) -> None:
        if record["kind"] == "entity":
            if not self._has(record["name"]):
                raise ValueError(f"the text does not have the name {record['name']!r}")
            record["aliases"] = [alias for alias in record.get("aliases", ()) if self._has(alias)]
            self._known |= {folded(name).casefold() for name in (record["name"], *record["aliases"])}
            return
        for slot in _ACTORS:
            name = record.get(slot)
            if slot == "object" and record["kind"] != "object_delta":
                continue
            if isinstance(name, str) and not self._has(name):
                raise ValueError(f"neither the text nor an earlier chapter has the name {name!r}")

    def _has(self, name: str) -> bool:
        """Whether the text has the name, letter for letter but for titles; of a description, whether it has any word."""
        whole = folded(name).casefold()
        if whole in self._known or whole in self._folded:
            return True
        words = [word for word in whole.split() if word.strip(".") not in _HONORIFICS]
        if any(word[:1].isupper() for word in folded(name).split() if word.casefold().strip(".") not in _HONORIFICS):
            return bool(words) and " ".join(words) in self._folded
        return any(len(word) > 2 and word in self._folded for word in words) or whole in ("narrator", "the narrator")


def position(record: dict[str, Any]) -> int:
    """Where the record's first evidence begins."""
    return int(record["evidence"][0]["start"])


def _located(evidence: Json, index: TextIndex, offset: int) -> list[dict[str, Any]]:
    quotes = [span.get("quote") for span in evidence if isinstance(span, dict)] if isinstance(evidence, list) else []
    if not quotes:
        raise ValueError("it quotes nothing")
    found = []
    for quote in quotes:
        span = index.locate(quote=quote, start=None, end=None) if isinstance(quote, str) else None
        if span is not None:
            found.append(
                {"quote": index.text[span.start : span.end], "start": span.start + offset, "end": span.end + offset}
            )
    if not found:
        raise ValueError(f"the text does not have the quote {str(quotes[0])[:80]!r}")
    return sorted(found, key=lambda span: span["start"])


def _kind(said: Json) -> Json:
    content = said.get("content") if isinstance(said, dict) else None
    return content.get("kind") if isinstance(content, dict) else isinstance(said, dict) and said.get("kind")


def _plain(value: Json) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
