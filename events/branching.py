"""A branch: a story that begins with what another one says up to a chapter.

What it inherits is read out of the parent's events and publications, with the numbers they have there: what a name in a
record binds to, and so what is live, depends on them. No text is read again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import groupby

from events.chapters import Publication
from events.domain_events import ChapterPublished, Json, RecordStated, StoryEvent
from events.grounding import Prepared
from events.ids import publication_id
from events.revisions import entry_of


@dataclass(frozen=True, slots=True)
class Inherited:
    """A publication of the parent as the branch takes it in, and what read its records out of the text."""

    publication: Publication
    prepared: Prepared
    extractor: str


def concerns(publication: Publication, at: int) -> bool:
    """Whether a publication is about the story up to chapter `at`: a text, or a decision that does not begin later."""
    decision: Mapping[str, Json] = publication.decision
    if publication.action in ("publish", "retract"):
        return publication.chapter <= at
    begins = {"checkpoint": "at", "merge": "since"}.get(publication.action)
    return begins is None or int(decision[begins]) <= at


def inherited(
    branch: str, publications: Iterable[Publication], events: Iterable[StoryEvent], at: int
) -> Iterator[Inherited]:
    """What the story `branch` inherits up to chapter `at`, in the order of the log.

    `publications` are those of the parent that are in its log, `events` all of its events in log order.
    """
    numbered = {publication.sequence: publication for publication in publications}
    for correlation, group in groupby(events, key=lambda event: event.correlation):
        told = list(group)
        publication = numbered.get(_sequence(correlation))
        if publication is not None and concerns(publication, at):
            first = told[0]
            extractor = first.extractor if isinstance(first, ChapterPublished) else ""
            yield Inherited(replace(publication, story=branch), _prepared(told), extractor)


def _sequence(correlation: str) -> int:
    """The number of the publication that a correlation names."""
    story, _, number = correlation.rpartition("/")
    assert publication_id(story, int(number)) == correlation
    return int(number)


def _prepared(told: list[StoryEvent]) -> Prepared:
    """The records of a publication, their evidence where the parent's log has it: the text may have been erased."""
    first = told[0]
    if not isinstance(first, ChapterPublished):
        return Prepared(0, [], [], [])
    at = (first.chapter, first.sequence, first.revision)
    stated = [event for event in told if isinstance(event, RecordStated)]
    return Prepared(
        first.length,
        [lambda e=event: entry_of({**e.payload, "id": _local(e)}, e.evidence, e.order.ordinal, at) for event in stated],  # type: ignore[misc]
        list(first.rejected),
        list(first.warnings),
        {_local(event): event.provenance for event in stated},
    )


def _local(event: RecordStated) -> str:
    return event.record.partition(":")[2]


def records_of(events: Iterable[StoryEvent]) -> tuple[list[Json], dict[str, Json]]:
    """The records of a publication as they were handed in or read, evidence by offsets; and by id what read each."""
    stated = sorted((e for e in events if isinstance(e, RecordStated)), key=lambda e: e.order.ordinal)
    records = [
        {**e.payload, "id": _local(e), "evidence": [{"start": start, "end": end} for start, end in e.evidence]}
        for e in stated
    ]
    return records, {_local(e): e.provenance for e in stated}
