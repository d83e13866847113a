"""Values that once held: whether an answer gives one for what holds, and which evidence tells only such values.

For every method and reader alike, what an answer says of a subject and attribute is held against the latest valid record of both.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from projections.search.analysis import terms
from services.answering.case import Case
from services.answering.facts import held
from services.answering.readers.sentences import split
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice
from services.retrieval.wording import content_terms

Json = Any

_KEYED: Final[Mapping[str, str]] = {
    "owner": r"\bwho[ms]?\b.*\b(?:has|have|had|owns?|owned|holds?|held|holding|keeps?|kept|keeping|possess\w*|carr(?:y|ies|ied|ying)|got)\b"
    r"|\bwhose\b|\b(?:owners?|holder|keeper|possession|possessor|hands|custody|belongs?|belonged|belonging)\b",
    "location": r"\bwhere\b|\bwherea?bouts\b|\b(?:what|which) (?:place|room|house|town|city|country)\b|\blocat\w+|\bto be found\b",
    "object_state": r"\b(?:state|condition|shape|intact|broken|become of|became of|happened to)\b",
    "relationship": r"\brelat\w+|\b(?:friends?|enem(?:y|ies)|rivals?|lovers?|married|terms|bond|tie)\b|\bwhat (?:is|are|was|were) .+ to ",
    "thread": r"\b(?:open|unresolved|resolved|paid|kept|fulfil\w*|broken|settled|threads?|promis\w*|myster\w*)\b",
    "knowledge": r"\b(?:knows?|knew|known|aware|unaware|believes?|believed|suspects?|suspected|think|thinks|thought)\b",
    "arc": r"\b(?:arc|stage)\b",
}
"""By functor, the wording that asks for its values."""
_ATTRIBUTES: Final[Mapping[str, str]] = {
    "status": r"\b(?:status|alive|dead|living|become of|became of|happened to|how (?:is|are|was))\b",
    "goal": r"\b(?:goal|aims?|wants?|wanted|intend\w*|plans?|planned|purpose|trying|seek\w*)\b",
    "emotion": r"\b(?:emotion|mood|feel\w*|felt|temper)\b",
    "injury": r"\b(?:injur\w*|wound\w*|hurt)\b",
    "allegiance": r"\b(?:allegiance|loyal\w*|side|serves?|served|sworn)\b",
    "occupation": r"\b(?:occupation|trade|profession|job|work|works|for a living|what (?:is|was))\b",
    "disguise": r"\b(?:disguise\w*|pretend\w*|pos(?:es?|ed|ing)|dressed)\b",
}
_STRONG: Final = frozenset(("owner", "location", "object_state", "relationship"))
_LASTING: Final = frozenset(("status", "allegiance", "occupation", "disguise", "goal"))
_PRESENT: Final = re.compile(r"\b(?:is|are|has|have|does|do|now|currently|still)\b", re.IGNORECASE)
_FORMER: Final = re.compile(
    r"\b(?:before|after|when|while|earlier|former(?:ly)?|original(?:ly)?|previous\w*|at first|first|once|used to|until|history|ago|then"
    r"|back when|no longer|that (?:day|night|morning|evening)|in chapter \d+)\b",
    re.IGNORECASE,
)
_PAST_TENSE: Final = re.compile(r"\b(?:was|were|did|had)\b", re.IGNORECASE)
_HAVING: Final = re.compile(
    r"\b(?:what|which|who|whom)\b.*\b(?:have|has|owns?|holds?|holding|keeps?|keeping|possess(?:es)?|carr(?:y|ies|ying)|is (?:at|in|on))\b",
    re.IGNORECASE,
)
SAID: Final = 0.8
"""The share of a value's words that an answer has to have to be taken to give it."""
MEANT: Final = 0.5
"""The same of an answer that says nothing else: a figure is not every place that is called after it."""


@dataclass(frozen=True, slots=True)
class Outdated:
    """A value that was replaced, and what holds now; None: nothing does. `is_all`: the answer says nothing else."""

    past: Entry
    current: Entry | None
    is_all: bool


def outdated(case: Case) -> Outdated | None:
    """The first replaced value that an answer gives for the present one; a question about the past may be answered with it."""
    if case.state is not None or _FORMER.search(case.question):
        return None
    # who says `Yes` says what the question does
    affirmed = case.kind == "polar" and case.text.startswith("Yes")
    said = case.question if affirmed else case.text
    for past, current in _replaced(case):
        if current is not None and _gives(case, current.value, said):
            continue
        says = (False if _gives(case, past.value, said) else None) if affirmed else _says(case, past)
        if says is not None:
            return Outdated(past, current, is_all=says)
    return _turned_about(case)


def _turned_about(case: Case) -> Outdated | None:
    """What somebody has, or who is at a place, asked the other way round: the answer is then the subject of the key."""
    if not _HAVING.search(case.question) or _PAST_TENSE.search(case.question):
        return None
    asked = {figure.id for figure in case.asked_about}
    said = {named.figure.id for named in case.names.in_text(case.text)}
    for key, entries in case.slice.entries_by_key.items():
        if not key.startswith(("owner(", "location(")) or not said & set(entries[-1].subjects):
            continue
        current = next((entry for entry in entries if entry.holds and entry.value), None)
        now = case.names.called(current.value) if current else None
        for past in entries:
            then = None if past.holds else case.names.called(past.value)
            if then is not None and then.id in asked and (now is None or now.id != then.id):
                return Outdated(past, current, is_all=False)
    return None


def standing(slice_: Slice, question: str, packet: Mapping[str, Json]) -> dict[str, Json]:
    """The packet without records that only tell what no longer holds; as it is where the question asks for the past too."""
    if _FORMER.search(question) or _PAST_TENSE.search(question):
        return dict(packet)
    return {**packet, "items": [item for item in packet["items"] if not _has_passed(slice_, item)]}


def _has_passed(slice_: Slice, item: Json) -> bool:
    index = slice_.record_by_name.get(item.get("record") or "")
    if index is None or item["type"] in ("entity", "state"):
        return False
    entries = slice_.entries_of_record.get(index, ())
    return bool(entries) and not any(entry.holds for entry in entries)


def _replaced(case: Case) -> Iterator[tuple[Entry, Entry | None]]:
    """The replaced values of keys that the question asks for, or may, the latest first, each with what holds under its key."""
    about = {figure.id for figure in [*case.asked_about, *case.names.hinted_in(case.question)]}
    present = bool(_PRESENT.search(case.question)) and not _PAST_TENSE.search(case.question)
    for key, entries in case.slice.entries_by_key.items():
        if not entries or not about & set(entries[-1].subjects):
            continue
        asked, lasting = _asks(case.question, key)
        if not asked and not (present and lasting):
            continue
        current = next((entry for entry in entries if entry.holds and entry.value), None)
        for past in reversed(entries):
            if past.holds or not past.value or not _is_about_fact(case, past):
                continue
            # who is `father of` and later `trusting father of` is the one as much as the other
            if current is None or (past.value != current.value and held(past.value, current.value) < 1.0):
                yield past, current


def _is_about_fact(case: Case, past: Entry) -> bool:
    """Of a stance: whether the fact it is towards is spoken of. `Believing that …` says no stance towards all that one ever believed."""
    return not past.key.startswith("knowledge(") or held(past.key, f"{case.question} {case.text}") >= MEANT


def _asks(question: str, key: str) -> tuple[bool, bool]:
    """Whether a question asks for a key's value by its wording, and whether the value is of those that last."""
    functor, _, inside = key.partition("(")
    if functor != "character":
        pattern = _KEYED.get(functor)
        return pattern is not None and re.search(pattern, question, re.IGNORECASE) is not None, functor in _STRONG
    attribute = inside.removesuffix(")").rpartition(",")[2].strip().casefold()
    pattern = _ATTRIBUTES.get(attribute, rf"\b{re.escape(attribute)}\b")
    return re.search(pattern, question, re.IGNORECASE) is not None, attribute in _LASTING


def _says(case: Case, past: Entry) -> bool | None:
    """Whether a draft is nothing but a past value (True), has it beside other things (False), or does not give it (None)."""
    own = set(content_terms(case.text)) - set(content_terms(case.question))
    value = _words(case, past.value)
    if own and own <= value and (_gives(case, past.value, case.text) or held(past.value, case.text) >= MEANT):
        return True
    for sentence in split(case.text):
        if _gives(case, past.value, sentence) and (own <= value or _is_about(case, past, sentence)):
            return False
    return None


def _gives(case: Case, value: str, text: str) -> bool:
    """Whether a text says a value, in its words or under another name of whom it is."""
    figure = case.names.called(value)
    if figure is not None and any(named.figure.id == figure.id for named in case.names.in_text(text)):
        return True
    return held(value, text) >= SAID


def _words(case: Case, value: str) -> set[str]:
    figure = case.names.called(value)
    names = case.names.names(figure) if figure is not None else ()
    return {term for text in (value, *names) for term in terms(text)}


def _is_about(case: Case, past: Entry, sentence: str) -> bool:
    """Whether a sentence speaks of the key's subject, or answers for it by being all that is said."""
    named = {found.figure.id for found in case.names.in_text(sentence)}
    return bool(named & set(past.subjects)) or len(list(split(case.text))) == 1
