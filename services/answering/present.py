"""Questions about how things are now: an old sentence says how they were when it was told."""

from __future__ import annotations

import re
from typing import Final

from services.answering.case import Case
from services.answering.readers.asking import is_of_now
from services.answering.readers.sentences import bounds
from services.retrieval.wording import content_terms

_CHANGED: Final = re.compile(
    r"\b(?:no longer|not any ?more|any longer|ceased|stopped|became|turned|left|gave|sold|lost|burn(?:t|ed)|recovered|went|died|broke)\b",
    re.IGNORECASE,
)


def told_since(case: Case) -> str:
    """Why the sentence that an answer rests on does not say how things are now; empty where it may.

    What was so when it was told counts as so until later text, up to the checkpoint, tells of a change in a sentence about the same.
    """
    ground = case.ground
    if ground is None or not case.is_single or not is_of_now(case.question):
        return ""
    cited = next((item for item in case.cited if item["id"] == ground.item), None)
    if cited is None or "passage" not in cited:
        return ""  # what a live record says
    spans = cited["evidence"]
    told_at = max(((span["chapter"], span["end"]) for span in spans), default=(ground.chapter, 0))
    about = _about(case)
    for row in case.slice.passages:
        if (row.chapter, row.end) <= told_at:
            continue
        for start, end in bounds(row.text):
            later = (row.chapter, row.start + start) >= told_at or ground.chapter < row.chapter
            sentence = row.text[start:end]
            if later and about.search(sentence) and _CHANGED.search(sentence):
                return f"it was so in chapter {ground.chapter}, and may have changed in chapter {row.chapter}: {sentence.strip()[:120]!r}"
    return ""


def _about(case: Case) -> re.Pattern[str]:
    """Whom the question names, by every name, or, where it names nobody, what it is about."""
    names = [name for figure in case.asked_about for name in case.names.names(figure)]
    words = names or [word for word in re.findall(r"\w+", case.question) if content_terms(word)]
    return re.compile(
        rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True)) or '(?!)'})\b", re.IGNORECASE
    )
