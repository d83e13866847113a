"""The sentences of a slice, as exact spans of its chapters, and BM25 over them and their neighbours.

A passage of 360 words is what an embedding reads well, and far more than a reader needs to see: what answers a question is most
often one sentence with those beside it. The texts of the chapters are put together again from their overlapping passages, so
nothing but the slice is read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from projections.passages.read import PassageRow
from services.retrieval.fusion import Scores
from services.retrieval.lexicon import K1, B, Ids, Vocabulary

BESIDE: Final = 0.5
"""What a term in the sentence before or after counts for, against one in the sentence itself."""
LONGEST: Final = 500
"""Characters; a longer sentence is cut at a semicolon, a colon, a dash or a comma, else at a space."""

Places: TypeAlias = npt.NDArray[np.int64]
_CHAPTER: Final = 2**31
"""More than the characters of a chapter."""

_END: Final = re.compile(
    r"[.!?…]+[\"'”’»)\]_*]*(?=\s)"  # the end, with what closes it
    r"|[。！？]+[」』”’）]*"
    r"|\n[^\S\n]*\n"
)
_ABBREVIATED: Final = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|st|prof|capt|col|gen|lt|rev|hon|esq|messrs|mme|mlle|no|vs|etc)|\b\w)\.$", re.I
)
_CLAUSE: Final = re.compile(r"[;:—–](?=\s|\w)|,(?=\s)|[；，、]")


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of one chapter's text without gaps, of one revision: `text` begins at code point `start`."""

    chapter: int
    revision: int
    start: int
    text: str


@dataclass(frozen=True, slots=True)
class Analysed:
    """The sentences of a run: offsets from its beginning, and their terms as (sentence, term, count) in three columns."""

    bounds: npt.NDArray[np.int32]
    rows: Ids
    terms: Ids
    counts: Ids
    lengths: Ids


class Sentences:
    """All sentences of a slice in story order. Arrays have shape (sentences,) unless said otherwise."""

    def __init__(self, passages: Sequence[PassageRow], vocabulary: Vocabulary) -> None:
        self._passages = passages
        self._vocabulary = vocabulary
        self.parts = list(_parts(passages))
        """The indices [first, last) of the passages that make up each run."""
        analysed = [self._read(part) for part in self.parts]
        sizes = np.array([len(each.bounds) for each in analysed], dtype=np.int64)
        self.firsts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        """The first sentence of each run, and the number of sentences; shape (runs + 1,)."""
        self.run_of = np.repeat(np.arange(len(self.parts)), sizes)
        begins = np.array([passages[first].start for first, _ in self.parts], dtype=np.int64)
        none = np.zeros((0, 2), dtype=np.int32)
        bounds = np.concatenate([each.bounds for each in analysed] or [none]).astype(np.int64)
        self.spans = bounds + begins[self.run_of][:, None] if len(bounds) else bounds
        """Code points [start, end) in the chapter; shape (sentences, 2)."""
        self.chapters = np.array([passages[first].chapter for first, _ in self.parts], dtype=np.int64)[self.run_of]
        self._arrange(analysed)

    def __len__(self) -> int:
        return len(self.spans)

    def run(self, number: int) -> Run:
        return _run(self._passages, self.parts[number])

    def scores(self, weights: Mapping[str, float]) -> Scores:
        """BM25 of each sentence with its neighbours, whose terms count `BESIDE`; exactly 0 without any term.

        Terms are counted in sentences: a term that n of N have weighs ln(1 + (N - n + 0.5) / (n + 0.5)) times its given weight.
        """
        total = np.zeros(len(self), dtype=np.float64)
        for term in sorted(weights):
            holders, counts = self._postings(term)
            if len(holders):
                near = self._spread(holders, counts)
                total += weights[term] * self.rarity(term) * near * (K1 + 1.0) / (near + self._norms)
        return total

    def holders(self, term: str) -> npt.NDArray[np.int64]:
        """The sentences that have a term, in order."""
        return self._postings(term)[0].astype(np.int64)

    def rarity(self, term: str) -> float:
        """The weight of a term: ln(1 + (N - n + 0.5) / (n + 0.5))."""
        having = len(self._postings(term)[0])
        return float(np.log1p((len(self) - having + 0.5) / (having + 0.5)))

    def at(self, chapter: int, start: int, end: int) -> tuple[int, int]:
        """The sentences [first, last) that the code points [start, end) of a chapter touch."""
        first, last = self.touched(*(np.array([each], dtype=np.int64) for each in (chapter, start, end)))
        return int(first[0]), int(last[0])

    def touched(self, chapters: Places, starts: Places, ends: Places) -> tuple[Places, Places]:
        """The same for many spans: the first sentence of each and the one after its last; shape (spans,)."""
        begins = self.chapters * _CHAPTER + self.spans[:, 0]
        finishes = self.chapters * _CHAPTER + self.spans[:, 1]
        first = np.searchsorted(finishes, chapters * _CHAPTER + starts, side="right")
        last = np.searchsorted(begins, chapters * _CHAPTER + ends, side="left")
        # no sentence of the chapter before or after, whatever the span says
        low, high = np.searchsorted(self.chapters, chapters), np.searchsorted(self.chapters, chapters + 1)
        first = first.clip(low, high)
        return first, np.maximum(first, last.clip(low, high))

    @cached_property
    def passage_of(self) -> npt.NDArray[np.int64]:
        """The first and the last passage that have the beginning of each sentence; shape (sentences, 2)."""
        found = np.zeros((len(self), 2), dtype=np.int64)
        for number, (first, last) in enumerate(self.parts):
            low, high = self.firsts[number], self.firsts[number + 1]
            starts = np.array([self._passages[i].start for i in range(first, last)])
            ends = np.array([self._passages[i].end for i in range(first, last)])
            begin = self.spans[low:high, 0]
            found[low:high, 0] = first + np.searchsorted(ends, begin, side="right").clip(0, last - first - 1)
            found[low:high, 1] = first + (np.searchsorted(starts, begin, side="right") - 1).clip(0)
        return found

    def _read(self, part: tuple[int, int]) -> Analysed:
        return self._vocabulary.kept(
            _key(self._passages, part), lambda: _analysed(_run(self._passages, part), self._vocabulary)
        )

    def _spread(self, holders: Ids, counts: Ids) -> Scores:
        size = len(self)
        own: Scores = np.bincount(holders, counts, minlength=size).astype(np.float64)
        near = own.copy()
        near[1:] += BESIDE * own[:-1] * self._joined[1:]
        near[:-1] += BESIDE * own[1:] * self._joined[1:]
        return near

    def _postings(self, term: str) -> tuple[Ids, Ids]:
        number = self._vocabulary.id_of(term)
        if number is None or number + 1 >= len(self._bounds):  # never seen, or only in what was analysed later
            return self._holders[:0], self._counts[:0]
        part = slice(self._bounds[number], self._bounds[number + 1])
        return self._holders[part], self._counts[part]

    def _arrange(self, analysed: Sequence[Analysed]) -> None:
        none = [np.zeros(0, dtype=np.int32)]
        rows = np.concatenate(
            [each.rows + np.int32(first) for each, first in zip(analysed, self.firsts, strict=False)] or none
        )
        columns = np.concatenate([each.terms for each in analysed] or none)
        counts = np.concatenate([each.counts for each in analysed] or none)
        lengths = np.concatenate([each.lengths for each in analysed] or none).astype(np.float64)
        order = np.argsort(columns, kind="stable")
        self._holders, self._counts = rows[order].astype(np.int32), counts[order]
        self._bounds = np.searchsorted(columns[order], np.arange(len(self._vocabulary) + 1))
        self._joined = np.zeros(len(self))
        self._joined[1:] = self.run_of[1:] == self.run_of[:-1]
        near = lengths.copy()
        if len(near):
            near[1:] += BESIDE * lengths[:-1] * self._joined[1:]
            near[:-1] += BESIDE * lengths[1:] * self._joined[1:]
        mean = near.mean() if near.any() else 1.0
        self._norms = K1 * (1.0 - B + B * near / mean)


def split(text: str) -> list[tuple[int, int]]:
    """The sentences of a text as [start, end), without the white space around them; a text of white space has none.

    A line break ends no sentence (texts are wrapped), an empty line does. What closes a quotation stays with it, and so does
    what follows in lower case: “Yes!” said he.
    """
    found: list[tuple[int, int]] = []
    begin = 0
    for match in _END.finditer(text):
        if _goes_on(text, begin, match):
            continue
        _add(text, begin, match.end(), found)
        begin = match.end()
    _add(text, begin, len(text), found)
    return found


def _goes_on(text: str, begin: int, match: re.Match[str]) -> bool:
    ended = match.group()
    if ended[0] in "。！？\n":
        return False
    rest = text[match.end() : match.end() + 8]
    if "\n\n" in rest.replace(" ", ""):
        return False
    following = rest.lstrip()[:1]
    return following.islower() or (
        ended == "." and _ABBREVIATED.search(text, max(begin, match.start() - 7), match.end()) is not None
    )


def _add(text: str, begin: int, end: int, found: list[tuple[int, int]]) -> None:
    start = begin + len(text[begin:end]) - len(text[begin:end].lstrip())
    end = begin + len(text[begin:end].rstrip())
    while end - start > LONGEST:
        cut = _clause_end(text, start)
        found.append((start, cut))
        start = cut + len(text[cut:end]) - len(text[cut:end].lstrip())
    if end > start:
        found.append((start, end))


def _clause_end(text: str, start: int) -> int:
    half, most = start + LONGEST // 2, start + LONGEST
    ends = [m.end() for m in _CLAUSE.finditer(text, half, most)]
    if ends:
        return ends[-1]
    space = text.rfind(" ", half, most)
    return space if space > 0 else most


def _parts(passages: Sequence[PassageRow]) -> Iterator[tuple[int, int]]:
    first = 0
    for index in range(1, len(passages) + 1):
        if index == len(passages) or _is_apart(passages[index - 1], passages[index]):
            yield first, index
            first = index


def _is_apart(before: PassageRow, after: PassageRow) -> bool:
    return (before.chapter, before.revision) != (after.chapter, after.revision) or after.start > before.end


def _key(passages: Sequence[PassageRow], part: tuple[int, int]) -> tuple[object, ...]:
    """What determines the text of a run: its passages, and how they overlap."""
    first = passages[part[0]].start
    return ("sentences", *((p.text_hash, p.start - first) for p in passages[part[0] : part[1]]))


def _run(passages: Sequence[PassageRow], part: tuple[int, int]) -> Run:
    first = passages[part[0]]
    text, end = [first.text], first.end
    for row in passages[part[0] + 1 : part[1]]:
        text.append(row.text[end - row.start :])
        end = max(end, row.end)
    return Run(first.chapter, first.revision, first.start, "".join(text))


def _analysed(run: Run, vocabulary: Vocabulary) -> Analysed:
    bounds = split(run.text)
    rows, terms, counts = vocabulary.counted([run.text[start:end] for start, end in bounds])
    lengths = np.bincount(rows, counts, minlength=len(bounds)).astype(np.int32)
    return Analysed(np.array(bounds, dtype=np.int32).reshape(-1, 2), rows, terms, counts, lengths)
