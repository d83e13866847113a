"""Who is there in a scene: whoever acts or speaks in it, is spoken to by name, or is told of again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mentions, figure_key
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.speakers import Utterance

_SURELY_SPOKEN_TO: Final = 0.7
_OFTEN_TOLD_OF: Final = 4
"""How often the narration of a scene names somebody who is taken to be there by that alone."""


class Attendance:
    """Where in a chapter somebody shows that he is there."""

    def __init__(
        self, acting: Sequence[tuple[int, Figure]], utterances: Sequence[Utterance], mentions: Mentions
    ) -> None:
        """`acting`: where a character does something in the scene told, and who."""
        self._mentions = mentions
        places = list(acting)
        for utterance in utterances:
            start = utterance.quotes[0].start
            places.append((start, utterance.speaker.figure))
            if utterance.hearer is not None and utterance.hearer.confidence >= _SURELY_SPOKEN_TO:
                places.append((start, utterance.hearer.figure))
        self._places = sorted(places, key=_by_place)

    def of(self, scene: Span) -> list[tuple[int, Figure]]:
        """Each act, speech and address in a scene, and once each whoever is only told of; in order of place."""
        found = [(offset, figure) for offset, figure in self._places if scene.start <= offset < scene.end]
        there = {figure_key(figure) for _, figure in found}
        told = [m for m in self._mentions.within(*scene) if m.narrated and m.figure.type == "character"]
        counts = Counter(figure_key(mention.figure) for mention in told if not mention.figure.ambiguous)
        for mention in told:
            key = figure_key(mention.figure)
            if counts[key] >= _OFTEN_TOLD_OF and key not in there:
                there.add(key)
                found.append((mention.span.start, mention.figure))
        return sorted(found, key=_by_place)


def _by_place(item: tuple[int, Figure]) -> tuple[int, str]:
    return item[0], figure_key(item[1])
