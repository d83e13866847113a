"""Relationships that turn without a beat, threads that open again or are overdue, and what a record says must hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final

from events.keys import ParsedKey
from events.names import literal_key
from events.revisions import Entry
from events.weighing import required_setting
from services.auditing.checking import cues
from services.auditing.checking.case import Case, Held, State, people_of, words_of
from services.auditing.checking.findings import (
    ERROR,
    OVERDUE,
    OWNERSHIP,
    PRECONDITION,
    RELATIONSHIP,
    REOPENED,
    TWO_PLACES,
    WARNING,
    Finding,
)

_TURN: Final = 0.6
"""From one polarity to the other by at least so much."""
WARM: Final = re.compile(
    r"\b(?:friend\w*|companions?|all(?:y|ies)|lover?s?|loving|devoted|trust\w*|reconciled|married|betrothed|"
    r"peace|loyal|affection\w*|fond\w*|grateful)\b",
    re.IGNORECASE,
)
COLD: Final = re.compile(
    r"\b(?:enem(?:y|ies)|estranged|hostil\w*|rivals?|hat(?:e|es|ed|red)|feud\w*|distrust\w*|"
    r"betray\w*|at odds|loath\w*|detest\w*|not (?:stand|bear|abide)|contempt\w*|bitter|sworn foes?|foes?|despis\w*|resent\w*)\b",
    re.IGNORECASE,
)
_CLOSED: Final = ("paid_off", "abandoned")
_OPEN: Final = ("opened", "advanced")
_FUNCTOR_KIND: Final = {"owner": OWNERSHIP, "location": TWO_PLACES, "relationship": RELATIONSHIP, "thread": REOPENED}


def flips(case: Case) -> Iterator[Finding]:
    """A relationship turns from good to bad, or from bad to good, and nothing happens between the two that would turn it."""
    for entry, state in case.walk():
        if entry.kind != "relationship_delta" or not entry.actual or entry.depends or entry.requires:
            continue
        for setting in (case.setting(s) for s in entry.settings):
            held = state.get(setting.node_key)
            if held is None or held.last in case.entries or setting.value is None:
                continue
            old, new = _polarity(held.last), _polarity(entry)
            if old * new < 0 and abs(old - new) >= _TURN and not _beat(case, entry, new):
                yield Finding(
                    RELATIONSHIP, ERROR,
                    f"{case.key(held)} is {case.value(held)} since chapter {held.since}, and {setting.value.text} here; "
                    "nothing between them says why.",
                    (setting.node_key,), entry, held.support, case.key(held), case.value(held), held.since,
                )  # fmt: skip


def _polarity(entry: Entry) -> float:
    given = entry.payload.get("polarity")
    if given is not None:
        return float(given)
    said = f"{entry.payload.get('relation', '')} {entry.payload.get('description', '')}"
    warm, cold = WARM.search(said) is not None, COLD.search(said) is not None
    return 0.0 if warm == cold else 0.7 if warm else -0.7


def _beat(case: Case, entry: Entry, new: float) -> bool:
    pair = [e for e in (entry.entity("source"), entry.entity("target")) if e]
    turning = cues.WARMING if new > 0 else cues.COOLING
    if turning.search(case.sentences(entry)):
        return True
    for other in case.entries:
        if other is entry or not other.actual or other.place > entry.place:
            continue
        if not all(any(case.same(p, e) for p in people_of(other)) for e in pair):
            continue
        sign = other.payload.get("polarity")
        if sign is not None and float(sign) * new > 0:
            return True
        if sign is None and turning.search(f"{words_of(other)} {case.sentences(other)}"):
            return True
    return False


def reopened(case: Case) -> Iterator[Finding]:
    """A thread that was paid off or given up is open again, and nothing in the draft opens it."""
    for entry, state in case.walk():
        if entry.kind != "thread" or not entry.actual or entry.payload["status"] not in _OPEN:
            continue
        held = state.get(case.setting(entry.settings[0]).node_key)
        if held is None or held.value.key not in _CLOSED or held.last in case.entries:
            continue
        own = any(chapter == case.chapter for chapter, _ in entry.depends)
        if own or cues.AGAIN.search(f"{entry.payload.get('description') or ''} {case.sentences(entry)}"):
            continue
        was = held.value.text.replace("_", " ")
        yield Finding(
            REOPENED, ERROR,
            f"The thread “{held.setting.args[0].text}” is {was} since chapter {held.since}, and {entry.payload['status']} here.",
            (held.setting.args[0].key,), entry, held.support, case.key(held), held.value.text, held.since,
        )  # fmt: skip


def overdue(case: Case, due: Mapping[str, int]) -> Iterator[Finding]:
    """A thread is open after the draft though its planned chapter is past, or the time that it was to be done by is.

    `due` is an editor's plan: by thread key, the chapter in which it is paid off at the latest.
    """
    state = case.state_at_end()
    for held in state.values():
        if held.setting.functor != "thread" or held.value.key not in _OPEN or not held.support:
            continue
        key = held.setting.args[0].key
        planned = due.get(key)
        passed = _deadline_passed(case, held)
        if planned is not None and case.chapter >= planned:
            yield _late(case, held, f"it was planned to be paid off by chapter {planned}")
        elif passed is not None:
            yield _late(case, held, f"it was to be “{passed}”, which is past here")


def _late(case: Case, held: Held, why: str) -> Finding:
    thread = held.setting.args[0]
    ground = tuple(e for e in held.support if e not in case.entries) or held.support
    said = held.last if held.last in case.entries else None
    message = f"The thread “{thread.text}” is open since chapter {ground[0].chapter}; {why}."
    return Finding(OVERDUE, WARNING, message, (thread.key,), said, ground, case.key(held), held.value.text, held.since)


_DEADLINE: Final = re.compile(
    r"\b(before|by|until|no later than)\s+((?:the\s+)?[\w’'-]+(?:\s+[\w’'-]+){0,2})", re.IGNORECASE
)
_TIME: Final = re.compile(
    r"\b(?:year|month|week|dawn|midnight|winter|spring|summer|autumn|harvest|midwinter|midsummer|"
    r"christmas|easter|new moon|full moon|frost|monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"sunset|sunrise|feast|solstice|thaw|wedding|funeral|coronation|trial)\w*\b",
    re.IGNORECASE,
)


def _deadline_passed(case: Case, held: Held) -> str | None:
    """The time by which a thread's own words want it done, if the draft says that it is over."""
    for entry in held.support:
        if entry in case.entries:
            continue
        text = case.index.text_of(entry) or ""
        quotes = " ".join(text[a:b] for a, b in entry.evidence)
        for match in _DEADLINE.finditer(f"{entry.payload.get('description') or ''}. {quotes}"):
            time = _TIME.search(match[2])
            if time and _is_over(case.text, time[0]):
                return match[0]
    return None


def _is_over(text: str, time: str) -> bool:
    stem = re.escape(time.casefold().rstrip("s"))
    the = r"(?:the |old |last )*"
    verbs = r"(?:turned|passed|gone|over|past|ended|come and gone|behind them|broken|out)"
    patterns = (
        rf"\b(?:after|since) {the}{stem}\w*\b",
        rf"\b{stem}\w*(?: \w+)? (?:had |was |were |has |is |lay )?(?:long |already )?{verbs}\b",
        rf"\b(?:day|morning|week|month) after {the}{stem}",
        rf"\b(?:new) {stem}\b",
    )
    return any(re.search(pattern, text, re.IGNORECASE) for pattern in patterns)


def preconditions(case: Case) -> Iterator[Finding]:
    """A record says what must hold just before it, and it does not; or it rests on a record that is no longer there."""
    for entry, state in case.walk():
        for key, value in entry.requires:
            held = _required(case, entry, key, state)
            if held is None and value is None:
                continue
            if held is not None and value is not None and _is_value(case, entry, held, value):
                continue
            if held is None:
                continue  # nothing is recorded: that is no contradiction
            yield Finding(
                _FUNCTOR_KIND.get(key.functor, PRECONDITION), ERROR,
                f"{case.key(held)} is {case.value(held)} since chapter {held.since}; this needs {value or 'nothing'} there.",
                (held.setting.node_key,), entry, held.support, case.key(held), case.value(held), held.since,
            )  # fmt: skip
        for chapter, local in entry.depends:
            ground = case.around.bound(entry, chapter, local)
            if chapter < case.chapter and ground is not None and not _stands(case, ground):
                yield Finding(
                    PRECONDITION, WARNING,
                    f"It rests on {ground.name}, which no longer holds: {ground.reason.replace('_', ' ') or 'superseded'}.",
                    (ground.uid,), entry, (ground,),
                )  # fmt: skip


def _stands(case: Case, ground: Entry) -> bool:
    current = case.index.current(ground.chapter)
    return current is not None and any(e.live for e in current.with_content(ground.content))


def _required(case: Case, entry: Entry, key: ParsedKey, state: State) -> Held | None:
    setting = required_setting(case.around, entry, key)
    return None if setting is None else state.get(case.setting(setting).node_key)


def _is_value(case: Case, entry: Entry, held: Held, value: str) -> bool:
    if held.value.entity:
        names = [*case.called(held.value.key), literal_key(case.value(held))]
        return literal_key(value).removeprefix("the ") in names or literal_key(value) in names
    return literal_key(value) == held.value.key
