"""The records of a story followed from publication to publication, in memory: the one way rows of facets come and go.

A rebuild follows a story from its beginning, a runner from where it stands, with the records that a batch concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from projections.facets import OWN_COLUMNS, Facet, FacetChange, Row, facet_changes, since
from projections.publications import PublicationEvents
from projections.record_versions import RECORDS, view_of
from projections.record_view import Change, RecordView, changes, record_uids
from projections.tables import Table, Tables

Open: TypeAlias = tuple[Sequence[Row], int]
"""Rows that hold, and since which position."""


class RecordFold:
    """The facets of one story's records. `RECORDS` has to be among them.

    `heads` are the records whose rows are in the tables already, as they are shown: those that the publications name.
    """

    def __init__(
        self, story: str, facets: Sequence[Facet], tables: Tables, heads: Mapping[str, RecordView] | None = None
    ) -> None:
        self._story = story
        self._facets = facets
        self._writing = tables
        self._heads = heads or {}
        self._tables: dict[str, Table] = {f.table: tables.table(f.table, (*OWN_COLUMNS, *f.columns)) for f in facets}
        self._open: dict[str, dict[str, Open]] = {facet.table: {} for facet in facets}

    def take(self, publication: PublicationEvents) -> tuple[list[Change], dict[str, list[FacetChange]]]:
        """What the publication changed: in the records, and in the rows of each table."""
        heads = {uid: view for uid in record_uids(publication.events) if (view := self._head(uid))}
        changed = changes(heads, (recorded.event for recorded in publication.events))
        by_table = {facet.table: facet_changes(facet, changed) for facet in self._facets}
        for table, rows in by_table.items():
            self._store(table, rows, publication.last_position)
        return changed, by_table

    def finish(self) -> None:
        """Write the rows that still hold."""
        for table, held in self._open.items():
            for uid, (rows, start) in held.items():
                self._write(table, uid, since(start), rows)
            held.clear()

    def _head(self, uid: str) -> RecordView | None:
        found = self._open[RECORDS.table].get(uid)
        return self._heads.get(uid) if found is None else view_of(uid, found[0][0])

    def _store(self, table: str, changed: Sequence[FacetChange], position: int) -> None:
        held = self._open[table]
        for change in changed:
            if change.before:
                if change.uid in held:
                    rows, start = held.pop(change.uid)
                    self._write(table, change.uid, until(start, position), rows)
                else:
                    self._writing.end(self._tables[table], position, self._story, change.uid)
            if change.after:
                held[change.uid] = (change.after, position)

    def _write(self, table: str, uid: str, recorded: str, rows: Sequence[Row]) -> None:
        waiting = self._tables[table].rows
        for row in rows:
            waiting.append((self._story, uid, recorded, *row))


def until(start: int, end: int) -> str:
    """The range of positions from `start` to before `end`, as PostgreSQL reads it."""
    return f"[{start},{end})"
