"""What is said of one key, and the intervals that follow from it, kept up to date as records come and go."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from typing import Final, TypeAlias

from projections.facets import Row
from projections.story_state.refolding import Span, Word, refold
from projections.story_state.rows import KeyChange

Said: TypeAlias = tuple[int, int, int, int, str, str]
"""An assertion of a key: chapter, scene, start, ordinal, record, and the value it gives; "" where it ends the key."""
Origin: TypeAlias = int
"""Where an interval comes from: the position since which it is believed or, where its row is in the table already, the
negative of that row's id."""
Ended: TypeAlias = tuple[Span, Origin]

_ENDLESS: Final = 2**31


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

    def say(self, said: Said) -> None:
        if not self._said or self._said[-1] < said:
            self._said.append(said)
        else:
            insort(self._said, said)

    def unsay(self, said: Said) -> None:
        self._said.pop(bisect_left(self._said, said))

    def refold(self, change: KeyChange, position: int) -> list[Ended]:
        """Fold again what the change concerns; the intervals that no longer hold."""
        if self._said and self._said[-1][0] == change.first and self._is_beyond(change.first):
            return self._append(self._said[-1], position)
        at = bisect_left(self._spans, change.first, key=_reaches)
        old = self._spans[at:]
        folded = refold(old, self._words(change), change.first, change.last)
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
        """What most changes are: the first word on the key after everything that was said before."""
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

    def _words(self, change: KeyChange) -> Sequence[Word]:
        """The last word of each chapter from the first that changed through the first that speaks after the last."""
        last: dict[int, str | None] = {}
        for number in range(bisect_left(self._said, (change.first,)), len(self._said)):
            said = self._said[number]
            chapter = said[0]
            if last and chapter > change.last and chapter not in last and next(reversed(last)) > change.last:
                break
            last[chapter] = said[5] or None
        return list(last.items())


def said_of(uid: str, row: Row) -> Said:
    _, _, value, chapter, scene, start, ordinal, _ = row
    return (chapter, scene, start, ordinal, uid, value or "")  # type: ignore[return-value]


def _reaches(span: Span) -> int:
    return _ENDLESS if span.end is None else span.end
