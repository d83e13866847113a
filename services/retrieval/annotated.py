"""Passages with what is recorded of them: a text says `she said nothing`, and its record who kept what from whom."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import Final, TypeAlias

import numpy as np
import numpy.typing as npt

from projections.passages.read import PassageRow, RecordRow
from projections.words.brief import brief
from services.retrieval.lexicon import Block, Document, Vocabulary, joined

Text: TypeAlias = tuple[bytes, str]
"""A key, and the text that it stands for."""

_SAID: Final = b"brief "


def annotated(
    vocabulary: Vocabulary,
    passages: Sequence[PassageRow],
    records: Sequence[RecordRow],
    sure: npt.NDArray[np.bool_],
) -> list[Block]:
    """The terms of each passage and of what those records say in brief that are `sure` and whose evidence begins in it.

    Chapter by chapter: those of a chapter that has not changed are there already. Introductions of entities say nothing of a place.
    """
    of_chapter: dict[int, list[RecordRow]] = {}
    for record, counts in zip(records, sure.tolist(), strict=True):
        if counts and record.kind != "entity" and record.evidence:
            of_chapter.setdefault(record.chapter, []).append(record)
    return [
        _block(vocabulary, list(of), of_chapter.get(chapter, ()))
        for chapter, of in groupby(passages, lambda passage: passage.chapter)
    ]


def _block(vocabulary: Vocabulary, passages: Sequence[PassageRow], records: Sequence[RecordRow]) -> Block:
    said = [(record.evidence[0][0], _text(brief(record.kind, record.payload))) for record in records]
    texts: list[list[Text]] = [
        [(row.text_hash, row.text), *(text for start, text in said if row.start <= start < row.end)] for row in passages
    ]
    key = ("annotated", *(tuple(key for key, _ in of) for of in texts))
    return vocabulary.kept(key, partial(_joined, vocabulary, texts))


def _text(said: str) -> Text:
    return _SAID + said.encode("utf-8", "replace"), said


def _joined(vocabulary: Vocabulary, texts: Sequence[Sequence[Text]]) -> Block:
    return joined([_together(vocabulary.documents(of)) for of in texts])


def _together(documents: Sequence[Document]) -> Document:
    """The terms of several texts as of one."""
    if len(documents) == 1:
        return documents[0]
    ids, places = np.unique(np.concatenate([ids for ids, _ in documents]), return_inverse=True)
    counts = np.bincount(places, np.concatenate([counts for _, counts in documents]), minlength=len(ids))
    return ids, counts.astype(np.int32)
