"""What a record of a happening says, as a sentence that can stand alone in an answer."""

from __future__ import annotations

import re
from typing import Final

from projections.passages.read import RecordRow
from projections.words.verbalising import statement
from services.answering.naming import Names
from services.retrieval.slices import Slice

_TRUE: Final = ("knows", "unaware")
"""Stances towards what is so."""
_TURNS: Final = ("advanced", "paid_off", "abandoned")
"""What a thread comes to by something that happens."""
_PRONOUNS: Final = (
    ("source", re.compile(r"^(?:He|She|They|It)\b")),
    ("target", re.compile(r"\b(?:him|them|her(?= (?:the|a|an|to|and|in|on|for|with|up|out|off|away|back)\b))\b")),
)
"""What stands for who does it, and for whom it is done to, in the summary of an interaction."""
_QUOTED: Final = re.compile(r'^.*?"(.*)"$', re.DOTALL)


def said_by(record: RecordRow) -> str:
    """What a record says has happened, is so or is wanted, as a sentence; empty where it says none of these."""
    payload = record.payload
    if record.kind == "knowledge":
        said = str(payload.get("fact", "")) if payload.get("stance", "knows") in _TRUE else ""
    elif record.kind == "thread":
        said = str(payload.get("description") or "") if payload.get("status") in _TURNS else ""
        said = "" if said.rstrip().endswith("?") else said
    elif record.kind == "revelation":
        said = str(payload.get("fact", ""))
    elif record.kind == "fact":
        denied = "not " if payload.get("negated") else ""
        said = f"{payload.get('subject', '')} {denied}{payload.get('predicate', '')} {payload.get('object', '')}"
    elif record.kind == "character_delta":
        is_goal = payload.get("attribute") == "goal" and payload.get("op", "set") != "remove"
        said = f"{payload.get('character', '')} wants to {payload.get('value', '')}" if is_goal else ""
    else:
        said = str(payload.get("summary") or "")
    return " ".join(said.split())


def told_alone(slice_: Slice, names: Names, index: int) -> str:
    """The same with a name for a `she` that only the record itself explains, and with who it is that knows a thing."""
    record = slice_.records[index]
    said = said_by(record)
    if record.kind == "knowledge" and record.payload.get("stance", "knows") == "knows":
        said = statement(record.kind, {**record.payload, "stance": "knows"})
    elif record.kind == "interaction":
        said = _named(slice_, names, record, said)
    elif said.endswith("…"):  # cut short: in the words of the text that it stands on
        quoted = _QUOTED.match(record.text.removeprefix(statement(record.kind, record.payload)))
        said = quoted[1] if quoted else said
    text = said[:1].upper() + said[1:]
    return text if text[-1:] in ".!?…”\"'" else f"{text}."


def _named(slice_: Slice, names: Names, record: RecordRow, said: str) -> str:
    who = {slot: entity for slot, entity, _ in record.mentions}
    there = {n.figure.id for n in names.in_text(said)}
    for slot, pronoun in _PRONOUNS:
        match = pronoun.search(said)
        if match and slot in who and slice_.cast.of(who[slot]) not in there:
            said = said[: match.start()] + names.of(who[slot]) + said[match.end() :]
    return said
