"""Stretches of a chapter that are read at once: whole scenes where they fit, else whole paragraphs, with some overlap."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from services.extraction.claude.pricing import tokens_in
from services.extraction.offline import paragraphs as paragraphs_of
from services.extraction.offline.scenes import scenes

CHUNK_TOKENS: Final = 6_000
"""A chapter of 3,000 words is read at once; longer stretches lose records in their middle and risk being cut off."""
OVERLAP_TOKENS: Final = 150
SMALLEST: Final = 400
"""Code points below which a stretch is not halved any more."""
_PIECE = 2_000


@dataclass(frozen=True, slots=True)
class Chunk:
    """The code points [start, end) of a chapter; those before `own` have been read with the chunk before."""

    start: int
    own: int
    end: int


def chunks(text: str, *, size: int = CHUNK_TOKENS, overlap: int = OVERLAP_TOKENS) -> list[Chunk]:
    """The chapter's chunks in order, of at most `size` tokens besides the overlap. They cover all that is not blank."""
    spans = paragraphs_of.paragraphs(text)
    if not spans:
        return []
    runs: list[tuple[int, int]] = []
    for start, end in _units(text, spans, size):
        if runs and tokens_in(text[runs[-1][0] : end]) <= size:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
    return [
        Chunk(start if n == 0 else _lead(text, runs[n - 1], spans, overlap), start, end)
        for n, (start, end) in enumerate(runs)
    ]


def halves(text: str, chunk: Chunk) -> list[Chunk]:
    """The chunk in two, cut between paragraphs or sentences near its middle; nothing where it is too small for that."""
    if chunk.end - chunk.own < SMALLEST:
        return []
    middle = (chunk.own + chunk.end) // 2
    cuts = [own for own, _ in _pieces(text, chunk.own, chunk.end) if chunk.own < own < chunk.end]
    cut = min(cuts, key=lambda at: abs(at - middle), default=middle)
    return [Chunk(chunk.start, chunk.own, cut), Chunk(cut, cut, chunk.end)]


def scene_numbers(text: str) -> list[tuple[int, int]]:
    """Where each scene of the chapter begins, with its number from 1."""
    found = scenes(text, paragraphs_of.paragraphs(text))
    return [(scene.start, number) for number, scene in enumerate(found, start=1)]


def _units(text: str, spans: Iterable[paragraphs_of.Span], size: int) -> Iterable[tuple[int, int]]:
    """Scenes; a scene that is too long in its paragraphs, a paragraph that is too long in pieces."""
    for scene in scenes(text, list(spans)):
        if tokens_in(text[scene.start : scene.end]) <= size:
            yield scene.start, scene.end
        else:
            yield from _pieces(text, scene.start, scene.end)


def _pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    longest = _PIECE if end - start > 2 * _PIECE else max(SMALLEST // 4, (end - start) // 4)
    inner = [
        paragraphs_of.Span(start + span.start, start + span.end) for span in paragraphs_of.paragraphs(text[start:end])
    ]
    return [(piece.start, piece.end) for piece in paragraphs_of.chunks(text, inner, longest)]


def _lead(text: str, before: tuple[int, int], spans: list[paragraphs_of.Span], overlap: int) -> int:
    """Where a chunk begins that repeats the last paragraphs of the one before, `overlap` tokens of them at most."""
    start = before[1]
    for span in reversed([s for s in spans if before[0] < s.start < before[1]]):
        if tokens_in(text[span.start : before[1]]) > overlap:
            break
        start = span.start
    return start
