"""`timeline`: who is present in which chapter, and who is only spoken of."""

from __future__ import annotations

from events.domain_events import Json
from events.names import AMBIGUOUS, PERSON, class_of
from projections.timeline.read import Appearance
from services.reading.naming import Naming
from services.reading.session import Moment, Session


def timeline(session: Session, moment: Moment) -> Json:
    """Chapters up to the moment's, and the characters: `cells` says `present`, `mentioned` or null for each chapter."""
    naming = Naming(session, moment)
    chapters = published_chapters(session, moment)
    by_head: dict[str, list[Appearance]] = {}
    for appearance in session.timeline.appearances(moment.story, moment.at, moment.believed):
        by_head.setdefault(naming.head(appearance.entity), []).append(appearance)
    naming.load(by_head)
    characters = {head: found for head, found in by_head.items() if _is_character(naming, head, found)}
    rows = [_row(naming, head, found, chapters) for head, found in characters.items()]
    return {"chapters": chapters, "characters": rows}


def published_chapters(session: Session, moment: Moment) -> list[int]:
    rows = session.state.revisions(moment.story, moment.at, moment.believed)
    return [row.chapter for row in rows if row.current and row.text_hash]


def present_and_mentioned(appearances: list[Appearance]) -> tuple[list[int], list[int]]:
    """The chapters with the entity present, and those in which it is mentioned without being there."""
    present = {a.chapter for a in appearances if a.present}
    return sorted(present), sorted({a.chapter for a in appearances} - present)


def _is_character(naming: Naming, head: str, appearances: list[Appearance]) -> bool:
    """People, and whoever else is somewhere without having been introduced."""
    classes = {class_of(entity) for entity in naming.group(head)}
    if PERSON in classes:
        return True
    return classes <= {"unknown"} and AMBIGUOUS not in classes and any(a.present for a in appearances)


def _row(naming: Naming, head: str, appearances: list[Appearance], chapters: list[int]) -> Json:
    present, mentioned = present_and_mentioned(appearances)
    there, spoken = set(present), set(mentioned)
    return {
        "id": head,
        "name": naming.name(head),
        "present": present,
        "mentioned": mentioned,
        "cells": ["present" if c in there else "mentioned" if c in spoken else None for c in chapters],
    }
