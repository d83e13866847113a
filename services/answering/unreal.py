"""What an answer rests on that is no fact of the story: dreamt, planned, supposed, believed or only reported."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.answering.case import Case
from services.answering.facts import held
from services.answering.occurrences.verbs import same_deed
from services.answering.occurrences.word_order import verbs_told
from services.answering.readers.offline import asked_verb, document, lemmas
from services.answering.readers.sentences import Sentence
from services.answering.wording import MEANT, NEGATION

_ACTUAL: Final = "actual"
_UNREAL: Final = {
    "hypothetical": r"\b(?:would|could|might|if)\b",
    "planned": r"\b(?:plan\w*|intend\w*|mean\w*|goal|aim\w*|want\w*|hop\w*|going to|will)\b",
    "dream": r"\b(?:dream\w*|nightmares?|vision|imagin\w*)\b",
    "believed": r"\b(?:believ\w*|think\w*|thought|suppos\w*|suspect\w*|mistak\w*)\b",
    "reported": r"\b(?:say|says|said|tell|tells|told|report\w*|claim\w*|accus\w*|rumou?r\w*|accord\w*)\b",
}
"""Modalities that are no fact of the story, and the wording that asks for them all the same."""
_MEANT_AT_ALL: Final = re.compile(
    r"\b(?:will|would|could|might|should|shall|must|may|can|promis\w*|want\w*|wish\w*|hope\w*|mean\w*|intend\w*|plan\w*|try|tries|tried)\b",
    re.IGNORECASE,
)
"""A question that asks for what is promised, wanted or possible."""
_DREAMT_AT_ALL: Final = re.compile(
    r"\b(?:dream\w*|nightmares?|vision|imagin\w*|fanc(?:y|ied|ies)|pretend\w*)\b", re.IGNORECASE
)
"""A question that asks for what is dreamt or imagined."""
_SIDED: Final = ("person", "place", "time", "number")
"""Kinds of questions that take what they ask about for done."""
_TELLING: Final = frozenset(
    ("event", "interaction", "situation", "fact", "character_delta", "object_delta", "relationship_delta")
)
"""Kinds of records that tell what a sentence tells, rather than who is in it."""


@dataclass(frozen=True, slots=True)
class Unreal:
    """The record, by name, that says so, and its modality."""

    record: str
    modality: str


def not_actual(case: Case) -> Unreal | None:
    """Why what an answer rests on is no fact; None: it is one, or the question asks for what is dreamt or planned.

    Of a reader that goes by words, the sentence that its answer is in decides: a record as such, a passage by the records that
    stand on this sentence, of which the one that tells most of the question counts. Of another, all that it cites.
    """
    if case.state is not None:
        return None
    if case.lexical:
        ground = case.ground
        found = _of_sentence(case, ground) if ground is not None else None
    else:
        each = [_of_record(case, item.get("record") or "") for item in case.cited]
        found = each[0] if each and all(each) else None
    if found is None or re.search(_UNREAL[found.modality], case.question, re.IGNORECASE):
        return None
    return found


def _of_sentence(case: Case, sentence: Sentence) -> Unreal | None:
    item = next(item for item in case.cited if item["id"] == sentence.item)
    if item.get("record"):
        return _of_record(case, item["record"])
    best: tuple[float, bool, str] | None = None
    for name in _standing_on(case, sentence):
        record = case.slice.records[case.slice.record_by_name[name]]
        # of two that tell as much, one that is told as a fact
        worth = (round(held(case.question, record.text), 6), _of_record(case, name) is None, name)
        best = worth if best is None or worth[:2] > best[:2] else best
    return _of_record(case, best[2]) if best is not None else None


def _of_record(case: Case, name: str) -> Unreal | None:
    index = case.slice.record_by_name.get(name)
    modality = str(case.slice.records[index].payload.get("modality", _ACTUAL)) if index is not None else _ACTUAL
    return Unreal(name, modality) if modality in _UNREAL else None


def _standing_on(case: Case, sentence: Sentence) -> Iterator[str]:
    """The records whose evidence lies in a sentence of the text, by name."""
    place = case.place_of(sentence)
    if place is None:
        return
    chapter, start, end = place
    for record in case.of_chapter(chapter):
        if record.kind in _TELLING and any(low < end and high > start for low, high in record.evidence):
            yield record.name


def is_only_meant(case: Case, sentence: str) -> bool:
    """Whether the verbs that are asked about stand in the sentence only as what somebody promised, said, could do, nearly did or dreamt."""
    if not case.is_english or NEGATION.search(case.question):
        return False  # what was not done is told by what one could not, or would not, do
    if _MEANT_AT_ALL.search(case.question) or _DREAMT_AT_ALL.search(case.question):
        return False
    asked = asked_verb(case.question)
    if case.is_single and case.kind in _SIDED:
        told = verbs_told(document(case.question), document(sentence))
        is_misread = not asked or asked.title() in case.question  # a name that the parser does not know
        own = told if is_misread else {verb: fact for verb, fact in told.items() if same_deed(asked, verb)}
        if own:
            return not any(own.values())
    found = [
        m.start() for m in re.finditer(r"\w+", sentence) if asked and asked in (m.group().lower(), *lemmas(m.group()))
    ]
    return bool(found) and all(MEANT.search(sentence[max(0, start - 40) : start]) for start in found)
