"""Scenes of a chapter: stretches between the breaks its author set."""

from __future__ import annotations

import re
from collections.abc import Sequence

from services.extraction.offline.paragraphs import Span

# a paragraph of ornaments only: * * *, ---, #, ~, ⁂
_BREAK = re.compile(r"^(?:[*#~=_•·⁂—–-]\s*)+$")
_MARKUP_BREAK = re.compile(r"^<hr\b[^<>]*>$", re.IGNORECASE)
_GAP_LINES = 4


def scenes(text: str, paragraphs: Sequence[Span]) -> list[Span]:
    """The scenes in order, from the first paragraph of each to its last; none for a text of no paragraphs.

    A break is a paragraph of ornaments, or at least four empty lines between two paragraphs.
    """
    found: list[Span] = []
    open_scene: Span | None = None
    for paragraph in paragraphs:
        if is_break(text, paragraph):
            found, open_scene = _closed(found, open_scene), None
        elif open_scene is None:
            open_scene = paragraph
        elif text.count("\n", open_scene.end, paragraph.start) > _GAP_LINES:
            found, open_scene = _closed(found, open_scene), paragraph
        else:
            open_scene = Span(open_scene.start, paragraph.end)
    return _closed(found, open_scene)


def is_break(text: str, paragraph: Span) -> bool:
    """Whether the paragraph is an ornament between scenes and no prose."""
    line = text[paragraph.start : min(paragraph.end, paragraph.start + 80)]
    return bool(_BREAK.match(line) or _MARKUP_BREAK.match(line))


def _closed(found: list[Span], scene: Span | None) -> list[Span]:
    return found if scene is None else [*found, scene]
