"""The records of a story followed from publication to publication, in memory: the one way rows of facets come and go.

A rebuild follows a story from its beginning, a runner from where it stands, with the records that a batch concerns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from events.domain_events import Recorded
from projections.copying import escaped
from projections.facets import OWN_COLUMNS, Facet, FacetChange, Row, facet_changes, since
from projections.once_asserted import OnceAsserted
from projections.record_body import view_of
from projections.record_versions import RECORDS
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

    def take(
        self, events: Sequence[Recorded], position: int, once: Sequence[OnceAsserted] = ()
    ) -> tuple[list[Change], dict[str, list[FacetChange]]]:
        """What a publication that ends at `position` changed: in the records, and in the rows of each table.

        `once` are records that it asserts and of which nothing else is ever told: their rows are written and forgotten.
        """
        if once:
            self._write_once(once, since(position))
        heads = {uid: view for uid in record_uids(events) if (view := self._head(uid))}
        changed = changes(heads, (recorded.event for recorded in events))
        by_table = {facet.table: facet_changes(facet, changed) for facet in self._facets}
        for table, rows in by_table.items():
            self._store(table, rows, position)
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

    def _write_once(self, once: Sequence[OnceAsserted], recorded: str) -> None:
        story = escaped(self._story)
        own = [(f"{story}\t{escaped(each.uid)}\t{recorded}\t", each) for each in once]
        views: list[RecordView] = []
        for facet in self._facets:
            table = self._tables[facet.table]
            if facet.lines is not None:
                lines = facet.lines
                table.lines += [begun + rest for begun, each in own for rest in lines(each)]
            else:
                views = views or [each.view() for each in once]
                table.rows += [(self._story, v.uid, recorded, *row) for v in views for row in facet.rows(v)]

    def _write(self, table: str, uid: str, recorded: str, rows: Sequence[Row]) -> None:
        waiting = self._tables[table].rows
        for row in rows:
            waiting.append((self._story, uid, recorded, *row))


def until(start: int, end: int) -> str:
    """The range of positions from `start` to before `end`, as PostgreSQL reads it."""
    return f"[{start},{end})"
