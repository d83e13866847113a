"""Who says what: each quotation's speaker against the one people named."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from services.evaluation.extraction.corpora import Novel
from services.evaluation.extraction.memory import Attribution


@dataclass(frozen=True, slots=True)
class Attributed:
    """A quotation: how its speaker is told, and whether the entity it was given to stands for that speaker."""

    kind: str
    right: bool
    given: bool


def attributed(novel: Novel, attributions: Iterable[Attribution], characters: Mapping[str, int]) -> list[Attributed]:
    """All quotations of the novel whose speaker is a character; `characters` says whom an entity stands for.

    A quotation has the speaker of the first speech that covers part of it; without any it is not right.
    """
    starts = {chapter.number: chapter.start for chapter in novel.chapters}
    said: defaultdict[int, list[Attribution]] = defaultdict(list)
    for attribution in attributions:
        said[attribution.chapter].append(attribution)
    for speech in said.values():
        speech.sort(key=lambda a: a.end)
    ends = {chapter: [a.end for a in speech] for chapter, speech in said.items()}
    known = {character.id for character in novel.characters}
    result = []
    for quotation in novel.quotations:
        if quotation.speaker not in known:
            continue
        begin, end = (offset - starts[quotation.chapter] for offset in (quotation.start, quotation.end))
        place = bisect_left(ends.get(quotation.chapter, []), begin + 1)
        speech = said[quotation.chapter][place : place + 1]
        speaker = speech[0].speaker if speech and speech[0].start < end else None
        right = speaker is not None and characters.get(speaker) == quotation.speaker
        result.append(Attributed(quotation.kind, right, speaker is not None))
    return result
