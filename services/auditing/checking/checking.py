"""All that is held against a draft, in one answer. Pure: an index, a text with its records, and an editor's plans."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from events.domain_events import Json
from events.evidence import TextIndex
from events.grounding import ungrounded
from events.revisions import Entry, RevisionState, entry_of
from events.story_index import StoryIndex
from services.auditing.checking import belongings, knowing, lives, lore, ties
from services.auditing.checking.by_name import by_name, closed
from services.auditing.checking.case import Case
from services.auditing.checking.findings import ERROR, KINDS, OVERDUE, Finding, span
from services.auditing.citing import of_all

_DRAFT: Final = 2**62
"""The number of a draft: after every publication that there is."""


@dataclass(frozen=True, slots=True)
class Checked:
    """A draft's findings, each with its name, and the case that they were found in."""

    case: Case
    findings: Sequence[tuple[str, Finding]]
    rejected: list[Json]


def check(
    index: StoryIndex, text: str, records: Sequence[dict[str, Any]], after: int, due: Mapping[str, int] | None = None
) -> Checked:
    """The findings on `text` as chapter `after` + 1: errors first, in the order of the text. The index is not changed.

    `records` are validated ones; `due` has by thread key the chapter in which an editor plans it to be paid off.
    """
    draft, rejected = _draft(text, records, after + 1)
    case = Case(index, draft, text, after)
    found = [
        *lives.dead_acts(case), *belongings.possessions(case), *belongings.places(case), *knowing.untold(case),
        *ties.flips(case), *ties.reopened(case), *ties.overdue(case, due or {}), *ties.preconditions(case),
        *lore.broken_rules(case), *lore.contradicted(case), *lore.unrevealed(case),
    ]  # fmt: skip
    named = {finding.name(case.chapter): finding for finding in reversed(found)}
    ordered = sorted(named.items(), key=lambda each: (each[1].severity != ERROR, _place(each[1]), each[0]))
    return Checked(case, ordered, rejected)


def check_read(
    index: StoryIndex, text: str, records: Sequence[dict[str, Any]], after: int, due: Mapping[str, int] | None = None
) -> Checked:
    """As `check`, of records that an extractor read: with what the draft says of those whom the story knows, too.

    An extractor sees no thread closed; one that the draft names and says to be at its end is not overdue.
    """
    first = check(index, text, records, after, due)
    more = by_name(first.case)
    read = check(index, text, [*records, *more], after, due) if more else first
    standing = [each for each in read.findings if not (each[1].kind == OVERDUE and closed(read.case, each[1].about[0]))]
    return Checked(read.case, standing, read.rejected)


def _draft(text: str, records: Sequence[dict[str, Any]], chapter: int) -> tuple[RevisionState, list[Json]]:
    where, entries, rejected = TextIndex(text), [], []
    for ordinal, record in enumerate(records):
        found = [
            place
            for e in record.get("evidence", ())
            if (place := where.locate(quote=e.get("quote"), start=e.get("start"), end=e.get("end")))
        ]
        if found:
            spans = tuple((place.start, place.end) for place in found)
            entries.append(entry_of(record, spans, ordinal, (chapter, _DRAFT, 0)))
        else:
            quote = next((e["quote"] for e in record.get("evidence", ()) if e.get("quote")), None)
            rejected.append({"record": record["id"], "reason": ungrounded(quote)})
    entries.sort(key=lambda entry: entry.place)
    return RevisionState(_DRAFT, 0, None, entries), rejected


def _place(finding: Finding) -> tuple[int, int]:
    start = finding.said.evidence[0][0] if finding.said else 2**60
    return start, KINDS.index(finding.kind)


def told(checked: Checked, name: str, finding: Finding) -> Json:
    """A finding as it is shown: both quotes, the state that is contradicted, and the records that decide."""
    case = checked.case
    own = [e for e in finding.against if e in case.entries]
    state = None
    if finding.key is not None:
        first = finding.against[0].name if finding.against else None
        state = {"key": finding.key, "value": finding.value, "since": finding.since, "record": first}
    return {
        "id": name,
        "kind": finding.kind,
        "severity": finding.severity,
        "message": finding.message,
        "draft_span": span(finding.said, case.text),
        "draft_record": finding.said.name if finding.said else None,
        "state": state,
        "records": [e.name for e in finding.against],
        "evidence": [_own(e, case.text) if e in own else each for e in finding.against for each in _spans(case, e)],
    }


def _spans(case: Case, entry: Entry) -> list[Json]:
    return [None] if entry in case.entries else of_all(case.index, [entry])


def _own(entry: Entry, text: str) -> Json:
    """Evidence that lies in the draft itself: it has no revision yet."""
    start, end = entry.evidence[0]
    return {"chapter": entry.chapter, "revision": None, "start": start, "end": end, "quote": text[start:end]}
