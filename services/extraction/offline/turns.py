"""Turns of a conversation: who speaks in paragraphs that do not say it, where two people alternate."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.paragraphs import Span

_FAR = 6
"""Turns from the nearest known speaker beyond which counting is a guess no more."""


@dataclass(frozen=True, slots=True)
class Turn:
    """The speech of one paragraph."""

    index: int
    """The paragraph's number."""
    quotes: tuple[Span, ...]
    speaker: Reference | None
    addressed: Reference | None
    """Who is named as the one spoken to."""
    verb: str
    open: bool
    """Nothing in the paragraph tells the speaker: it may be inferred from the turns around."""
    guess: Reference | None = None
    """Who may be about to speak, by what was told just before."""


@dataclass(frozen=True, slots=True)
class Party:
    """One quotation of a turn: who speaks in it and who is spoken to, as far as that is known."""

    span: Span
    turn: int
    speaker: Figure | None
    hearer: Figure | None


def with_inferred_speakers(turns: Sequence[Turn]) -> list[Turn]:
    """The turns with speakers filled in where a run of adjacent paragraphs of speech has exactly two people in it.

    The known turns before and after must agree; what is inferred is never more than half certain.
    """
    result: list[Turn] = []
    for run in _runs(turns):
        pair = _pair(run)
        result += _alternating(run) if pair is None else [_inferred(run, place, pair) for place in range(len(run))]
    return _guessed(result)


def _guessed(turns: Sequence[Turn]) -> list[Turn]:
    """The turns that are still nobody's with the likeliest speaker, never half certain: whoever spoke before last, or was
    spoken to last, or did something just before."""
    result: list[Turn] = []
    for turn in turns:
        if turn.speaker is None:
            reference = _likeliest(turn, result)
            turn = replace(turn, speaker=reference and Reference(reference.figure, min(0.4, reference.confidence)))
        result.append(turn)
    return result


def _likeliest(turn: Turn, before: Sequence[Turn]) -> Reference | None:
    last = before[-1] if before and turn.index - before[-1].index == 1 else None
    if turn.guess is not None and not _same(turn.guess, turn.addressed):
        return turn.guess
    if last is None or last.speaker is None or not turn.open:
        return None
    earlier = [t.speaker for t in reversed(before[-_FAR:-1]) if t.speaker and not _same(t.speaker, last.speaker)]
    for reference in (*earlier[:1], last.addressed, *earlier[1:]):
        if reference is not None and not _same(reference, turn.addressed) and not _same(reference, last.speaker):
            return reference
    return None


def _same(one: Reference | None, other: Reference | None) -> bool:
    return one is not None and other is not None and one.figure is other.figure


def _alternating(run: Sequence[Turn]) -> list[Turn]:
    """Among more than two people: whoever spoke before last speaks again."""
    result: list[Turn] = []
    for turn in run:
        before = [earlier.speaker for earlier in result[-2:]]
        if turn.open and turn.speaker is None and len(before) == 2:
            first, second = before
            if first is not None and second is not None and first.figure is not second.figure:
                turn = replace(turn, speaker=Reference(first.figure, 0.45))
        result.append(turn)
    return result


def _runs(turns: Sequence[Turn]) -> Iterator[list[Turn]]:
    run: list[Turn] = []
    for turn in turns:
        if run and turn.index != run[-1].index + 1:
            yield run
            run = []
        run.append(turn)
    if run:
        yield run


def _pair(run: Sequence[Turn]) -> tuple[Figure, Figure] | None:
    people: dict[int, Figure] = {}
    for turn in run:
        for reference in (turn.speaker, turn.addressed):
            if reference is not None:
                people.setdefault(id(reference.figure), reference.figure)
    if len(people) != 2 or not any(turn.speaker for turn in run):
        return None
    first, second = people.values()
    return first, second


def _inferred(run: Sequence[Turn], place: int, pair: tuple[Figure, Figure]) -> Turn:
    turn = run[place]
    if turn.speaker is not None or not turn.open:
        return turn
    if turn.addressed is not None:
        return replace(turn, speaker=Reference(_other(turn.addressed.figure, pair), 0.6))
    guesses = []
    for step in (-1, 1):
        distance = _distance_to_known(run, place, step)
        known = run[place + step * distance].speaker if distance else None
        if known is not None:
            guesses.append((distance, known.figure if distance % 2 == 0 else _other(known.figure, pair)))
    if not guesses or len({id(figure) for _, figure in guesses}) > 1:
        return turn
    return replace(turn, speaker=Reference(guesses[0][1], 0.5))


def _distance_to_known(run: Sequence[Turn], place: int, step: int) -> int:
    """How many turns away the next known speaker is in one direction; 0 where there is none, or prose may change the turn."""
    distance = 1
    while distance <= _FAR and 0 <= place + step * distance < len(run):
        turn = run[place + step * distance]
        if turn.speaker is not None:
            return distance
        if not turn.open:
            return 0
        distance += 1
    return 0


def _other(figure: Figure, pair: tuple[Figure, Figure]) -> Figure:
    return pair[1] if figure is pair[0] else pair[0]
