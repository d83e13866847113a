"""Questions about how things are now: an old sentence says how they were when it was told."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from services.answering.case import Case
from services.answering.readers.asking import is_of_now
from services.answering.readers.sentences import bounds
from services.retrieval.wording import content_terms

_BECAME: Final = re.compile(
    r"\b(?:no longer|not any ?more|any longer|ceased to|stopped being|became|turned into|was made|retired|died|dead|recovered|healed|cured"
    r"|restored|divorc\w+|burn(?:t|ed) down|went out|opened|unlocked|fell out|broke with|quarrel\w+)\b",
    re.IGNORECASE,
)
"""Words of a change in how somebody or something is."""
_HAVING: Final = re.compile(
    r"\b(?:has|have|owns?|holds?|keeps?|possess\w*|carr(?:y|ies)|belongs?|wears?|whose)\b|^who(?:se)? .*\bwith\b",
    re.IGNORECASE,
)
_PLACED: Final = re.compile(r"^where\b|^(?:is|are) [^?]+? (?:at|in|on|inside|near|under|with) ", re.IGNORECASE)
_MOVING: Final = {
    "owner": re.compile(
        r"\b(?:gave|given|sold|handed|passed|threw|thrown|lost|took|taken|stole|stolen|returned|dropped|left|sent|lent|seized|hid)\b",
        re.IGNORECASE,
    ),
    "location": re.compile(
        r"\b(?:went|gone|came|left|arrived|moved|returned|travelled|traveled|rode|drove|walked|ran|sailed|fled|entered|reached|carried"
        r"|brought|taken|sent)\b",
        re.IGNORECASE,
    ),
}
"""Words of sentences that tell of another owner, or another place."""


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
    changed = _change(case.question)
    for row in case.slice.passages:
        if (row.chapter, row.end) <= told_at:
            continue
        for start, end in bounds(row.text):
            later = (row.chapter, row.start + start) >= told_at or ground.chapter < row.chapter
            sentence = row.text[start:end]
            if later and about.search(sentence) and changed.search(sentence):
                return f"it was so in chapter {ground.chapter}, and may have changed in chapter {row.chapter}: {sentence.strip()[:120]!r}"
    return ""


def _change(question: str) -> re.Pattern[str]:
    """The words of a change that bears on what is asked: another owner, another place, another way to be."""
    if _PLACED.search(question):
        return _MOVING["location"]
    return _MOVING["owner"] if _HAVING.search(question) else _BECAME


def overtaken(case: Case) -> str:
    """Why text tells that what rules alone have read of the whereabouts or the owner of something is no more so; empty where none does.

    Rules see one gift in two or three; the words that tell another stand in the text all the same.
    """
    for entry in case.state.entries[:1] if case.state is not None and case.state.source == "state" else ():
        moving = _MOVING.get(entry.key.partition("(")[0])
        grounds = [case.slice.records[index] for index in entry.support]
        if moving is None or not entry.subjects or any(r.payload.get("confidence", 1.0) == 1.0 for r in grounds):
            continue
        told_at = max((r.chapter, max((end for _, end in r.evidence), default=0)) for r in grounds)
        figure = case.slice.cast.figures.get(entry.subjects[0])
        names = case.names.names(figure) if figure is not None else [case.names.of(entry.subjects[0])]
        about = _any_of(names)
        for row in case.slice.passages:
            if (row.chapter, row.end) <= told_at:
                continue
            for start, end in bounds(row.text):
                sentence = row.text[start:end]
                if (row.chapter, row.start + start) >= told_at and about.search(sentence) and moving.search(sentence):
                    return f"chapter {row.chapter} may tell otherwise since: {sentence.strip()[:120]!r}"
    return ""


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True)) or '(?!)'})\b", re.IGNORECASE
    )


def _about(case: Case) -> re.Pattern[str]:
    """Whom the question names, by every name, or, where it names nobody, what it is about."""
    names = [name for figure in case.asked_about for name in case.names.names(figure)]
    words = names or [word for word in re.findall(r"\w+", case.question) if content_terms(word)]
    return _any_of(words)
