"""World rules that are broken, facts that are contradicted, and names that are not revealed yet."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from events.ids import EntityId
from events.names import class_of, key_of, name_key
from events.registry import compatible
from events.revisions import Entry
from services.auditing.checking import cues
from services.auditing.checking.case import Case, words_of
from services.auditing.checking.findings import ALIAS, CONTRADICTED, ERROR, RULE, WARNING, Finding
from services.auditing.checking.knowing import content

_FORBIDS: Final = re.compile(
    r"\b(never|cannot|can not|can't|may not|must not|must never|no (?:one|man|woman|\w+) (?:can|may|ever|must)|"
    r"nobody (?:can|may|ever)|none (?:can|may)|it is forbidden to|forbidden to|not allowed to)\b",
    re.IGNORECASE,
)
_ONLY: Final = re.compile(
    r"\bonly (?:by|with|in|at|when|if|from|under|on|through|after|before|during)\b", re.IGNORECASE
)
_WITHOUT: Final = re.compile(
    r"\b(?:without|no|not|instead of|unlit|alone|in secret|nobody|far from|away from|other than|rather than|"
    r"unread)\b",
    re.IGNORECASE,
)
_NEGATED: Final = re.compile(
    r"\b(?:not|never|cannot|can't|could not|fails? to|refus\w+|in vain|tries|tried|no longer|without success|"
    r"nothing happens|does nothing)\b",
    re.IGNORECASE,
)
_CHANGES: Final = re.compile(
    r"\b(?:in truth|really|was wrong|mistaken|turns out|had been lied|the old rule|no longer|from now on|"
    r"new law|repeal\w*|changed|exception|unless)\b",
    re.IGNORECASE,
)
_DARK: Final = re.compile(r"\b(?:in the dark|darkness|unlit|no light)\b", re.IGNORECASE)
_AUXILIARY: Final = frozenset({"can", "may", "must", "shall", "will", "would", "could"})
_SPOKEN: Final = re.compile(r"[“\"]([^”\"]+)[”\"]")
_OVERLAP: Final = 0.8


def broken_rules(case: Case) -> Iterator[Finding]:
    """A rule is restated as something else, or an event does what a rule forbids, or in a way that it excludes."""
    rules = [h for h in case.state.values() if h.setting.functor == "rule"]
    for entry in case.entries:
        if not entry.actual:
            continue
        for held in rules:
            statement = held.value.text
            if entry.kind == "world_rule":
                same = name_key(entry.payload["rule"]) == name_key(held.setting.args[0].text)
                against = same and name_key(entry.payload["statement"]) != held.value.key
                if not against or not _contrary(statement, entry.payload["statement"]) or _explained(case, entry):
                    continue
            elif entry.kind not in ("event", "interaction", "fact") or not _breaks(case, entry, statement):
                continue
            yield Finding(
                RULE, ERROR, f"It breaks the rule of chapter {held.since}: {statement}",
                (held.setting.args[0].key,), entry, held.support, case.key(held), statement, held.since,
            )  # fmt: skip


def _contrary(old: str, new: str) -> bool:
    """Whether one restatement denies what the other says: it has the same words, and a negation more or less."""
    shared = content(old) & content(new)
    close = len(shared) >= 0.5 * min(len(content(old)), len(content(new)))
    return close and (_denies(old) != _denies(new) or bool(_ONLY.search(old)) != bool(_ONLY.search(new)))


def _denies(text: str) -> bool:
    return _FORBIDS.search(text) is not None or _NEGATED.search(text) is not None


def _explained(case: Case, entry: Entry) -> bool:
    return _CHANGES.search(case.sentences(entry, 1)) is not None or any(e.kind == "revelation" for e in case.entries)


def _breaks(case: Case, entry: Entry, statement: str) -> bool:
    if entry.kind == "fact":
        said = f"{entry.payload['subject']} {entry.payload['predicate']} {entry.payload['object']}"
    else:
        said = f"{entry.payload.get('type', '')} {words_of(entry)}"
    sentence = case.sentences(entry)
    if _NEGATED.search(said) or cues.UNREAL.search(f"{said} {sentence}") or _CHANGES.search(sentence):
        return False
    return any(
        _does_forbidden(clause, said) or _excluded(clause, statement, said, sentence) for clause in _clauses(statement)
    )


def _clauses(statement: str) -> list[str]:
    return [clause for clause in re.split(r"[.;]\s*", statement) if clause.strip()]


def _does_forbidden(clause: str, said: str) -> bool:
    """`X never does Y`: the words before and after the ban are done together."""
    match = _FORBIDS.search(clause)
    if match is None:
        return False
    after = re.split(r"\b(?:but|except|unless|save)\b", clause[match.end() :])
    banned, who = content(after[0]), content(clause[: match.start()])
    done = content(said)
    if len(after) > 1 and content(after[1]) & done:
        return False  # it is the exception
    enough = len(banned & done) >= max(1, _OVERLAP * len(banned))
    subject = not who or bool(who & done) or match[1].casefold().startswith(("no", "it is", "forbidden"))
    return bool(banned) and enough and subject


def _excluded(clause: str, statement: str, said: str, sentence: str) -> bool:
    """`X can be done only by Y`: it is done, and a word of the condition is denied."""
    match = _ONLY.search(clause)
    if match is None:
        return False
    deed, condition = content(clause[: match.start()]) - _AUXILIARY, content(clause[match.start() :]) - {"only"}
    done = content(said)
    if len(deed & done) < max(1, 0.5 * len(deed)) or (len(deed) == 1 and len(content(statement) & done) < 2):
        return False
    for text in (said, sentence):
        for denial in _WITHOUT.finditer(text):
            if content(text[denial.end() : denial.end() + 40]) & condition:
                return True
        if _DARK.search(text) and condition & {"light", "lamp", "daylight", "sun", "day"}:
            return True
    return False


def contradicted(case: Case) -> Iterator[Finding]:
    """A fact is denied that held, or affirmed that was denied, and no record of the draft changes it."""
    for entry, state in case.walk():
        if entry.kind != "fact" or not entry.actual or entry.depends or entry.requires or not entry.settings:
            continue
        setting = case.setting(entry.settings[0])
        held = state.get(setting.node_key)
        if held is None or held.last in case.entries or setting.value is None or held.value.key == setting.value.key:
            continue
        if _CHANGES.search(case.sentences(entry, 1)) or any(
            e.kind in ("revelation", "event") for e in _near(case, entry)
        ):
            continue
        yield Finding(
            CONTRADICTED, WARNING, f"{case.key(held)} is {held.value.text} since chapter {held.since}, and denied here.",
            (setting.node_key,), entry, held.support, case.key(held), held.value.text, held.since,
        )  # fmt: skip


def _near(case: Case, entry: Entry) -> list[Entry]:
    own = {case.head(m.entity) for m in entry.mentions}
    return [e for e in case.entries if e is not entry and e.actual and own & {case.head(m.entity) for m in e.mentions}]


def unrevealed(case: Case) -> Iterator[Finding]:
    """A name that gives away who somebody is: to the reader before it is revealed, or in the mouth of one who does not know."""
    yield from _claimed(case)
    yield from _spoken(case)


def _claimed(case: Case) -> Iterator[Finding]:
    """An entity gets the name of another who is somebody else so far, or two guises are one, and no record reveals it."""
    for entry in case.entries:
        if entry.kind != "entity" or not entry.actual:
            continue
        own = entry.entity("name")
        for alias in entry.payload.get("aliases", ()):
            for other in _bearers(case, name_key(alias)):
                if own is None or case.same(own, other) or not compatible(class_of(own), class_of(other)):
                    continue
                if not case.index.registry.introduced_before(name_key(entry.payload["name"]), case.chapter):
                    continue
                if _joins(case, name_key(alias), name_key(entry.payload["name"])):
                    continue
                if any(e.kind == "revelation" and case.names_in(words_of(e), other) for e in case.entries):
                    continue
                yield _given_away(case, entry, own, other, f"{case.name(own)} is called {alias!r} here")


def _joins(case: Case, *keys: str) -> bool:
    """Whether an identity record of the draft is about one of the names."""
    said = [e for e in case.entries if e.kind == "identity" and e.actual]
    return any(name_key(e.payload[side]) in keys for e in said for side in ("a", "b"))


def _bearers(case: Case, key: str) -> list[EntityId]:
    return [EntityId(case.before(e)) for e in case.index.registry.introduced_before(key, case.chapter)]


def _given_away(case: Case, entry: Entry, own: str, other: str, what: str) -> Finding:
    grounds = [
        e for e in case.earlier(("entity",)) if e.entity("name") in (own, other) or case.same(e.entity("name"), other)
    ]
    return Finding(
        ALIAS, ERROR, f"{what}, who is somebody else so far; nothing reveals that they are one.",
        tuple(sorted((case.before(own), case.before(other)))), entry, tuple(grounds[:2]),
        f"identity({case.name(own)},{case.name(other)})", None, None,
    )  # fmt: skip


def _spoken(case: Case) -> Iterator[Finding]:
    """Somebody calls another by a name that only others know to be theirs."""
    for secret in case.earlier(("identity",)):
        known_to = [m.entity for m in secret.mentions if m.slot.startswith("known_to")]
        if secret.payload.get("known_to") in (None, []) or any(not e.startswith("person/") for e in known_to):
            continue
        guise, true = secret.entity("a") or "", secret.entity("b") or ""
        for entry in case.entries:
            speaker = entry.entity("source") if entry.kind == "interaction" else None
            if not entry.actual or speaker is None or not case.same(entry.entity("target"), true):
                continue
            if any(case.same(speaker, e) for e in (*known_to, true)) or _has_learnt(case, speaker, true, entry):
                continue
            quoted = " ".join(_SPOKEN.findall(case.sentences(entry)))
            if quoted and _names_only(case, quoted, true, guise):
                yield Finding(
                    ALIAS, ERROR,
                    f"{case.name(speaker)} speaks to {secret.payload['a']} as {secret.payload['b']}, and does not know who that is.",
                    (case.before(speaker), case.before(true)), entry, (secret,),
                    f"identity({secret.payload['a']},{secret.payload['b']})", secret.payload["b"], secret.chapter,
                )  # fmt: skip


def _names_only(case: Case, quoted: str, true: str, guise: str) -> bool:
    low = quoted.casefold()
    own = {key_of(true), *(p for p in key_of(true).split() if len(p) > 3)} - set(key_of(guise).split())
    return any(re.search(rf"\b{re.escape(name)}\b", low) for name in own)


def _has_learnt(case: Case, speaker: str, true: str, entry: Entry) -> bool:
    for each in [*case.earlier(("knowledge", "revelation")), *(e for e in case.entries if e.place <= entry.place)]:
        knows = each.kind == "knowledge" and case.same(each.entity("knower"), speaker)
        if knows and case.names_in(str(each.payload["fact"]), true) and each.payload.get("stance") != "unaware":
            return True
        if each.kind == "revelation" and case.names_in(str(each.payload["fact"]), true):
            to = [m.entity for m in each.mentions if m.slot.startswith("revealed_to")]
            if any(case.same(e, speaker) or not e.startswith("person/") for e in to):
                return True
    return False
