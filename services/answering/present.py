"""Questions about how things are now: an old sentence says how they were when it was told."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Final

from events.ids import EntityId
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
    "relationship": re.compile(
        r"\b(?:no longer|not any ?more|any longer|ceased|stopped|divorc\w+|parted|separated|quarrel\w+|fell out|broke with|hated"
        r"|betrayed)\b",
        re.IGNORECASE,
    ),
}
"""Words of sentences that tell of another owner, another place, or another tie between two."""


def told_since(case: Case) -> str:
    """Why the sentence that an answer rests on does not say how things are now; empty where it may.

    What was so when it was told counts as so until later text, up to the checkpoint, tells of a change in a sentence about the same.
    """
    ground = case.ground
    if ground is None or not case.is_single or not is_of_now(case.question):
        return ""
    found = case.place_of(ground)
    if found is None:
        return ""  # what a live record says
    later = _later(case, (found[0], found[2]), (_about(case), _change(case.question)))
    return f"it was so in chapter {ground.chapter}, and may have changed in {later}" if later else ""


def _change(question: str) -> re.Pattern[str]:
    """The words of a change that bears on what is asked: another owner, another place, another way to be."""
    if _PLACED.search(question):
        return _MOVING["location"]
    return _MOVING["owner"] if _HAVING.search(question) else _BECAME


def overtaken(case: Case) -> str:
    """Why text tells that an owner, a place or a tie that rules alone have read is no more so; empty where none does.

    Rules see one gift in two or three; the words that tell another stand in the text all the same.
    """
    for entry in case.state.entries[:1] if case.state is not None and case.state.source == "state" else ():
        moving = _MOVING.get(entry.key.partition("(")[0])
        grounds = [case.slice.records[index] for index in entry.support]
        if moving is None or not entry.subjects or any(r.payload.get("confidence", 1.0) == 1.0 for r in grounds):
            continue
        told_at = max((r.chapter, max((end for _, end in r.evidence), default=0)) for r in grounds)
        named = [_any_of(_names_of(case, subject)) for subject in entry.subjects]
        if later := _later(case, told_at, (*named, moving)):
            return f"it may be otherwise since {later}"
    return ""


def _later(case: Case, told_at: tuple[int, int], wanted: Sequence[re.Pattern[str]]) -> str:
    """The first sentence of the slice behind a place, chapter and code point, that has all that is wanted; empty where none has."""
    for row in case.slice.passages:
        if (row.chapter, row.end) <= told_at:
            continue
        for start, end in bounds(row.text):
            sentence = row.text[start:end]
            if (row.chapter, row.start + start) >= told_at and all(pattern.search(sentence) for pattern in wanted):
                return f"chapter {row.chapter}: {sentence.strip()[:120]!r}"
    return ""


def _names_of(case: Case, entity: EntityId) -> list[str]:
    figure = case.slice.cast.figures.get(entity)
    return case.names.names(figure) if figure is not None else [case.names.of(entity)]


def _any_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile(
        rf"\b(?:{'|'.join(sorted(map(re.escape, words), key=len, reverse=True)) or '(?!)'})\b", re.IGNORECASE
    )


def _about(case: Case) -> re.Pattern[str]:
    """Whom the question names, by every name, or, where it names nobody, what it is about."""
    names = [name for figure in case.asked_about for name in case.names.names(figure)]
    words = names or [word for word in re.findall(r"\w+", case.question) if content_terms(word)]
    return _any_of(words)
