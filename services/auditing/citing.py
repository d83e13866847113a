"""Records of an index as they are shown: their names, what they say, and the words they rest on."""

from __future__ import annotations

from collections.abc import Iterable

from events.domain_events import Json
from events.revisions import Entry
from events.story_index import StoryIndex
from projections.words.verbalising import statement


def evidence(index: StoryIndex, entry: Entry) -> list[Json]:
    """The spans that a record rests on, with their words; None for the words of an erased text."""
    text = index.text_of(entry)
    return [
        {
            "chapter": entry.chapter,
            "revision": entry.revision,
            "start": start,
            "end": end,
            "quote": text[start:end] if text else None,
        }
        for start, end in entry.evidence
    ]


def cited(index: StoryIndex, entry: Entry) -> Json:
    """A record: its name, kind, chapter, what it says as a sentence, and its evidence."""
    return {
        "record": entry.name,
        "kind": entry.kind,
        "chapter": entry.chapter,
        "says": statement(entry.kind, entry.payload),
        "evidence": evidence(index, entry),
    }


def of_all(index: StoryIndex, entries: Iterable[Entry]) -> list[Json]:
    """The evidence of several records, each span once."""
    spans = [span for entry in entries for span in evidence(index, entry)]
    return list({(s["chapter"], s["revision"], s["start"], s["end"]): s for s in spans}.values())
