"""Making a publication ready to be taken in: every record's evidence is located in the text, or the record is rejected."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from events.chapters import Publication
from events.domain_events import Json
from events.evidence import TextIndex
from events.revisions import Entry, entry_of


@dataclass(frozen=True, slots=True)
class Prepared:
    """A publication's text and records, made ready: `parts` build fresh entries for each attempt."""

    length: int
    parts: list[Callable[[], Entry]]
    rejected: list[Json]
    warnings: list[str]
    provenance: Mapping[str, Json] = field(default_factory=dict)
    """By record id, what read it out of the text."""

    def fresh(self) -> list[Entry]:
        return sorted((part() for part in self.parts), key=lambda e: e.place)


def located(
    publication: Publication,
    records: Sequence[dict[str, Any]],
    text: str,
    warnings: list[str],
    provenance: Mapping[str, Json],
) -> Prepared:
    """Locates the evidence of every record; what cannot be located is rejected, with a reason."""
    index = TextIndex(text)
    at = (publication.chapter, publication.sequence, publication.revision)
    parts: list[Callable[[], Entry]] = []
    rejected: list[Json] = []
    for ordinal, record in enumerate(records):
        found = [
            span
            for e in record.get("evidence", ())
            if (span := index.locate(quote=e.get("quote"), start=e.get("start"), end=e.get("end")))
        ]
        if found:
            spans = tuple((span.start, span.end) for span in found)
            parts.append(lambda r=record, s=spans, o=ordinal: entry_of(r, s, o, at))  # type: ignore[misc]
        else:
            quote = next((e["quote"] for e in record.get("evidence", ()) if e.get("quote")), None)
            rejected.append({"record": record["id"], "reason": ungrounded(quote)})
    return Prepared(len(text), parts, rejected, warnings, provenance)


def ungrounded(quote: str | None) -> str:
    if quote is None:
        return "It has no evidence that lies in the text; give a quote, or start and end offsets inside it."
    return f"Its quote is not in the text: {quote[:80]!r}. Quote the chapter word for word."
