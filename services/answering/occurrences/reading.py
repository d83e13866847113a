"""What a record of a happening says as clauses: those of its own sentence, of the parts that people have in it, and of who told whom."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from events.ids import EntityId
from projections.passages.read import RecordRow
from services.answering.naming import Names, identities
from services.answering.occurrences.clauses import Clause, Figures, clauses
from services.answering.occurrences.verbs import done_by, third_person
from services.answering.readers.offline import document
from services.retrieval.slices import Slice

if TYPE_CHECKING:
    from spacy.tokens import Doc

Json = Any

_WEAK: Final = ("hear", "listen", "watch", "overhear")
"""Deeds of which a part in a happening does not tell from whom: one of several speaks."""
_QUOTED: Final = re.compile(r"[“«\"].*?(?:[”»\"]|$)", re.DOTALL)
_TOLD: Final = ("told", "tell", "report", "account", "words", "confid", "explain", "answer", "said")


def clauses_of(slice_: Slice, names: Names, record: RecordRow, said: str, parsed: Doc) -> list[Clause]:
    """The clauses of a record, whose sentence `said` is `parsed`."""
    quoted = [range(*match.span()) for match in _QUOTED.finditer(said)]
    spoken = [
        clause
        for clause in clauses(parsed, names.in_text(said))
        # what somebody says that was done is not told as done
        if clause.token is None or not any(parsed[clause.token].idx in span for span in quoted)
    ]
    first = next((clause.doers for clause in spoken if clause.doers), frozenset[EntityId]())
    closed = (_closed(slice_, names, record, clause, said, first) for clause in spoken)
    return [*closed, *_of_roles(slice_, record), *_of_learning(slice_, names, record)]


def _closed(slice_: Slice, names: Names, record: RecordRow, clause: Clause, said: str, first: Figures) -> Clause:
    """The clause with whom `she` or `the boy` must be: the source and the target of an interaction, the one left of who took part,
    else the first of whom the record says that he does something."""
    slots = {slot: slice_.cast.of(entity) for slot, entity, _ in record.mentions}
    if record.kind == "interaction" and "source" in slots and "target" in slots:
        doers = clause.doers or (frozenset((slots["source"],)) if clause.doer_open else clause.doers)
        taken = clause.done_to_open and slots["target"] not in doers
        return replace(
            clause,
            doers=doers,
            done_to=clause.done_to | {slots["target"]} if taken else clause.done_to,
            done_to_open=clause.done_to_open and not taken,
        )
    if clause.doers or not clause.doer_open or clause.doers_several:
        return clause
    left = {slice_.cast.of(e) for slot, e, _ in record.mentions if slot.startswith("participants")}
    left -= identities(names.in_text(said))
    if len(left) != 1 and clause.doing:
        return clause  # `the man that she loved` is not the one who is named
    return replace(clause, doers=frozenset(left) if len(left) == 1 else first)


def _of_roles(slice_: Slice, record: RecordRow) -> Iterator[Clause]:
    """A clause for every part that a record gives somebody by what he does: the giver gives, to all the others."""
    if record.kind == "interaction":
        slots = {slot: slice_.cast.of(entity) for slot, entity, _ in record.mentions}
        if "source" in slots and "target" in slots:
            for word in document(str(record.payload.get("type") or "")):
                if word.is_alpha and word.pos_ != "ADP":
                    verb = word.lemma_.lower() if word.pos_ == "VERB" else third_person(word.text)
                    yield Clause(verb, frozenset((slots["source"],)), frozenset((slots["target"],)))
        return
    parts = record.payload.get("participants")
    played = list(_parts(slice_, record, parts if isinstance(parts, list) else []))
    for verb in dict.fromkeys(done_by(role) for role, _ in played):
        if verb and verb not in _WEAK:
            doers = frozenset(who for role, who in played if done_by(role) == verb)
            yield Clause(verb, doers, frozenset(who for _, who in played) - doers)


def _parts(slice_: Slice, record: RecordRow, parts: Json) -> Iterator[tuple[str, EntityId]]:
    entities = {slot: slice_.cast.of(entity) for slot, entity, _ in record.mentions}
    for number, part in enumerate(parts):
        role = part.get("role") if isinstance(part, dict) else None
        who = entities.get(f"participants.{number}")
        if role and who is not None:
            yield str(role), who


def _of_learning(slice_: Slice, names: Names, record: RecordRow) -> Iterator[Clause]:
    """Who is known to have learned a thing from somebody was told it by him."""
    how = str(record.payload.get("learned_via") or "") if record.kind == "knowledge" else ""
    who = next((slice_.cast.of(entity) for slot, entity, _ in record.mentions if slot == "knower"), None)
    by = identities(names.in_text(how))
    if who is None or not by or who in by:
        return
    if any(word in how.lower() for word in _TOLD) or names.called(how) is not None:
        yield Clause("tell", frozenset(by), frozenset((who,)))  # by himself or through others
