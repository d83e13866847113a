"""Links between entities as rows: what makes two one, and from which position to which that was believed."""

from __future__ import annotations

from events.domain_events import EntityLinkEvent
from projections.facets import Row

LINK_KEY = {"story": "text", "a": "text", "b": "text", "origin": "text", "chapter": "int", "rank": "int"}
LINK_COLUMNS = ("story", "recorded", "a", "b", "origin", "chapter", "rank", "record")


def link_row(event: EntityLinkEvent, recorded: str) -> Row:
    """The row of a link that was believed in a range of positions."""
    return (event.story, recorded, event.a, event.b, event.origin, event.chapter, event.rank, event.record)
