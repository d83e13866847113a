"""Distinct types for the ids and axes of the domain, so that a position is never compared with a chapter."""

from __future__ import annotations

from typing import Final, NewType

StoryId = NewType("StoryId", str)
Chapter = NewType("Chapter", int)
"""A reader's place in the story, from 1. Chapter 0 stands for what concerns the whole story (an editor's decision)."""
Revision = NewType("Revision", int)
"""The nth text of a chapter, from 1."""
Sequence = NewType("Sequence", int)
"""The number a publication got in its story when it was published, from 1."""
Position = NewType("Position", int)
"""A place in the log. Positions grow, and have gaps."""
RecordName = NewType("RecordName", str)
"""`<chapter>:<id>`, for example `3:o1`."""
RecordUid = NewType("RecordUid", str)
"""What a record is called in the log for ever: `<chapter>r<revision that first asserted it>:<id>`."""
EntityId = NewType("EntityId", str)
"""`<class>/<name key>`, for example `person/mara voss`; see `events.names`."""
EventId = NewType("EventId", str)
"""`<story>#<version in the story's stream>`."""
PublicationId = NewType("PublicationId", str)
"""`<story>/<sequence>`: the correlation of everything a publication brings about."""

WHOLE_STORY = Chapter(0)
MAX_CHAPTER: Final = 1_000_000
"""The highest number of a chapter, and so the last place in a story that can be asked about."""


def record_name(chapter: int, local: str) -> RecordName:
    return RecordName(f"{chapter}:{local}")


def event_id(story: str, version: int) -> EventId:
    return EventId(f"{story}#{version}")


def publication_id(story: str, sequence: int) -> PublicationId:
    return PublicationId(f"{story}/{sequence}")
