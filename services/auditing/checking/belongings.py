"""Things: owned by another without a transfer, used by one who has them not, in two places, or gone; people in two places."""

from __future__ import annotations

import re
from collections.abc import Iterator

from events.domain_events import Setting, Term
from events.revisions import Entry
from services.auditing.checking import cues
from services.auditing.checking.case import Case, Held, State, people_of, words_of
from services.auditing.checking.findings import ERROR, OWNERSHIP, TWO_PLACES, WARNING, Finding

_USES = r"(?:with|uses?|using|holds?|holding|carries|carrying|wears?|wearing|wields?|shows?|produces?|brandish\w+|fits|turns)"


def possessions(case: Case) -> Iterator[Finding]:
    """A thing has another owner than it had, and nothing says how it came to that; or somebody uses what another has."""
    told: set[str] = set()
    for entry, state in case.walk():
        if not entry.actual:
            continue
        thing = entry.entity("object")
        if entry.kind == "object_delta" and thing:
            owner, held = entry.entity("owner"), _of(case, state, "owner", thing)
            if owner and held and not case.same(owner, held.value.key) and not _handed_over(case, entry, thing, owner):
                told.add(case.head(thing))
                yield _owned(
                    case, entry, thing, held, f"{case.name(owner)} has it here, and no transfer is told", ERROR
                )
            gone = _of(case, state, "object_state", thing)
            if gone and _is_gone(case, gone, entry, thing):
                yield _owned(case, entry, thing, gone, "it is there again, and nothing says how", ERROR)
        elif entry.kind == "event":
            for held in list(state.values()):
                if held.setting.functor == "owner" and _used_by_another(case, entry, held):
                    used = held.setting.args[0].key
                    if case.head(used) not in told:
                        told.add(case.head(used))
                        yield _owned(case, entry, used, held, "another uses it here, and no transfer is told", WARNING)


def places(case: Case) -> Iterator[Finding]:
    """Somebody or something is in two places at once: in one scene, or (a thing) away from where it lay, by nobody's hand."""
    at: dict[tuple[str, int], list[tuple[Entry, str]]] = {}
    for entry, state in case.walk():
        if not entry.actual:
            continue
        for who, where in _places_in(entry):
            key = (case.head(who), entry.order.scene)
            for other, place in at.setdefault(key, []):
                if not _one_place(case, place, where) and not _way_between(case, other, entry):
                    yield Finding(
                        TWO_PLACES, ERROR,
                        f"{case.name(who)} is at {case.name(place)} and at {case.name(where)} in one scene.",
                        (case.before(who),), entry, (other,), f"location({case.name(who)})", case.name(place), case.chapter,
                    )  # fmt: skip
                    break
            at[key].append((entry, where))
        thing, where_ = entry.entity("object"), entry.entity("location")
        if entry.kind == "object_delta" and thing and where_:
            held = _of(case, state, "location", thing)
            if held and held.since < case.chapter and _strays(case, state, entry, thing, where_, held):
                yield Finding(
                    TWO_PLACES, ERROR,
                    f"{case.name(thing)} is at {case.value(held)} since chapter {held.since}, and nobody brings it to "
                    f"{case.name(where_)}.",
                    (case.before(thing),), entry, held.support, case.key(held), case.value(held), held.since,
                )  # fmt: skip


def _of(case: Case, state: State, functor: str, thing: str) -> Held | None:
    return state.get(Setting(functor, (Term(case.head(thing), "", entity=True),), None).node_key)


def _owned(case: Case, entry: Entry, thing: str, held: Held, what: str, severity: str) -> Finding:
    has = f"{case.key(held)} is {case.value(held)} since chapter {held.since}"
    return Finding(
        OWNERSHIP, severity, f"{has}; {what}.",
        (case.before(thing),), entry, held.support, case.key(held), case.value(held), held.since,
    )  # fmt: skip


def _handed_over(case: Case, entry: Entry, thing: str, owner: str) -> bool:
    """Whether the draft tells, up to the record, how the thing came to the owner, or the annotator says that it does."""
    if any(key.functor in ("owner", "location") for key, _ in entry.requires):
        return True
    near = case.sentences(entry, 1) if entry.depends else case.sentences(entry)
    return cues.TRANSFER.search(near) is not None or _told_of(case, thing, owner, entry, cues.TRANSFER)


def _told_of(case: Case, thing: str, with_: str, until: Entry, cue: re.Pattern[str]) -> bool:
    """Whether a sentence or a record up to a record has the cue, and names the thing and who it comes to, or where."""
    end = max(stop for _, stop in until.evidence)
    for low, high in cues.sentences(case.text):
        sentence = case.text[low:high]
        if (
            low < end
            and cue.search(sentence)
            and _names_thing(case, sentence, thing)
            and case.names_in(sentence, with_)
        ):
            return True
    others = (
        e for e in case.entries if e is not until and e.kind in ("event", "interaction") and e.place <= until.place
    )
    return any(
        cue.search(words_of(e)) is not None
        and _names_thing(case, words_of(e), thing)
        and (any(case.same(m.entity, with_) for m in e.mentions) or case.names_in(words_of(e), with_))
        for e in others
        if e.actual
    )


def _names_thing(case: Case, text: str, thing: str) -> bool:
    """By one of its names, or by the last word of one, where that is a word of its own (`the key` for `brass key`)."""
    if case.names_in(text, thing):
        return True
    lasts = {name.split()[-1] for name in case.called(thing) if name.split()}
    low = text.casefold()
    return any(re.search(rf"\b{re.escape(last)}\b", low) for last in lasts if len(last) > 2)


def _used_by_another(case: Case, entry: Entry, held: Held) -> bool:
    thing, owner = held.setting.args[0].key, held.value.key
    people = people_of(entry)
    if not people or any(case.same(p, owner) for p in people) or held.last in case.entries:
        return False
    summary = words_of(entry).casefold().replace("’", "'")
    names = [name for name in case.called(thing) if len(name) > 3]
    if not any(
        re.search(rf"\b{_USES}\s+(?:the |his |her |their |a |an )?{re.escape(name)}\b", summary) for name in names
    ):
        return False
    if case.names_in(summary, owner) or any(key.functor == "owner" for key, _ in entry.requires):
        return False
    told = any(_told_of(case, thing, person, entry, cues.TRANSFER) for person in people)
    return not told and not cues.TRANSFER.search(case.sentences(entry))


def _is_gone(case: Case, gone: Held, entry: Entry, thing: str) -> bool:
    if (
        gone.last in case.entries
        or not cues.DESTROYED.search(gone.value.text)
        or cues.NOT_QUITE.search(gone.value.text)
    ):
        return False
    said = f"{words_of(entry)} {entry.payload.get('state', '')} {case.sentences(entry, 1)}"
    if cues.DESTROYED.search(str(entry.payload.get("state", ""))) or cues.MENDED.search(said):
        return False
    return not cues.UNREAL.search(said) and not _told_of(case, thing, thing, entry, cues.MENDED)


def _places_in(entry: Entry) -> list[tuple[str, str]]:
    if entry.kind == "presence":
        return [(entry.entity("entity") or "", entry.entity("location") or "")]
    return []


def _one_place(case: Case, a: str, b: str) -> bool:
    """Whether two places may be one, or one within the other, by their names or by what is known of them."""
    if case.same(a, b):
        return True
    if any(case.names_in(case.name(x), y) for x, y in ((a, b), (b, a))):
        return True
    facts = case.earlier(("entity", "fact"))
    return any(
        case.same(e.entity("name") or e.entity("subject"), one)
        and case.names_in(f"{e.payload.get('description') or ''} {e.payload.get('object', '')}", other)
        for e in facts
        for one, other in ((a, b), (b, a))
    )


def _way_between(case: Case, first: Entry, second: Entry) -> bool:
    """Whether the text between two records, or around the second, tells of a way or of another time."""
    low, high = sorted((first.evidence[0][0], second.evidence[0][1]))
    cut = [s for s in cues.sentences(case.text) if s[0] < high and low < s[1]]
    between = " ".join(case.text[a:b] for a, b in cut[1:]) + " " + case.sentences(second)
    return cues.WAY.search(between) is not None


def _strays(case: Case, state: State, entry: Entry, thing: str, where: str, held: Held) -> bool:
    if _one_place(case, held.value.key, where) or entry.entity("owner"):
        return False
    if any(key.functor in ("owner", "location") for key, _ in entry.requires) or entry.depends:
        return False
    if cues.MOVED.search(case.sentences(entry)) or _told_of(case, thing, where, entry, cues.MOVED):
        return False
    owner = _of(case, state, "owner", thing)
    scene = [e for e in case.entries if e.actual and e.order.scene == entry.order.scene]
    there = {case.head(e) for each in scene for e in (*people_of(each), each.entity("entity") or "")}
    return owner is None or case.head(owner.value.key) not in there
