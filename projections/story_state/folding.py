"""The story state of one story followed from publication to publication, in memory: the one way its rows come and go.

A runner follows it from where it stands (`batches`); a rebuild takes records and keys one after the other (`bulk`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from projections.facets import FacetChange, since
from projections.record_fold import RecordFold, until
from projections.record_versions import RECORDS
from projections.record_view import RecordView
from projections.stored_publications import StoredPublication
from projections.story_state.assertions import ASSERTIONS, assertion_rows, entities_of_keys
from projections.story_state.key_fold import KeyFold, said_of
from projections.story_state.places import PlaceFold
from projections.story_state.rows import INTERVAL_COLUMNS, KEY_ENTITY_COLUMNS, interval_row, key_changes
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

    def take(self, publication: StoredPublication) -> list[FacetChange]:
        """What the publication changed in the assertions, which `refold` is due next, before another is refolded."""
        self._places.take(publication, publication.chapter_positions)
        once = publication.asserted
        changed, by_table = self._records.take(publication.events, publication.last_position, once)
        self._name(entities_of_keys([c.after for c in changed if c.after.live]))
        self._name(
            (entity, setting.node_key) for each in once for setting in each.settings for entity in setting.entities
        )
        came = [FacetChange(each.uid, (), assertion_rows(each)) for each in once if each.settings]
        return by_table[ASSERTIONS.table] + came

    def refold(self, asserted: Sequence[FacetChange], position: int) -> None:
        """Bring the intervals up to date."""
        self._say(asserted)
        for change in key_changes(asserted):
            for span, origin in self.keys[change.node_key].refold(change, position):
                if origin < 0:
                    self._writing.end(self._intervals, position, -origin)
                else:
                    recorded = until(origin, position)
                    self._intervals.rows.append(interval_row(self._story, change.node_key, span, recorded))

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

    def _say(self, asserted: Iterable[FacetChange]) -> None:
        """Bring what is said of the keys up to date."""
        for change in asserted:
            for row in change.before:
                self.keys[str(row[0])].unsay(said_of(change.uid, row))
            for row in change.after:
                key = str(row[0])
                fold = self.keys.get(key)
                if fold is None:
                    fold = self.keys[key] = KeyFold()
                fold.say(said_of(change.uid, row))
