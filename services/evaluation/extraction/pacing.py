"""How fast the extractor reads beside its parser alone, and how much memory it takes: the same texts, in the same processes."""

from __future__ import annotations

import resource
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from services.evaluation.extraction.corpora import Chapter
from services.evaluation.extraction.intervals import Estimate, resampled
from services.evaluation.extraction.memory import Record
from services.extraction.offline import OfflineExtractor
from services.extraction.offline.language import pipeline
from services.extraction.offline.paragraphs import chunks, paragraphs
from services.extraction.offline.reading import Reading

_LANGUAGE: Final = "en"
_KILOBYTES_A_MEGABYTE: Final = 1024


@dataclass(frozen=True, slots=True)
class Pace:
    """What a chapter took one process: seconds for the records, and seconds for parsing and nothing else."""

    words: int
    seconds: float
    plain_seconds: float
    peak_kb: int
    """The most memory that the process has held so far."""


@lru_cache(maxsize=1)
def extractor() -> OfflineExtractor:
    """The extractor of this process, its model loaded, which is no part of a chapter's time."""
    found = OfflineExtractor()
    found.extract("Nobody came.", chapter=1)
    return found


@dataclass(frozen=True, slots=True)
class Timed:
    """What was read of a chapter, and what its records took; the references are noted without being timed."""

    records: list[Record]
    reading: Reading
    pace: Pace


def timed(chapter: Chapter) -> Timed:
    """The records of a chapter with what they took, and its references."""
    reader = extractor()
    begin = time.perf_counter()
    study = reader.study(chapter.text)
    records = study.records() if study is not None else reader.extract(chapter.text, chapter=chapter.number)
    middle = time.perf_counter()
    _parse(chapter.text)
    end = time.perf_counter()
    pace = Pace(len(chapter.text.split()), middle - begin, end - middle, _peak_kb())
    return Timed(records, study.reading() if study is not None else Reading(), pace)


def paces(measured: Sequence[Pace], processes: int) -> list[Estimate]:
    """Words a second of all processes together with the extractor and with spaCy alone, and the peak of one process in MB."""
    if not measured:
        return []
    words = sum(pace.words for pace in measured)
    peak = max(pace.peak_kb for pace in measured) / _KILOBYTES_A_MEGABYTE
    return [
        resampled("words_per_s", [(p.words, p.seconds) for p in measured], lambda some: _rate(some, processes), words),
        resampled(
            "spacy_words_per_s",
            [(p.words, p.plain_seconds) for p in measured],
            lambda some: _rate(some, processes),
            words,
        ),
        # a maximum over everything read has no interval
        Estimate("peak_mb", peak, peak, peak, len(measured)),
    ]


def _rate(some: Sequence[tuple[int, float]], processes: int) -> float:
    return processes * sum(words for words, _ in some) / max(1e-9, sum(seconds for _, seconds in some))


def _parse(text: str) -> None:
    """Parses a text in the chunks that the extractor parses, and keeps nothing."""
    parser = pipeline(_LANGUAGE)
    with parser.memory_zone():
        for _ in parser.pipe((text[span.start : span.end] for span in chunks(text, paragraphs(text))), batch_size=1):
            pass


def _peak_kb() -> int:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak // _KILOBYTES_A_MEGABYTE if sys.platform == "darwin" else peak
