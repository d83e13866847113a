"""Whom a draft shows with things that the story knows to be somebody's: it is called theirs, it is on them, or they make use of it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

from events.names import THING, class_of
from services.answering.wording import MEANT
from services.auditing.checking.case import Case
from services.auditing.checking.narrated import Sentence, acting, people, things

if TYPE_CHECKING:
    from spacy.tokens import Token

_HANDLING: Final = frozenset(
    (
        "hold", "carry", "wear", "use", "turn", "finger", "handle", "polish", "wield", "brandish", "stroke", "clutch", "grip", "grasp",
        "pocket", "swing", "keep", "have", "own", "possess", "show", "produce", "wave", "shake", "weigh", "wind", "unlock", "open",
        "fold", "unfold", "play", "mend", "sharpen", "spin", "toss", "twirl", "rub", "wipe", "raise", "lift", "fasten", "button",
    )
)  # fmt: skip
"""Verbs whose object is in the hands, or on the body, of their subject."""
_BRINGING: Final = frozenset(("carry", "lift", "raise", "toss", "turn"))
_TO: Final = frozenset(("to", "into", "from", "out", "up", "down"))
"""Who carries a thing somewhere moves it, which says nothing of whose it is."""
_HUNG: Final = r"(?:hung|lay|was|were|dangled|gleamed|glittered|swung|sat|rested|shone)"
_ON: Final = (
    r"(?:pockets?|belts?|hands?|necks?|fingers?|wrists?|arms?|shoulders?|palms?|fists?|bags?|baskets?|satchels?|caps?|hats?|coats?"
    r"|cloaks?|aprons?|sleeves?|waist\w*|breast|bosom|head|feet|foot|back|girdles?|purses?|knees?|lap|mattress|pillow|chain)"
)
"""What a body, or its clothes, has a thing on."""
_OWN: Final = re.compile(r"\b(?:mine|my own)\b", re.IGNORECASE)


def holders(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of owners, and of those who handle what another owns; none where the sentence names who owns it, too."""
    found: list[dict[str, Any]] = []
    owner: dict[str, str] = {
        case.head(h.setting.args[0].key): case.head(h.value.key)
        for h in case.state.values()
        if h.setting.functor == "owner" and class_of(h.setting.args[0].key) == THING
    }
    for sentence in sentences:
        for thing in () if sentence.unreal else things(sentence):
            if thing in owner and not case.names_in(sentence.told, owner[thing]):
                found += _records(case, sentence, thing, len(found))
    return found


def _records(case: Case, sentence: Sentence, thing: str, number: int) -> Iterator[dict[str, Any]]:
    name = case.name(thing)
    holder = next(_having(sentence, thing), None)
    user = next(_handling(sentence, thing), None) if holder is None else None
    if holder is not None:
        yield sentence.record(f"{number}-has", "object_delta", object=name, owner=case.name(holder))
    elif user is not None:
        who = case.name(user)
        yield sentence.record(f"{number}-uses", "event", summary=f"{who} uses {name}.", participants=[who])


def _having(sentence: Sentence, thing: str) -> Iterator[str]:
    """Who has it: it is said to be theirs, or to be on them or their clothes."""
    plain, it = sentence.plain.replace("’", "'"), rf"\b{sentence.named[thing]}\b"
    for person in people(sentence):
        theirs = rf"\b{sentence.named[person]}'s"
        patterns = (
            rf"{it} (?:was|is|belong(?:s|ed) to) (?:now )?{theirs}(?=[,.;:!?]|$| now| and)",
            rf"{theirs} (?:own |\w+ )?{_ON}\b[^,.;]{{0,25}}\b{_HUNG}\b[^,.;]{{0,20}}{it}",
            rf"{it}[^,.;]{{0,30}}\b(?:in|on|at|round|around|from|under|about) {theirs} (?:\w+ )?{_ON}\b",
        )
        if any(re.search(pattern, plain) for pattern in patterns):
            yield person
    within = rf"{it} (?:\w+ )?(?:in|on|at|round|around|under|about) (?:a|an|the|his|her|their) (?:\w+ )?{_ON}\b"
    on_them = re.compile(rf"\b{_ON} with (?:the |a )?{it}|{within}")
    is_claimed = any(map(_OWN.search, sentence.said))
    for verb, entity in acting(sentence):
        tail = plain[verb.idx :]
        if (on_them.search(tail) and not _does(sentence, verb, thing)) or (is_claimed and re.search(it, tail)):
            yield entity


def _does(sentence: Sentence, verb: Token, thing: str) -> bool:
    """Whether the thing is the subject of the verb, which says nothing of whose hands it is in."""
    return any(child.dep_ == "nsubj" and sentence.is_called(child, thing) for child in verb.children)


def _handling(sentence: Sentence, thing: str) -> Iterator[str]:
    for verb, entity in acting(sentence):
        if MEANT.search(sentence.plain[: verb.idx]):
            continue
        to = any(child.dep_ == "prep" and child.lower_ in _TO for child in verb.children)
        for child in verb.children:
            handled = (
                child.dep_ == "dobj" and verb.lemma_.lower() in _HANDLING and not (to and verb.lemma_ in _BRINGING)
            )
            if handled and sentence.is_called(child, thing):
                yield entity
            elif child.dep_ == "prep" and child.lower_ == "with":
                yield from (
                    entity for noun in child.children if noun.dep_ == "pobj" and sentence.is_called(noun, thing)
                )
