"""Answers to questions about what happened, from the records that tell it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from events.ids import EntityId
from services.answering.looking import FromState
from services.answering.naming import Names
from services.answering.occurrences.asking import Wanted, wanted
from services.answering.occurrences.entailing import Entailing, Verdict
from services.answering.occurrences.finding import Told, told
from services.answering.occurrences.wording import said_by, told_alone
from services.answering.readers.asking import Kind
from services.answering.readers.wordlists import LOCATIVE, TIMES
from services.answering.wording import is_person
from services.retrieval.slices import Slice

if TYPE_CHECKING:
    from spacy.tokens import Token

MOST: Final = 3
"""Happenings that one answer tells."""
AS_GOOD: Final = 0.95
NAMED: Final = 0.9
"""What another record has to be worth, of the best, to be told with it, or to name somebody more."""
_CAUSE: Final = re.compile(
    r"\b(?:because|since|so that|in order to|lest|(?:for|in|from|out of) fear|owing to)\b|[,;:] (?:for|as|so)\b",
    re.IGNORECASE,
)
_ABOUT: Final = "records of what happened"


def from_occurrences(slice_: Slice, names: Names, question: str) -> FromState | None:
    """The answer by records of what happened; None where the question asks something else, or no record tells it."""
    asked = wanted(names, question)
    reply = _REPLIES.get(asked.kind) if asked else None
    if asked is None or reply is None:
        return None
    found = told(slice_, names, asked)
    if not found:
        return None
    best = [each for each in found if each.worth >= (NAMED if _names_more(asked, each) else AS_GOOD) * found[0].worth]
    return reply(slice_, names, asked, best)


def _names_more(asked: Wanted, each: Told) -> bool:
    """Of those who did a thing, or whom it was done to, another is told by another record of the same verb."""
    return asked.kind == "person" and each.sure == 1.0


def _from(said: str, records: tuple[int, ...]) -> FromState:
    return FromState(said, (), _ABOUT, records, "records")


def _person(slice_: Slice, names: Names, asked: Wanted, best: Sequence[Told]) -> FromState | None:
    """Who did it, or to whom it was done: a figure, else in the record's words."""
    said: dict[str, int] = {}
    for each in sorted(_in_order(asked, best), key=lambda each: -round(each.worth, 6)):
        doing = (asked.part == "doer") != each.turned
        who = (each.clause.doers if doing else each.clause.done_to | each.clause.beside) - asked.figures
        if not doing:
            who = frozenset(figure for figure in who if _is_somebody(slice_, figure))
        called = sorted(names.of(figure) for figure in who) or [
            _doer_in_words(each) if doing and not each.clause.doers else ""
        ]
        for text in called:
            if text:
                said.setdefault(text, each.index)
    if not said:
        return None
    kept = list(said.items())[:MOST]
    return _from(", ".join(text for text, _ in kept), tuple(dict.fromkeys(index for _, index in kept)))


def _is_somebody(slice_: Slice, figure: EntityId) -> bool:
    known = slice_.cast.figures.get(figure)
    kinds = [slice_.records[n].payload.get("type") for n in known.introduced_in] if known else []
    kind = next((str(kind) for kind in kinds if kind), "unknown")
    return kind in ("character", "group", "creature", "unknown")


def _doer_in_words(each: Told) -> str:
    """The subject of the clause as the record words it, where no figure that is known is meant: `a man-at-arms`."""
    if each.parsed is None or each.clause.token is None:
        return ""
    verb = each.parsed[each.clause.token]
    subject = next((t for t in verb.children if t.dep_ == "nsubj" and t.pos_ in ("NOUN", "PROPN")), None)
    if subject is None:
        return ""
    return each.parsed[subject.left_edge.i : subject.i + 1].text


def _sentences(slice_: Slice, names: Names, asked: Wanted, best: Sequence[Told]) -> FromState | None:
    """The happening in the words of its records: of several, the one told last."""
    # the deed itself, rather than a part that somebody has in it
    worded = [each for each in best if each.parsed is not None]
    scene = _scenes(asked, worded or best)[0]
    return _telling(slice_, names, [each.index for each in scene[:MOST]])


def _reason(slice_: Slice, names: Names, asked: Wanted, best: Sequence[Told]) -> FromState | None:
    """What a record says of the cause beside the deed, else the happenings that it is recorded to come of, else what it was for."""
    for scene in _scenes(asked, best):
        said = [each.index for each in scene if _CAUSE.search(each.said)]
        causes = [[*_causes(slice_, each), each.index] for each in scene]
        purposes = [each.index for each in scene if _has_purpose(each)]
        for found in (said[:1], next((each for each in causes if len(each) > 1), []), purposes[:1]):
            if found:
                return _telling(slice_, names, found)
    return None


def _scenes(asked: Wanted, best: Sequence[Told]) -> list[list[Told]]:
    """What is told, scene by scene, the scene first that is told last (or first, if that is asked for); within it in order."""
    scenes: dict[tuple[int, int], list[Told]] = {}
    for each in _in_order(asked, best):
        scenes.setdefault((each.record.chapter, each.record.order[0]), []).append(each)
    return [sorted(scene, key=lambda each: each.index) for scene in scenes.values()]


def _causes(slice_: Slice, each: Told) -> Iterator[int]:
    for name in each.record.payload.get("causes") or ():
        for called in (str(name), f"{each.record.chapter}:{name}"):
            index = slice_.record_by_name.get(called)
            if index is not None and said_by(slice_.records[index]):
                yield index
                break


def _has_purpose(each: Told) -> bool:
    if each.parsed is None or each.clause.token is None:
        return False
    verb = each.parsed[each.clause.token]
    return any(
        child.dep_ == "advcl" and any(t.lower_ == "to" and t.dep_ == "aux" for t in child.children)
        for child in verb.children
    )


def _place(slice_: Slice, names: Names, asked: Wanted, best: Sequence[Told]) -> FromState | None:
    for each in _in_order(asked, best):
        told = _where(each)
        if told:
            return _from(told, (each.index,))
    for each in _in_order(asked, best):
        where = next((entity for slot, entity, _ in each.record.mentions if slot == "location"), None)
        if where is not None:
            return _from(names.of(where), (each.index,))
    return None


def _where(each: Told) -> str:
    """The place that the record says with its verb: `under her pillow`."""
    if each.parsed is None or each.clause.token is None:
        return ""
    for child in each.parsed[each.clause.token].children:
        place = next((t for t in child.children if t.dep_ == "pobj"), None)
        if child.dep_ == "prep" and child.lower_ in LOCATIVE and place is not None and _is_place(place):
            return each.parsed[child.i : place.i + 1].text
    return ""


def _is_place(noun: Token) -> bool:
    lemma = noun.lemma_.lower()
    return noun.pos_ in ("NOUN", "PROPN") and lemma not in TIMES and not is_person(lemma)


def _time(slice_: Slice, names: Names, asked: Wanted, best: Sequence[Told]) -> FromState | None:
    """The chapter, and when in the story that is where the record says so; of several the first, or the last if that is asked for."""
    each = _in_order(asked, best)[0]
    if asked.clause.meant:
        return _telling(slice_, names, [each.index])
    if each.record.kind in ("knowledge", "revelation", "fact"):
        return None  # what is known of in a chapter may have happened at any time before
    when = (each.record.payload.get("story_time") or {}).get("label")
    said = (
        f"In chapter {each.record.chapter}"
        + (f" ({when})" if when else "")
        + f": {told_alone(slice_, names, each.index)}"
    )
    return _from(said, (each.index,))


def _polar(slice_: Slice, names: Names, asked: Wanted, best: Sequence[Told]) -> FromState | None:
    """Yes by a record that tells it, no by one that denies it; nothing where one does the one and one the other."""
    entailing = Entailing(names, asked.question)
    each = min(
        best,
        key=lambda each: (-round(each.worth, 6), each.parsed is None, each.record.kind != "interaction", each.index),
    )
    said = told_alone(slice_, names, each.index)
    if asked.clause.meant:  # what somebody is thought to mean is told as what it is
        return _from(said, (each.index,))
    found = {_verdict(entailing, each) for each in best} - {""}
    return _from(f"{'No' if found == {'denied'} else 'Yes'}: {said}", (each.index,)) if len(found) == 1 else None


def _verdict(entailing: Entailing, each: Told) -> Verdict:
    """By the record's sentence or, where this has only `she` or names a part that somebody had, by its clause."""
    found = entailing.of(each.said)
    if found or not each.is_whole:
        return found
    by_part = each.clause.token is None and not each.clause.negated
    if by_part or (each.clause.doer_open and not entailing.excepts(each.said)):
        return "denied" if each.clause.negated else "affirmed"
    return ""


def _in_order(asked: Wanted, best: Sequence[Told]) -> list[Told]:
    """What was told last comes first, unless the first time is asked for, or when it was."""
    first = asked.first or (asked.kind == "time" and not asked.last)
    return sorted(best, key=lambda each: each.index if first else -each.index)


def _telling(slice_: Slice, names: Names, indices: Sequence[int]) -> FromState | None:
    kept = list(dict.fromkeys(indices))
    said = dict.fromkeys(told_alone(slice_, names, index) for index in kept)
    return _from(" ".join(said), tuple(kept)) if said else None


_REPLIES: Final[Mapping[Kind, Callable[[Slice, Names, Wanted, Sequence[Told]], FromState | None]]] = {
    "person": _person, "thing": _sentences, "deed": _sentences, "manner": _sentences, "reason": _reason,
    "place": _place, "time": _time, "polar": _polar,
}  # fmt: skip
