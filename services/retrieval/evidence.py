"""What stands in a packet: passages, records, entities and state entries of a slice as items."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from projections.passages.read import RecordRow
from projections.words.brief import brief
from projections.words.verbalising import statement
from services.retrieval.cast import Figure
from services.retrieval.entries import Entry
from services.retrieval.packing import Item, Span
from services.retrieval.slices import Slice

ENTITIES, RECORDS, PASSAGES = 0, 1, 2
"""The sections of a mixed packet."""

_ENTRIES_SHOWN: Final = 8
_ALIASES_SHOWN: Final = 4


def passage_item(slice_: Slice, index: int, score: float, channel: str) -> Item:
    row = slice_.passages[index]
    name = f"{row.chapter}:{row.start}-{row.end}"
    span = Span(row.chapter, row.revision, row.start, row.end)
    order = (PASSAGES, row.chapter, row.start)
    return Item(f"p{name}", "passage", row.text, row.chapter, "passage", name, (span,), score, channel, order)


def record_item(slice_: Slice, index: int, score: float, channel: str) -> Item:
    """A record with its quote; what it set and no longer holds is marked, and other names are explained."""
    row = slice_.records[index]
    notes = _until(slice_, index) + _explained(slice_, row)
    text = row.text + (f" ({'; '.join(notes)})" if notes else "")
    order = (RECORDS, row.chapter, *row.order)
    return Item(row.name, row.kind, text, row.chapter, "record", row.name, spans_of(row), score, channel, order)


def figure_item(slice_: Slice, figure: Figure, score: float, channel: str) -> Item:
    """An entity: what it is called, what it is, and what holds of it; grounded in the records that introduce it."""
    cast = slice_.cast
    grounds = figure.introduced_in or figure.mentioned_in[:1]
    first = slice_.records[grounds[0]]
    payload = first.payload if figure.introduced_in else {}
    parts = [cast.name(figure.id) + (f", {payload['type']}" if "type" in payload else "")]
    if aliases := cast.aliases(figure):
        parts.append("also called " + ", ".join(aliases))
    parts += [d for d in (slice_.records[i].payload.get("description") for i in figure.introduced_in) if d]
    parts += [f"{e.key} = {e.value}" for e in _holding(slice_, figure)]
    evidence = tuple(span for index in grounds for span in spans_of(slice_.records[index]))
    order = (ENTITIES, first.chapter, *first.order)
    text = "; ".join(part.rstrip(".") for part in parts) + "."
    return Item(
        f"entity:{figure.id}", "entity", text, first.chapter, "record", first.name, evidence, score, channel, order
    )


def untyped(row: RecordRow) -> str:
    """A record's text without the tokens that name its type (NWM, appendix H): kind, attribute, thread kind, status, stance."""
    text = row.text
    for field in ("type", "attribute", "thread_kind", "status", "stance", "relation", "arc", "stage", "function"):
        value = row.payload.get(field)
        if isinstance(value, str) and value:
            text = text.replace(value.replace("_", " "), "", 1)
    return " ".join(text.split()) or row.text


def brief_record_item(slice_: Slice, index: int, score: float, channel: str, path: tuple[str, ...] = ()) -> Item:
    """What a record says without its quote, where the text it stands on has no room; its evidence is named all the same."""
    row = slice_.records[index]
    full = record_item(slice_, index, score, channel)
    said = statement(row.kind, row.payload)
    return replace(full, text=full.text.replace(row.text, said, 1), path=path)


def line_item(slice_: Slice, index: int, score: float, channel: str, path: tuple[str, ...] = ()) -> Item:
    """The core of what a record says, in a line, and until when it held; its evidence is named all the same."""
    row = slice_.records[index]
    notes = _until(slice_, index)
    text = brief(row.kind, row.payload) + (f" ({'; '.join(notes)})" if notes else "")
    order = (RECORDS, row.chapter, *row.order)
    return Item(row.name, row.kind, text, row.chapter, "record", row.name, spans_of(row), score, channel, order, path)


def brief_figure_item(slice_: Slice, figure: Figure, score: float, channel: str) -> Item:
    """Who an entity is in a line: its names, and what the chapter that introduces it says of it."""
    full = figure_item(slice_, figure, score, channel)
    profile = slice_.layers.profile(figure)
    parts = [f"{profile.name}, {profile.type}"]
    if profile.aliases:
        parts.append("also called " + ", ".join(profile.aliases[:_ALIASES_SHOWN]))
    parts += profile.descriptions[-1:]
    return replace(full, text="; ".join(part.rstrip(".") for part in parts) + ".", path=("asked about",))


def entry_item(slice_: Slice, entry: Entry, place: int, path: tuple[str, ...] = ()) -> Item:
    return _state_item(slice_, entry, f"since chapter {entry.valid_from}", place, path)


def ended_item(slice_: Slice, entry: Entry, place: int, path: tuple[str, ...] = ()) -> Item:
    """What a key was last, and that it is nothing since: `entry.valid_to` is a chapter."""
    return _state_item(slice_, entry, f"until chapter {entry.valid_to}, not any more", place, path)


def _state_item(slice_: Slice, entry: Entry, when: str, place: int, path: tuple[str, ...]) -> Item:
    first = slice_.records[entry.support[0]]
    text = f"{entry.key} = {entry.value} ({when})"
    name = f"state:{first.name}:{entry.key.partition('(')[0]}"  # a record sets one key of a sort
    return Item(name, "state", text, first.chapter, "record", first.name, spans_of(first), 0.0, "state", (place,), path)


def spans_of(row: RecordRow) -> tuple[Span, ...]:
    return tuple(Span(row.chapter, row.revision, start, end) for start, end in row.evidence)


def _until(slice_: Slice, index: int) -> list[str]:
    """When what the record set held no more."""
    entries = slice_.entries_of_record.get(index, ())
    return list(dict.fromkeys(f"until chapter {e.valid_to}" for e in entries if e.valid_to is not None))


def _explained(slice_: Slice, row: RecordRow) -> list[str]:
    """The canonical names behind the names that the record uses."""
    cast, notes = slice_.cast, []
    for _, entity, surface in row.mentions:
        name = cast.name(entity)
        if row.kind not in ("entity", "identity") and name.casefold() not in surface.casefold():
            notes.append(f"{surface}: {name}")
    return list(dict.fromkeys(notes))


def _holding(slice_: Slice, figure: Figure) -> list[Entry]:
    """What holds of the figure as subject, the latest first, a bounded number."""
    found = slice_.entries_of_subject.get(figure.id, ())
    return sorted(found, key=lambda e: (-e.valid_from, e.key))[:_ENTRIES_SHOWN]
