"""The story state of one story followed from publication to publication, in memory: the one way its rows come and go.

A runner follows it from where it stands (`batches`); a rebuild takes records and keys one after the other (`bulk`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from projections.facets import since
from projections.record_fold import RecordFold, until
from projections.record_versions import RECORDS
from projections.record_view import RecordView
from projections.stored_publications import StoredPublication
from projections.story_state.assertions import ASSERTIONS, entities_of_keys
from projections.story_state.key_fold import KeyChange, KeyFold, said_of
from projections.story_state.places import PlaceFold
from projections.story_state.rows import INTERVAL_COLUMNS, KEY_ENTITY_COLUMNS, interval_row
from projections.tables import Tables


class StoryFold:
    """The story state of one story, followed from publication to publication: `take` the records, then `refold` the keys.

    What is in the tables already has to be recalled: by `heads` the records that the publications name, by `keys` those
    whose assertions they change.
    """

    def __init__(self, story: str, tables: Tables, heads: Mapping[str, RecordView] | None = None) -> None:
        self._story = story
        self._writing = tables
        self._intervals = tables.table("intervals", INTERVAL_COLUMNS, {"id": "bigint"})
        self._key_entities = tables.table("key_entities", KEY_ENTITY_COLUMNS, unique=True)
        self._places = PlaceFold(story, tables)
        self._records = RecordFold(story, (RECORDS, ASSERTIONS), tables, heads)
        self.keys: dict[str, KeyFold] = {}
        self._entities: set[tuple[str, str]] = set()

    def take(self, publication: StoredPublication) -> dict[str, KeyChange]:
        """What the publication says of keys, which `refold` is due next, before another is refolded."""
        self._places.take(publication, publication.chapter_positions)
        once = publication.asserted
        changed, by_table = self._records.take(publication.events, publication.last_position, once)
        self._name(entities_of_keys([c.after for c in changed if c.after.live]))
        said: dict[str, KeyChange] = {}
        for change in by_table[ASSERTIONS.table]:
            for row in change.before:
                _of(said, str(row[0])).went.append(said_of(change.uid, row))
            for row in change.after:
                _of(said, str(row[0])).came.append(said_of(change.uid, row))
        for each in once:
            if each.settings:
                place = (each.chapter, *each.order, each.uid)
                for setting in each.settings:
                    key = setting.node_key
                    _of(said, key).came.append((*place, setting.value or ""))
                    self._name([(entity, key) for entity in setting.entities])
        return said

    def refold(self, said: Mapping[str, KeyChange], position: int) -> None:
        """Bring the intervals up to date."""
        for key, change in said.items():
            fold = self.keys.get(key)
            if fold is None:
                fold = self.keys[key] = KeyFold()
            for span, origin in fold.take(change.went, change.came, position):
                if origin < 0:
                    self._writing.end(self._intervals, position, -origin)
                else:
                    self._intervals.rows.append(interval_row(self._story, key, span, until(origin, position)))

    def finish(self) -> None:
        """Write what still holds."""
        self._places.finish()
        self._records.finish()
        for key, fold in self.keys.items():
            self._intervals.rows += [interval_row(self._story, key, s, since(start)) for s, start in fold.opened()]

    def _name(self, named: Iterable[tuple[str, str]]) -> None:
        """Keep which entities the keys name."""
        for entity, key in named:
            if (entity, key) not in self._entities:
                self._entities.add((entity, key))
                self._key_entities.rows.append((self._story, entity, key))


def _of(said: dict[str, KeyChange], key: str) -> KeyChange:
    found = said.get(key)
    if found is None:
        found = said[key] = KeyChange()
    return found
