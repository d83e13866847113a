"""What promoting a branch would publish into its parent, and what speaks against it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from events.branching import records_of
from events.chapters import PROMOTION, Promotion, Publication, PublicationRequest
from events.domain_events import StoryEvent
from events.errors import Conflict
from events.ids import PublicationId
from events.ledger import Ledger
from events.publications import PublicationRow
from services.branching.branches import Branch
from services.documents import Document

AHEAD: Final = 2**40
"""No story has so many publications: the real numbers are given when the chapters are published."""


@dataclass(frozen=True, slots=True)
class Promoted:
    """A chapter of the branch that the parent does not have so: as it is there, and what is to be published."""

    publication: Publication
    request: PublicationRequest
    records: list[dict[str, Any]]
    new: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """`chapters` in order. `moved`: chapters of the parent (0: a decision) that were published since the fork.

    `blocking` are those of them that the branch rests on, or would write. `left` is what is not promoted: chapters up to
    the fork that were edited in the branch, and `decisions`, how many an editor made in it.
    """

    branch: Branch
    chapters: tuple[Promoted, ...]
    moved: tuple[int, ...]
    blocking: tuple[int, ...]
    left: tuple[int, ...]
    decisions: int


def plan(ledger: Ledger, branch: Branch, own: Sequence[PublicationRow], parents: Sequence[PublicationRow]) -> Plan:
    """The plan from what is in the log of the branch and of its parent, each by number. Raises Conflict for an erased text."""
    mine = [row.publication for row in own if row.publication.sequence > branch.sequence]
    theirs = [row.publication for row in parents]
    latest = {p.chapter: p for p in theirs if p.chapter}
    ours = {p.chapter: p for p in mine if p.chapter}
    candidates = [p for c, p in sorted(ours.items()) if c > branch.forked_at and p.action == "publish"]
    chosen = [p for p in candidates if not _same(p, latest.get(p.chapter))]
    told = _told(ledger, branch, {p.id for p in chosen})
    since = [p for p in theirs if p.sequence > branch.sequence and not is_from(p, branch)]
    moved = sorted({p.chapter for p in since})
    writes = {p.chapter for p in chosen}
    return Plan(
        branch=branch,
        chapters=tuple(_promoted(ledger, branch, p, latest.get(p.chapter), told.get(p.id, [])) for p in chosen),
        moved=tuple(moved),
        blocking=tuple(c for c in moved if 0 < c <= branch.forked_at or c in writes),
        left=tuple(sorted(c for c in ours if c <= branch.forked_at)),
        decisions=sum(1 for p in mine if not p.chapter),
    )


def preview(ledger: Ledger, found: Plan) -> Document:
    """The plan, and by chapter the keys of the parent's state whose value would be another from there on."""
    latest = {row.publication.chapter: row.publication.revision for row in ledger.latest(found.branch.parent)}
    planned = [
        (
            replace(
                each.publication,
                story=found.branch.parent,
                sequence=AHEAD + n,
                revision=latest.get(each.publication.chapter, 0) + 1,
                decision=each.request.decision,
                records=each.records,
            ),
            each.records,
        )
        for n, each in enumerate(found.chapters, start=1)
    ]
    changed = ledger.rehearse(found.branch.parent, planned).changed() if planned else {}
    return {
        "story": found.branch.parent,
        "branch": found.branch.branch,
        "forked_at": found.branch.forked_at,
        "chapters": [
            {"chapter": each.publication.chapter, "title": each.publication.title, "new": each.new}
            for each in found.chapters
        ],
        "changes": [
            {"chapter": chapter, "keys": [{"key": k, "before": old, "after": new} for k, old, new in keys]}
            for chapter, keys in sorted(changed.items())
        ],
        "moved": list(found.moved),
        "blocking": list(found.blocking),
        "left": {"chapters": list(found.left), "decisions": found.decisions},
    }


def _same(one: Publication, other: Publication | None) -> bool:
    return other is not None and other.action == "publish" and other.content_hash == one.content_hash


def is_from(publication: Publication, branch: Branch) -> bool:
    """Whether it was promoted from this very branch: promoting again goes on where it was interrupted."""
    promotion = publication.promotion
    return promotion is not None and promotion.branch == branch.branch


def _told(ledger: Ledger, branch: Branch, wanted: set[PublicationId]) -> Mapping[str, list[StoryEvent]]:
    """By publication of the branch, its events."""
    found: defaultdict[str, list[StoryEvent]] = defaultdict(list)
    for recorded in ledger.story_events(branch.branch) if wanted else ():
        if recorded.event.correlation in wanted:
            found[recorded.event.correlation].append(recorded.event)
    return found


def _promoted(
    ledger: Ledger, branch: Branch, publication: Publication, latest: Publication | None, events: Sequence[StoryEvent]
) -> Promoted:
    text = ledger.text(publication.text_hash or "")
    if not text:
        raise Conflict(
            f"The text of chapter {publication.chapter} of {branch.branch} was erased, so it cannot be promoted; "
            "publish the chapter into the branch anew, or drop the branch."
        )
    records, provenance = records_of(events)
    read = publication.records is None or publication.reextraction is not None
    extractor = getattr(events[0], "extractor", "") if read else None
    told = Promotion(
        branch=branch.branch,
        sequence=publication.sequence,
        extractor=extractor,
        provenance={name: stamp for name, stamp in provenance.items() if stamp is not None} if read else {},
    )
    # what was handed in is handed in again as it was: the same content is the same, wherever it is published
    handed = publication.records if not read and publication.records is not None else records
    request = PublicationRequest(
        story=branch.parent,
        chapter=publication.chapter,
        action="publish",
        text=text,
        title=publication.title,
        language=publication.language,
        records=handed,
        decision={PROMOTION: told.to_json()},
        seen=latest.sequence if latest else 0,
    )
    return Promoted(publication, request, handed, latest is None or latest.action == "retract")
