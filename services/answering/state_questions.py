"""Questions about the state: answered from what holds after the slice's chapter, the latest valid value, and nothing older.

A question is one of these by its wording; whatever else it may ask is left to the packet. Where the wording fits and nothing is
known under the key, nothing is answered here either.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.answering import being, introductions, kinship, minds, profiles, ties
from services.answering.facts import SAME, held, may_be_one
from services.answering.looking import (
    MOST,
    NOW,
    THING,
    FromState,
    Look,
    attributes,
    compiled,
    holding,
    listed,
    told_fact,
    worded_fact,
)
from services.answering.naming import Names, identities
from services.answering.occurrences.verbs import held_alike
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.retrieval.cast import Figure
from services.retrieval.entries import Entry
from services.retrieval.slices import Slice

_LEAD: Final = re.compile(
    r"^(?:(?:so|and|but|then|well|now|please|say|tell me|remind me|(?:do|can|could) you (?:know|tell me|say))\b[\s,:;]*)+",
    re.IGNORECASE,
)
"""What is said before a question that is none of it."""
_STILL: Final = r"(?:now |still |currently |already )?"
_KIND: Final = r"(?: (?P<kind>threads|promises|mysteries|goals|threats|setups|questions))?"
_STANDS: Final = r"(?:is|are|remain|remains)"
KNOWING: Final = ("knows", "believes", "suspects")
_IGNORANT: Final = ("unaware", "mistaken", "doubts")
_DEAD: Final = re.compile(r"\b(?:dead|died|deceased|killed|slain|perished|drowned|murdered|executed)\b", re.IGNORECASE)
_TOLD_OF_IT: Final = 0.5
"""The share of a fact's words, beside whom it names, that what is known of it has."""
_CLAUSES: Final = re.compile(r"[,;]|\b(?:and|but)\b", re.IGNORECASE)
_NOT_LIVING: Final = re.compile(r"\b(?:no longer|not|no more)\s+(?:alive|living)\b", re.IGNORECASE)
_UNSURE: Final = re.compile(
    r"\b(?:not|never|no|nor|n[’']t|feigned|faked|pretend\w*|believed|presumed|supposed\w*|assumed|thought|feared|reported\w*"
    r"|rumou?red|said|seem\w*|apparently|perhaps|maybe|may|might|left for|back from|nearly|almost|half|as good as)\b",
    re.IGNORECASE,
)
"""What makes of a status's word another's opinion, its opposite, or what came near to it: such a status tells neither."""
_ALIVE: Final = re.compile(
    r"\b(?:alive|living|survive[sd]?|unhurt|well|recovered|free|captive|imprisoned|ill|sick|wounded|injured|asleep|awake)\b",
    re.IGNORECASE,
)
_ATTRIBUTES: Final = "status|goal|emotion|mood|injury|allegiance|occupation|trait|ability|disguise"


def from_state(slice_: Slice, names: Names, question: str) -> FromState | None:
    """The answer, or None where the question is none about the state, or the state does not say."""
    text = _LEAD.sub("", " ".join(question.split()))
    for pattern, look in _QUESTIONS:
        match = pattern.search(text)
        if match and (found := look(slice_, names, match)) is not None:
            return found
    return None


def _one(functor: str) -> Look:
    def look(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
        figure = names.meant(match["x"])
        found = holding(slice_, functor, figure.id) if figure else []
        return FromState(found[0].value, (found[0],), found[0].key) if len(found) == 1 else None

    return look


def _has(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Yes where the owner that holds is the one that is named, else who it is."""
    who, thing = names.meant(match["x"]), names.meant(match["y"])
    found = holding(slice_, "owner", thing.id) if thing else []
    if who is None or len(found) != 1:
        return None
    owner = names.called(found[0].value)
    same = owner is not None and owner.id == who.id
    return FromState("Yes" if same else f"No: {found[0].value}", (found[0],), found[0].key)


def _at(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Yes at the place that is named; elsewhere the place alone, for one may lie in the other."""
    who, place = names.meant(match["x"]), names.meant(match["y"])
    found = holding(slice_, "location", who.id) if who else []
    if place is None or len(found) != 1 or not _is_place(slice_, names, place):
        return None
    there = names.called(found[0].value)
    same = there is not None and there.id == place.id
    return FromState("Yes" if same else found[0].value, (found[0],), found[0].key)


def _is_place(slice_: Slice, names: Names, figure: Figure) -> bool:
    values = (names.called(entry.value) for entry in slice_.entries if entry.key.startswith("location("))
    return any(value is not None and value.id == figure.id for value in values)


def _alive(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Whether somebody is alive or dead, by the status that holds; a status that tells neither is no answer."""
    figure = names.meant(match["x"])
    for entry in attributes(slice_, names, figure, "status"):
        living = _living(entry.value)
        if living is not None:
            asks_of_life = match["asked"].lower() in ("alive", "living", "live")
            return FromState("Yes" if living == asks_of_life else "No", (entry,), entry.key)
    return None


def _living(status: str) -> bool | None:
    """Whether a status tells that somebody lives, by the first of its clauses that tells it or its opposite for certain."""
    for clause in _CLAUSES.split(status):
        gone = _NOT_LIVING.search(clause) is not None
        if _UNSURE.search(_NOT_LIVING.sub("", clause)):
            continue
        if gone or _DEAD.search(clause):
            return False
        if _ALIVE.search(clause):
            return True
    return None


def _attribute(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    figure = names.meant(match["x"])
    named = {"mood": "emotion"}.get(match["attribute"].lower(), match["attribute"].lower())
    found = attributes(slice_, names, figure, named)
    return listed(found, found[0].key) if found else None


def _relationship(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    first, second = names.meant(match["x"]), names.meant(match["y"])
    if first is None or second is None:
        return None
    found = [e for e in holding(slice_, "relationship", first.id) if {first.id, second.id} == set(e.subjects)]
    return listed(found, found[0].key) if found else None


def _who_knows(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    if names.called(match["f"]) is not None and not re.search(r"\b(?:about|of)\b", match.group()):
        return None  # who knows somebody is not who knows what of them
    known = [e for e in _about(slice_, names, match["f"]) if e.value in KNOWING[:1]]
    if not known:
        return None
    who = dict.fromkeys(names.of(entry.subjects[0]) for entry in known)
    return FromState(", ".join(who), tuple(known[:MOST]), "knowledge")


def _does_know(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """Yes or no by a record of what the figure knows; that nothing says so is no proof that it does not."""
    figure = names.meant(match["x"])
    if figure is None:
        return None
    found = [e for e in _about(slice_, names, match["f"]) if e.subjects[:1] == (figure.id,)]
    if not found:
        return None
    entry = found[0]
    if entry.value == "knows":
        return FromState("Yes", (entry,), entry.key)
    return (
        FromState(f"No: {entry.value}", (entry,), entry.key)
        if entry.value in _IGNORANT
        else FromState(f"Not for certain: {entry.value}", (entry,), entry.key)
    )


def _does_believe(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    """By the stance that a figure has towards the fact, which the question has to tell in words of its own, beside whom it names."""
    figure, fact = names.meant(match["x"]), match["f"]
    if figure is None or not set(terms(_beside(names, fact))) - FUNCTION_TERMS:
        return None
    found = [e for e in _about(slice_, names, fact) if e.subjects[:1] == (figure.id,)]
    entry = max(found, key=lambda e: e.valid_from, default=None)
    if entry is None or entry.value not in (*KNOWING, *_IGNORANT):
        return None
    believes = entry.value in KNOWING or entry.value == "mistaken"
    return FromState(
        "Yes" if entry.value in KNOWING[:2] else f"{'Yes' if believes else 'No'}: {entry.value}", (entry,), entry.key
    )


def _beside(names: Names, fact: str) -> str:
    """A fact without whom and what it names."""
    named = names.in_text(fact)
    return "".join(c for n, c in enumerate(fact) if not any(each.start <= n < each.end for each in named))


def _about(slice_: Slice, names: Names, fact: str) -> list[Entry]:
    """The knowledge that holds about a fact, the nearest wording first.

    Of whom the fact names, what is known must speak too, and have half of the other words: that he is dead is not known to whoever
    knows anything of him.
    """
    about, beside = identities(names.in_text(fact)), _beside(names, fact)
    known = [(worded_fact(slice_, names, e), e) for e in holding(slice_, "knowledge") if e.subjects]
    fitting = [
        (told, e) for told, e in known if about <= identities(names.in_text(told)) and may_be_one(names, fact, told)
    ]
    if set(terms(beside)) - FUNCTION_TERMS:
        fitting = [(told, e) for told, e in fitting if held_alike(beside, told) >= _TOLD_OF_IT]
    scored = [(held(fact, told), e) for told, e in fitting]
    if all(score < SAME for score, _ in scored):
        scored = [(held_alike(fact, told), e) for told, e in fitting]
    return [e for score, e in sorted(scored, key=lambda s: (-s[0], -s[1].valid_from, s[1].key)) if score >= SAME]


def _open(slice_: Slice, names: Names, match: re.Match[str]) -> FromState | None:
    found = [e for e in holding(slice_, "thread") if e.value in ("opened", "advanced")]
    kind = match["kind"].lower().removesuffix("s") if match["kind"] else ""
    kind = {"mysterie": "mystery", "question": "mystery", "thread": ""}.get(kind, kind)
    found = [e for e in found if not kind or slice_.records[e.support[0]].payload.get("thread_kind") == kind]
    found.sort(key=lambda e: (slice_.records[e.support[0]].chapter, e.key))
    if not found:
        return None
    return FromState("; ".join(told_fact(names, e) for e in found[:MOST]), tuple(found[:MOST]), "thread")


def _compiled() -> Iterator[tuple[re.Pattern[str], Look]]:
    return compiled(
        (
            (
                rf"^who(?: {_STILL}|['’]s )(?:has got|owns|has|holds|keeps|possesses|carries|got) {THING}{NOW}",
                _one("owner"),
            ),
            (
                rf"^who(?: is|['’]s) {_STILL}(?:the (?:owner|holder|keeper) of|carrying|holding) {THING}{NOW}",
                _one("owner"),
            ),
            (rf"^(?:to )?whom? does {THING} {_STILL}belong(?: to)?{NOW}", _one("owner")),
            (rf"^whose {THING} is (?:it|this|that){NOW}", _one("owner")),
            (rf"^(?:does|do) {THING} {_STILL}(?:own|have|hold|keep|carry|possess) (?P<y>[^?]+?){NOW}", _has),
            (
                rf"^(?:is|are) (?P<y>[^?]+?) {_STILL}(?:with|in the (?:hands|possession|keeping|care) of) {THING}{NOW}",
                _has,
            ),
            (rf"^(?:is|are) {THING} {_STILL}(?:at|in|on|inside|within) (?P<y>[^?]+?){NOW}", _at),
            (rf"^(?:whose is|in whose (?:hands|keeping|possession|care) is) {THING}{NOW}", _one("owner")),
            (rf"^where (?:is|are|'s) {THING}{NOW}", _one("location")),
            (rf"^(?:is|are) {THING} (?:still )?(?P<asked>alive|dead|living){NOW}", _alive),
            (rf"^(?:has|did|does) {THING} (?P<asked>died|die|been killed|live){NOW}", _alive),
            (rf"^(?:in )?what (?:state|condition) is {THING}(?: in)?{NOW}", _one("object_state")),
            (rf"^what is the (?:state|condition) of {THING}{NOW}", _one("object_state")),
            (rf"^what is {THING}['’]s? (?:current |present )?(?P<attribute>{_ATTRIBUTES}){NOW}", _attribute),
            (rf"^what is the (?P<attribute>{_ATTRIBUTES}) of {THING}{NOW}", _attribute),
            (rf"^what (?:is|are) {THING} to (?P<y>[^?]+?){NOW}", _relationship),
            (rf"^how (?:is|are) {THING} (?:and|related to) (?P<y>[^?]+?)(?: related)?{NOW}", _relationship),
            (rf"^what is the relation(?:ship)? (?:between|of) {THING} (?:and|to) (?P<y>[^?]+?){NOW}", _relationship),
            (rf"^who (?:all )?(?:knows|is aware)(?: that| of| about)? (?P<f>[^?]+?){NOW}", _who_knows),
            (
                rf"^(?:does|do) {THING} (?:already |yet )?know(?: that| of| about| whether)? (?P<f>[^?]+?){NOW}",
                _does_know,
            ),
            (rf"^(?:does|do) {THING} (?:still |now )?believe(?: that| in)? (?P<f>[^?]+?){NOW}", _does_believe),
            (
                rf"^(?:what|which){_KIND} {_STANDS}(?: still)? (?:open|unresolved|unanswered|outstanding|unpaid){NOW}",
                _open,
            ),
        )
    )


_QUESTIONS: Final = (
    *kinship.questions(),
    *minds.questions(),
    *_compiled(),
    *introductions.questions(),
    *profiles.questions(),
    *ties.questions(),
    *being.questions(),
)
