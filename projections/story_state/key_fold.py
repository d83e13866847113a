"""What is said of one key, and the intervals that follow from it, kept up to date as records come and go."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from projections.facets import Row
from projections.story_state.refolding import Span, Word, refold

Said: TypeAlias = tuple[int, int, int, int, str, str]
"""An assertion of a key: chapter, scene, start, ordinal, record, and the value it gives; "" where it ends the key."""
Origin: TypeAlias = int
"""Where an interval comes from: the position since which it is believed or, where its row is in the table already, the
negative of that row's id."""
Ended: TypeAlias = tuple[Span, Origin]

_ENDLESS: Final = 2**31


@dataclass(slots=True)
class KeyChange:
    """What is no longer said of a key after a publication, and what it says; what stays may be in both."""

    went: list[Said] = field(default_factory=list)
    came: list[Said] = field(default_factory=list)

    @property
    def chapters(self) -> tuple[int, int]:
        """The first and last chapter that they are of."""
        said = [one[0] for one in (*self.went, *self.came)]
        return min(said), max(said)


class KeyFold:
    """What is said of one key, and the intervals that follow from it."""

    __slots__ = ("_origins", "_said", "_spans")

    def __init__(self) -> None:
        self._said: list[Said] = []
        self._spans: list[Span] = []
        self._origins: list[Origin] = []

    def recall_said(self, said: Said) -> None:
        """What was said before, in order."""
        self._said.append(said)

    def recall_span(self, span: Span, number: int) -> None:
        """An interval that is in the table under a number, in order."""
        self._spans.append(span)
        self._origins.append(-number)

    def take(self, went: Sequence[Said], came: Sequence[Said], position: int) -> Sequence[Ended]:
        """The intervals that no longer hold from a position on, once something is no longer said and something else is."""
        if not went and len(came) == 1:  # what most changes are: one word more
            said = came[0]
            self._say(said)
            if self._said[-1] is said and self._is_beyond(said[0]):
                return self._append(said, position)
            return self._refold(said[0], said[0], position)
        for said in went:
            self._said.pop(bisect_left(self._said, said))
        for said in came:
            self._say(said)
        changed = [said[0] for said in set(went).symmetric_difference(came)]
        return self._refold(min(changed), max(changed), position) if changed else ()

    def _say(self, said: Said) -> None:
        if not self._said or self._said[-1] < said:
            self._said.append(said)
        else:
            insort(self._said, said)

    def _refold(self, first: int, last: int, position: int) -> list[Ended]:
        """Fold again what is between two chapters; the intervals that no longer hold."""
        at = bisect_left(self._spans, first, key=_reaches)
        old = self._spans[at:]
        folded = refold(old, self._words(first, last), first, last)
        if not folded.closed and not folded.opened:
            return []
        believed = list(zip(old, self._origins[at:], strict=True))
        kept = [(span, origin) for span, origin in believed if span not in folded.closed]
        kept = sorted([*kept, *((span, position) for span in folded.opened)])
        self._spans[at:] = [span for span, _ in kept]
        self._origins[at:] = [origin for _, origin in kept]
        return [(span, origin) for span, origin in believed if span in folded.closed]

    def _is_beyond(self, chapter: int) -> bool:
        """Whether no interval begins or ends in the chapter or later."""
        last = self._spans[-1] if self._spans else None
        return last is None or (last.start < chapter and (last.end is None or last.end < chapter))

    def _append(self, said: Said, position: int) -> list[Ended]:
        """The first word on the key after everything that was said before."""
        chapter, value = said[0], said[5]
        ended: list[Ended] = []
        if self._spans and (last := self._spans[-1]).end is None:
            if last.value == value:
                return ended
            ended.append((last, self._origins[-1]))
            self._spans[-1], self._origins[-1] = Span(last.start, chapter, last.value), position
        if value:
            self._spans.append(Span(chapter, None, value))
            self._origins.append(position)
        return ended

    def opened(self) -> list[tuple[Span, Origin]]:
        """The intervals that hold and are in no table yet, with the position since which they do."""
        believed = zip(self._spans, self._origins, strict=True)
        return [(span, origin) for span, origin in believed if origin >= 0]

    def _words(self, first: int, last: int) -> Sequence[Word]:
        """The last word of each chapter from the first that changed through the first that speaks after the last."""
        words: dict[int, str | None] = {}
        for number in range(bisect_left(self._said, (first,)), len(self._said)):
            said = self._said[number]
            chapter = said[0]
            if words and chapter > last and chapter not in words and next(reversed(words)) > last:
                break
            words[chapter] = said[5] or None
        return list(words.items())


def said_of(uid: str, row: Row) -> Said:
    _, _, value, chapter, scene, start, ordinal, _ = row
    return (chapter, scene, start, ordinal, uid, value or "")  # type: ignore[return-value]


def _reaches(span: Span) -> int:
    return _ENDLESS if span.end is None else span.end
