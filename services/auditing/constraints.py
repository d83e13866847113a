"""What the next chapter must respect, the most pressing first, for what a writer means to write.

The score is 2 × relevance + severity + recency, each from 0 to 1: relevance is the share of what the constraint names that
the scaffold names too (its words count half), recency falls with the chapters since the constraint was last touched.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from events.domain_events import Json
from events.names import PERSON, class_of
from services.auditing.checking import cues
from services.auditing.checking.case import Case, Held, fact_of
from services.auditing.checking.knowing import content
from services.auditing.citing import of_all

MOST: Final = 50
_OF: Final = {"unaware": "of", "mistaken": "in believing"}
_PRIVATE: Final = ("injury", "disguise", "status", "ability", "allegiance", "occupation")


@dataclass(frozen=True, slots=True)
class _Constraint:
    kind: str
    weight: float
    text: str
    held: Held
    names: tuple[str, ...]
    """The entities that it is about."""


def constraints(case: Case, scaffold: str, due: Mapping[str, int], most: int = MOST) -> list[Json]:
    """The constraints on the draft of `case`, which may be empty; `scaffold` is a text, or the draft itself."""
    words = content(scaffold)
    found = [(_score(case, each, scaffold, words), each) for each in _all(case, due)]
    found.sort(key=lambda each: (-each[0], case.key(each[1].held), each[1].kind))
    return [_shown(case, score, each) for score, each in found[:most]]


def _all(case: Case, due: Mapping[str, int]) -> Iterator[_Constraint]:
    for held in case.state.values():
        setting = held.setting
        match setting.functor:
            case "character":
                yield from _of_character(case, held)
            case "owner" | "object_state" | "location":
                yield from _of_thing(case, held)
            case "relationship":
                yield _one("relationship", 0.5, f"{_tie(case, held)}. It turns only by a beat.", held)
            case "thread":
                yield from _of_thread(case, held, due)
            case "rule":
                yield _one("world_rule", 0.9, f"The rule holds: {held.value.text}", held)
            case "knowledge" if held.value.key in ("unaware", "mistaken"):
                who = case.name(setting.args[0].key)
                text = f"{who} is {held.value.text} {_OF[held.value.key]} “{fact_of(held)}”, until told."
                yield _one("knowledge", 0.8, text, held)
    yield from _secrets(case)


def _tie(case: Case, held: Held) -> str:
    """A tie in words: who is what to whom."""
    first, second = (case.name(each.key) for each in held.setting.args[:2])
    arrow = f"{first} is to {second}" if held.setting.arrow else f"Between {first} and {second} it stands so"
    return f"{arrow}: {held.value.text}"


def _one(kind: str, weight: float, text: str, held: Held) -> _Constraint:
    terms = (*held.setting.args, held.value)
    return _Constraint(kind, weight, text, held, tuple(dict.fromkeys(t.key for t in terms if t.entity)))


def _of_character(case: Case, held: Held) -> Iterator[_Constraint]:
    attribute, who = held.setting.args[1].text, case.name(held.setting.args[0].key)
    if attribute.casefold() == "status" and cues.is_dead(held.value.text):
        text = f"{who} is {held.value.text} since chapter {held.since}: no deeds, save in dreams, memories or letters."
        yield _one("dead", 1.0, text, held)
    elif attribute.casefold() in _PRIVATE:
        yield _one("character", 0.4, f"{who}: {attribute} {case.value(held)}, since chapter {held.since}.", held)


def _of_thing(case: Case, held: Held) -> Iterator[_Constraint]:
    thing, value = case.name(held.setting.args[0].key), case.value(held)
    person = class_of(held.setting.args[0].key) == PERSON
    match held.setting.functor:
        case "owner":
            yield _one("ownership", 0.7, f"{thing} is {value}'s: another has it only by a transfer.", held)
        case "object_state" if cues.DESTROYED.search(held.value.text):
            yield _one("object_gone", 0.9, f"{thing} is {value}: it does not come back unexplained.", held)
        case "location":
            yield _one("place", 0.3 if person else 0.5, f"{thing} was last at {value}.", held)


def _of_thread(case: Case, held: Held, due: Mapping[str, int]) -> Iterator[_Constraint]:
    thread = held.setting.args[0]
    last = held.last.chapter
    if held.value.key in ("opened", "advanced"):
        plan = due.get(thread.key)
        pressing = plan is not None and plan <= case.chapter
        when = "" if plan is None else f", due in chapter {plan}"
        text = f"The thread “{thread.text}” is open, last touched in chapter {last}{when}."
        yield _one("thread_due" if pressing else "thread_open", 1.0 if pressing else 0.6, text, held)
    else:
        text = f"The thread “{thread.text}” is {held.value.text.replace('_', ' ')} since chapter {held.since}."
        yield _one("thread_closed", 0.5, text, held)


def _secrets(case: Case) -> Iterator[_Constraint]:
    """Facts that exactly one character knows."""
    knowing: dict[str, list[Held]] = {}
    for held in case.state.values():
        if held.setting.functor == "knowledge" and held.value.key == "knows":
            knowing.setdefault(held.setting.args[1].key, []).append(held)
    for holders in knowing.values():
        if len(holders) == 1:
            held = holders[0]
            who = case.name(held.setting.args[0].key)
            yield _one("secret", 0.5, f"Only {who} is recorded as knowing “{fact_of(held)}”.", held)


def _score(case: Case, each: _Constraint, scaffold: str, words: set[str]) -> float:
    named = [case.names_in(scaffold, name) for name in each.names]
    by_name = sum(named) / len(named) if named else 0.0
    own = content(each.text)
    by_word = len(own & words) / len(own) if own else 0.0
    relevance = max(by_name, min(1.0, by_word * 2) if not named else by_word, by_word / 2)
    recency = 1 / (1 + case.after - each.held.last.chapter)
    return round(2 * relevance + each.weight + recency, 4)


def _shown(case: Case, score: float, each: _Constraint) -> Json:
    return {
        "kind": each.kind,
        "text": each.text,
        "key": case.key(each.held),
        "value": case.value(each.held),
        "since": each.held.since,
        "last": each.held.last.chapter,
        "record": each.held.support[0].name,
        "score": score,
        "evidence": of_all(case.index, each.held.support[-2:]),
    }
