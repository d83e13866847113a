"""The records that tell what a question asks about: the same deed, by whom and to whom the question has it, in most of its words."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from projections.passages.read import RecordRow
from projections.search.analysis import terms as analysed
from services.answering.naming import Names, identities
from services.answering.occurrences.asking import Wanted
from services.answering.occurrences.clauses import Clause, Figures
from services.answering.occurrences.fitting import fits, is_left_out
from services.answering.occurrences.reading import clauses_of
from services.answering.occurrences.verbs import ANY, same_deed, spelled
from services.answering.occurrences.wording import said_by
from services.answering.readers.offline import document
from services.answering.readers.sentences import terms
from services.retrieval.slices import Slice

if TYPE_CHECKING:
    from spacy.tokens import Doc

LOOKED_AT: Final = 60
"""Records that are parsed for a question."""
HELD: Final = 0.5
"""The share of a question's other words that a record, with the rest of its scene, has to have."""
_NAMED: Final = 0.1
"""What the names of whom a question is about count in looking for records, beside its deed."""
_GOVERNS: Final = 0.3
"""What a record gains whose verb has the preposition that is asked with."""
_IN_SCENE: Final = 0.6
"""What a word counts that only the other records of the scene have."""
_KINDS: Final = {
    "event": 1.0, "interaction": 1.0, "fact": 0.9, "revelation": 0.9, "character_delta": 0.9, "knowledge": 0.8, "situation": 0.7,
    "thread": 0.7,
}  # fmt: skip
_ASIDE: Final = 0.15
"""What a clause loses that is told beside another, or whose doer or object is only `him` or `the boy`."""
_ONCE: Final = ("event", "interaction", "situation")
"""Kinds that tell how something was when it was told, and are not replaced."""
MEET: Final = "meet"
_TAKING_PART: Final = ("participants", "source", "target")


@dataclass(frozen=True, slots=True)
class Told:
    """A record that tells what is asked. `turned`: it tells it from the other side; `worth`: how surely, 0 to 2."""

    index: int
    record: RecordRow
    clause: Clause
    said: str
    parsed: Doc | None
    turned: bool
    sure: float
    worth: float
    is_whole: bool = False
    """Whether it has every word of the question."""


def told(slice_: Slice, names: Names, asked: Wanted) -> list[Told]:
    """The records that tell what is asked, the surest first; of one record its surest clause."""
    found = []
    for index in _candidates(slice_, names, asked):
        best = max(_matches(slice_, names, asked, index), key=lambda each: each.worth, default=None)
        if best is not None:
            found.append(best)
    if not found and asked.clause.verb != ANY and same_deed(asked.clause.verb, MEET):
        found = list(_met(slice_, asked))
    return sorted(found, key=lambda each: (-round(each.worth, 6), each.index))


def _met(slice_: Slice, asked: Wanted) -> Iterator[Told]:
    """The first happening that all who are named take part in, where no record says in so many words that they meet."""
    for index, record in enumerate(slice_.records):
        if record.kind in ("event", "interaction", "situation") and _is_by_people(record) and _tells(slice_, index):
            there = {slice_.cast.of(e) for slot, e, _ in record.mentions if slot.startswith(_TAKING_PART)}
            if len(asked.figures) > 1 and asked.figures <= there:
                yield Told(index, record, asked.clause, said_by(record), None, turned=False, sure=1.0, worth=1.0)
                return


def _candidates(slice_: Slice, names: Names, asked: Wanted) -> Iterator[int]:
    """The records that share most with the question, by BM25 over what they say; those of people and things it does not name left out."""
    lexicon = slice_.node_lexicon
    verbs = dict.fromkeys((*spelled(asked.clause.verb), *spelled(asked.clause.verb.partition("_")[0])))
    said = {t for verb in verbs for t in analysed(verb)} | asked.words
    called = {t for figure in asked.figures for t in analysed(names.of(figure))} - said
    # whom it names only tells records apart that say as much of the deed
    scores = (lexicon.scores(sorted(said)) + _NAMED * lexicon.scores(sorted(called)))[len(slice_.cast.ordered) :]
    ranked = sorted(scores.nonzero()[0].tolist(), key=lambda n: (-round(float(scores[n]), 6), n))
    found = 0
    for index in ranked[: 10 * LOOKED_AT]:
        record = slice_.records[index]
        if (asked.ongoing or (asked.of_now and record.kind in _ONCE)) and record.chapter != slice_.at:
            continue
        if _tells(slice_, index) and asked.figures <= _figures(slice_, names, record):
            yield index
            found += 1
        if found >= LOOKED_AT:
            return


def _tells(slice_: Slice, index: int) -> bool:
    """Whether a record tells something as done, or as a state that has not been replaced."""
    record = slice_.records[index]
    if record.kind not in _KINDS or record.payload.get("modality", "actual") not in ("actual", "past"):
        return False
    if record.kind == "situation" and not _is_by_people(record):
        return False  # who is there, and how the scene begins
    entries = slice_.entries_of_record.get(index, ()) if record.kind in ("fact", "character_delta") else ()
    return bool(said_by(record)) and all(entry.holds for entry in entries)


def _figures(slice_: Slice, names: Names, record: RecordRow) -> Figures:
    mentioned = {slice_.cast.of(entity) for _, entity, _ in record.mentions}
    return frozenset(mentioned | identities(names.in_text(record.text)))


def _matches(slice_: Slice, names: Names, asked: Wanted, index: int) -> Iterator[Told]:
    record = slice_.records[index]
    if asked.clause.verb == ANY and not _is_by_people(record):
        return  # of all that rules alone have read, no one thing is what somebody did
    said = said_by(record)
    parsed = document(said)
    share: float | None = None
    for clause in clauses_of(slice_, names, record, said, parsed):
        fit = fits(asked, clause)
        if fit is None:
            continue
        sure, turned = fit
        if asked.infinitive and not _is_to_do(parsed, clause):
            continue
        share = _held(slice_, asked, index) if share is None else share
        if share >= (1.0 if asked.clause.verb == ANY else HELD):
            worth = sure + share * _KINDS[record.kind] - _ASIDE * (clause.aside + clause.done_to_open)
            worth += _GOVERNS * _governs(parsed, clause, asked.governs) - _ASIDE * is_left_out(asked, clause)
            yield Told(
                index,
                record,
                clause,
                said,
                parsed if clause.token is not None else None,
                turned,
                sure,
                worth,
                share == 1.0,
            )


def _is_to_do(parsed: Doc, clause: Clause) -> bool:
    """Whether the clause says what somebody is to do: what one *tells her to* do."""
    below = parsed[clause.token].children if clause.token is not None else ()
    return any(t.dep_ in ("xcomp", "ccomp") and any(c.lower_ == "to" for c in t.children) for t in below)


def _governs(parsed: Doc, clause: Clause, preposition: str) -> bool:
    """Whether the verb has the preposition that the question ends with: what one *asks for*."""
    return clause.token is not None and any(t.lower_ == preposition for t in parsed[clause.token].children)


def _is_by_people(record: RecordRow) -> bool:
    """Whether somebody who understands the text says it; rules are never sure."""
    return bool(record.payload.get("confidence", 1.0) == 1.0)


def _held(slice_: Slice, asked: Wanted, index: int) -> float:
    """The share of the question's other words that a record has; what only its scene has counts less. 1 where there are none."""
    if not asked.words:
        return 1.0
    own = frozenset(_terms(slice_.records[index].text))
    if asked.words <= own or not _is_by_people(
        slice_.records[index]
    ):  # what rules have read beside it may be about anything
        return len(asked.words & own) / len(asked.words)
    if len(asked.words) > 1 and not asked.words & own:
        return 0.0
    scene = frozenset(term for each in _scene(slice_, asked, index) for term in _terms(slice_.records[each].text))
    return sum(1.0 if word in own else _IN_SCENE * (word in scene) for word in asked.words) / len(asked.words)


def _scene(slice_: Slice, asked: Wanted, index: int) -> Iterator[int]:
    """The records of the scene of one, which stand around it, that are of all whom the question is about."""
    at = slice_.records[index]
    for step in (-1, 1):
        place = index
        while 0 <= place < len(slice_.records):
            record = slice_.records[place]
            if (record.chapter, record.order[0]) != (at.chapter, at.order[0]):
                break
            if asked.figures <= {slice_.cast.of(entity) for _, entity, _ in record.mentions}:
                yield place
            place += step


@lru_cache(maxsize=20_000)
def _terms(text: str) -> tuple[str, ...]:
    return tuple(terms(text))
