"""Knowledge that nobody had told: of a fact that some know, by one to whom it never came."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from events.names import READER, fact_key
from events.revisions import Entry
from services.auditing.checking import cues
from services.auditing.checking.case import Case, Held, fact_of, people_of, words_of
from services.auditing.checking.findings import ERROR, UNTOLD, Finding

SAME: Final = 0.75
"""The share of the words of the shorter of two facts that both have, from which they are one."""
_LEAST: Final = 2
_IDLE: Final = frozenset(
    (
        "the", "a", "an", "of", "to", "in", "is", "was", "are", "were", "be", "been",
        "has", "had", "have", "and", "or", "that", "who", "what", "it", "its", "his", "her",
        "their", "by", "on", "at", "for", "from", "with",
    )
)  # fmt: skip
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def untold(case: Case) -> Iterator[Finding]:
    """Somebody knows, or tells, a fact that others came to know in earlier chapters, and the draft has no way by which it came."""
    known = [h for h in case.state.values() if h.setting.functor == "knowledge"]
    said: set[tuple[str, str]] = set()
    for entry in case.entries:
        for knower, fact in _knowers(case, entry):
            secret = _secret(case, known, knower, fact)
            if secret is None or (case.head(knower), fact) in said:
                continue
            if case.names_in(fact, knower) and not case.same(secret.setting.args[0].key, knower):
                continue  # what one did oneself nobody has to tell one
            if not (_told(case, entry, knower, fact) or _was_there(case, knower, secret)):
                said.add((case.head(knower), fact))
                yield _finding(case, entry, knower, secret)


def _knowers(case: Case, entry: Entry) -> list[tuple[str, str]]:
    """Who shows in the record that they know what."""
    if not entry.actual:
        return []
    if entry.kind == "knowledge":
        knower = entry.entity("knower")
        certain = entry.payload.get("stance", "knows") == "knows"
        return [(knower, entry.states[0].args[1].text)] if knower and certain and entry.states else []
    if entry.kind in ("interaction", "event"):
        people = people_of(entry)
        summary = str(entry.payload.get("summary") or "")
        if people and cues.TELLS.search(f"{entry.payload.get('type', '')} {summary}"):
            return [(people[0], summary)]
    return []


def _secret(case: Case, known: list[Held], knower: str, fact: str) -> Held | None:
    """What is recorded of the fact: who knows it; None where nobody does yet, or the knower does."""
    about = [h for h in known if _same(h.setting.args[1].text, fact)]
    own = [h for h in about if case.same(h.setting.args[0].key, knower)]
    if any(h.value.key in ("knows", "believes", "suspects") for h in own) or _revealed(case, knower, fact):
        return None
    unaware = [h for h in own if h.value.key in ("unaware", "mistaken", "doubts")]
    others = [h for h in about if h.value.key == "knows"]
    return next(iter([*unaware, *others]), None)


def _revealed(case: Case, knower: str, fact: str) -> bool:
    """Whether an earlier chapter revealed it to the knower, to a group, or to the place where they all live."""
    for entry in case.earlier(("revelation",)):
        if _same(str(entry.payload["fact"]), fact):
            to = [m.entity for m in entry.mentions if m.slot.startswith("revealed_to")]
            if any(case.same(e, knower) or not e.startswith("person/") for e in to):
                return True
    return False


def _told(case: Case, entry: Entry, knower: str, fact: str) -> bool:
    """Whether the draft says how the knower came by it, up to the record."""
    if entry.payload.get("learned_via") or entry.depends:
        return True
    if entry.kind == "knowledge" and cues.LEARNT.search(case.sentences(entry, 1)):
        return True
    for other in case.entries:
        if other is entry or not other.actual or other.place > entry.place:
            continue
        if other.kind == "revelation" and _same(str(other.payload["fact"]), fact):
            to = [m.entity for m in other.mentions if m.slot.startswith("revealed_to")]
            if any(case.same(e, knower) or not e.startswith("person/") for e in to):
                return True
        learnt = other.kind == "knowledge" and other.states and other.payload.get("learned_via")
        if learnt and _same(other.states[0].args[1].text, fact) and case.same(other.entity("knower"), knower):
            return True
        told = other.kind in ("interaction", "event") and cues.TELLS.search(
            f"{other.payload.get('type', '')} {words_of(other)}"
        )
        if told and any(case.same(p, knower) for p in people_of(other)[1:]) and _shares(words_of(other), fact):
            return True
    return False


def _was_there(case: Case, knower: str, secret: Held) -> bool:
    """Whether the knower took part in the scene in which others came to know it."""
    for ground in secret.support:
        current = case.index.current(ground.chapter)
        scene = [e for e in (current.entries if current else ()) if e.live and e.order.scene == ground.order.scene]
        if any(
            case.same(p, knower) for e in scene if e.actual and e.kind in ("event", "situation") for p in people_of(e)
        ):
            return True
    return False


def _same(a: str, b: str) -> bool:
    if fact_key(a) == fact_key(b):
        return True
    one, other = content(a), content(b)
    least = min(len(one), len(other))
    return least >= _LEAST + 1 and len(one & other) >= SAME * least


def _shares(text: str, fact: str) -> bool:
    return len(content(text) & content(fact)) >= _LEAST or not content(text)


def content(text: str) -> set[str]:
    """The words of a text that carry its meaning, without their endings."""
    return {_stem(word) for word in _WORD.findall(text.casefold())} - _IDLE


_IRREGULAR: Final = {
    "told": "tell", "rang": "ring", "rung": "ring", "went": "go", "gone": "go", "gave": "give", "given": "give", "left": "leave",
    "broke": "break", "broken": "break", "took": "take", "taken": "take", "came": "come", "brought": "bring", "sold": "sell",
}  # fmt: skip


def _stem(word: str) -> str:
    word = _IRREGULAR.get(word, word)
    if word.endswith(("ies", "ied")) and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed", "es", "s", "e"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


def _finding(case: Case, entry: Entry, knower: str, secret: Held) -> Finding:
    fact, who = fact_of(secret), case.name(knower)
    since = f"chapter {secret.since}"
    if case.same(secret.setting.args[0].key, knower):
        message = f"{who} is {secret.value.text} as to “{fact}” since {since}, and nobody tells it here."
    else:
        holder = secret.setting.args[0]
        other = READER if holder.key == READER else case.name(holder.key)
        message = f"{who} knows that “{fact}”, which {other} learnt in {since}; nobody has told {who}."
    return Finding(
        UNTOLD, ERROR, message, (case.before(knower), fact_key(fact)), entry, secret.support,
        case.key(secret), secret.value.text, secret.since,
    )  # fmt: skip
