"""What every audit view is drawn from: the live records up to a moment, under the names that hold then, with their evidence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from events.domain_events import Json
from events.ids import EntityId
from events.names import READER, name_key
from events.references import fact_text
from projections.story_state.found import RecordRow
from projections.words.verbalising import statement
from services.reading.naming import Naming
from services.reading.quoting import Quote, Spans, Texts, quoting
from services.reading.session import Moment, Session

_FOLLOWED: Final = 5
"""How many names of records are followed from one to the next: a chain of them ends, a circle does not."""
_INSIDE: Final = frozenset("’'-")
_BEYOND: Final = 3
"""Characters past a record's words that tell whether they are cut off."""


class Material:
    """Live records of some kinds as of a moment, in telling order. Nothing after the moment is read."""

    def __init__(self, session: Session, texts: Texts, moment: Moment, kinds: Sequence[str]) -> None:
        self.session = session
        self.moment = moment
        self.naming = Naming(session, moment)
        self.rows = session.state.records_of_kind(moment.story, kinds, moment.at, moment.believed)
        self.naming.load({m.entity for row in self.rows for m in row.mentions})
        self._texts = texts
        self._by_name = {row.name: row for row in self.rows}
        self._quote: Quote | None = None

    @property
    def actual(self) -> list[RecordRow]:
        return [row for row in self.rows if is_actual(row)]

    def who(self, row: RecordRow, field: str) -> list[EntityId]:
        """The entities that a field of the record names, each once, as they are known now."""
        found = (self.naming.head(m.entity) for m in row.mentions if m.slot.partition(".")[0] == field)
        return list(dict.fromkeys(found))

    def names(self, heads: Iterable[str]) -> list[str]:
        return [self.naming.name(head) for head in heads]

    def said(self, row: RecordRow) -> str:
        """The record as a sentence, under canonical names."""
        return statement(row.kind, self.naming.renamed(row.payload, row.mentions))

    def evidence(self, *rows: RecordRow) -> list[Json]:
        """Where the text says so, one span after the other."""
        return [span for row in rows for span in self.evidence_of(row, row.evidence)]

    def evidence_of(self, row: RecordRow, spans: Spans) -> list[Json]:
        """Spans of the text that a record is of, each with its words."""
        if self._quote is None:
            revisions = {(row.chapter, row.revision) for row in self.rows}
            self._quote = quoting(self.session, self.moment, self._texts, revisions)
        return self._quote(row.chapter, row.revision, spans)

    def is_cut_off(self, row: RecordRow) -> bool:
        """Whether the text goes on, past the record's words, without a stop or a comma: they are only a part of a clause."""
        start, end = row.evidence[-1]
        shown = self.evidence_of(row, [(start, end + _BEYOND)])
        rest = (shown[0]["quote"] or "")[end - start :].lstrip() if shown else ""
        return rest[:1].isalnum() or (rest[:1] in _INSIDE and rest[1:2].isalnum())

    def fact(self, row: RecordRow) -> str:
        """The text of what is known or revealed: where the record names another record, what that one says."""
        written, chapter = str(row.payload["fact"]), row.chapter
        for _ in range(_FOLLOWED):
            named = self._by_name.get(written if ":" in written else f"{chapter}:{written}")
            told = None if named is None or named is row else fact_text(named.payload)
            if named is None or told is None:
                break
            written, chapter = told, named.chapter
        return written


def is_actual(row: RecordRow) -> bool:
    return bool(row.payload.get("modality", "actual") == "actual")


def names_reader(value: Json) -> bool:
    """Whether a field that takes people, one or several, names the reader."""
    names = [value] if isinstance(value, str) else value or []
    return any(name_key(name) == READER for name in names)


def scene_of(row: RecordRow) -> int:
    """The number of the record's scene in its chapter; 0: it does not say."""
    return int(row.payload.get("scene") or 0)
