"""English verbs that tell the same deed, and those that tell it from the other side (whom one gives to, gets)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from services.answering.readers.wordlists import BASES
from services.retrieval.wording import content_terms

_ALIKE: Final = (
    "give grant present bestow hand entrust",
    "take seize snatch grab steal take_away carry_off make_off",
    "abduct kidnap snatch seize carry_off capture take_away",
    "kill slay murder",
    "free rescue save liberate release deliver let_out set_free",
    "imprison jail lock_up lock_in confine capture shut_up",
    "find discover come_upon",
    "tell inform relate report reveal disclose confide",
    "promise vow swear pledge",
    "accuse denounce charge blame slander",
    "reproach reprove scold rebuke chide",
    "frighten scare terrify alarm",
    "fear dread",
    "hurt wound injure harm",
    "meet encounter come_across",
    "marry wed",
    "leave depart go_away quit",
    "escape flee get_away run_away break_out get_out creep_out come_out break_free",
    "enter get_into come_into break_into go_into",
    "help aid assist",
    "love adore",
    "hate detest loathe",
    "dislike hate",
    "see notice spy perceive",
    "hear overhear",
    "follow pursue chase",
    "lead guide",
    "send dispatch",
    "bring fetch",
    "refuse decline",
    "build make construct",
    "break shatter smash destroy",
    "hide conceal",
    "lose mislay",
    "shut close",
    "lock bolt",
    "attack assault assail",
    "beat defeat conquer",
    "warn caution",
    "forgive pardon",
    "apologise apologize",
    "believe trust",
    "doubt disbelieve",
    "wake awaken wake_up",
    "heal cure",
    "flood inundate",
    "deceive trick cheat fool",
    "learn find_out discover",
    "die perish",
    "get receive obtain acquire",
    "propose offer",
    "insult offend",
    "start begin",
    "stop cease",
    "ask beg request",
    "arrive reach",
    "return come_back go_back",
    "invite bid",
    "buy purchase",
    "dig tunnel burrow mine",
    "mend repair fix",
    "explain account",
    "throw hurl fling toss",
    "announce declare proclaim",
    "comfort console soothe",
    "order command direct",
    "protect guard shield defend",
    "mock tease taunt ridicule",
    "threaten menace",
    "search seek look_for",
    "summon send_for",
    "decide resolve determine",
    "agree consent",
    "advise counsel",
    "quarrel argue",
    "cry weep sob",
    "push shove",
    "pull drag",
    "put lay place",
    "climb ascend",
    "praise commend",
    "drop let_fall",
    "burn scorch",
    "hang suspend",
    "bury inter",
    "adopt take_in",
    "admit confess",
    "deny dispute",
)
_CONVERSE: Final = (
    ("get", "give"),
    ("learn", "tell"),
    ("hear", "tell"),
    ("escape", "free"),
    ("die", "kill"),
    ("fear", "frighten"),
    ("follow", "lead"),
    ("buy", "sell"),
)
_MUTUAL: Final = frozenset(
    ("meet", "marry", "wed", "talk", "speak", "quarrel", "argue", "fight", "dance", "play", "agree")
)
"""Deeds that each does who has them done to him."""
ANY: Final = "do"
"""The verb of a question that asks for the deed itself."""
ALIKE: Final = 0.85
"""What another verb for the same deed counts, against 1 for the verb itself."""
_DOER: Final = re.compile(r"^(?:.* )?(?P<stem>[a-z]{2,}?)(?:er|or|ers|ors)$")


@dataclass(frozen=True, slots=True)
class SameDeed:
    """How surely two verbs tell one deed, 0 to 1; `turned`: the doer of the one is whom the other is done to."""

    sure: float
    turned: bool = False


def _groups() -> dict[str, frozenset[int]]:
    found: dict[str, set[int]] = {}
    for number, row in enumerate(_ALIKE):
        for verb in row.split():
            found.setdefault(verb, set()).add(number)
    return {verb: frozenset(numbers) for verb, numbers in found.items()}


_GROUPS: Final = _groups()


def _turned() -> frozenset[tuple[int, int]]:
    pairs = ((_GROUPS[a], _GROUPS[b]) for a, b in _CONVERSE if a in _GROUPS and b in _GROUPS)
    return frozenset((m, n) for one, other in pairs for a in one for b in other for m, n in ((a, b), (b, a)))


_TURNED: Final = _turned()


def same_deed(asked: str, told: str) -> SameDeed | None:
    """Whether two verbs, each with its particle (`carry_off`), tell the same deed; None: they do not."""
    if asked == told:
        return SameDeed(1.0)
    if asked == ANY:
        return SameDeed(ALIKE)
    mine, theirs = _GROUPS.get(asked, frozenset()), _GROUPS.get(told, frozenset())
    if mine & theirs:
        return SameDeed(ALIKE)
    if any((m, n) in _TURNED for m in mine for n in theirs):
        return SameDeed(ALIKE, turned=True)
    return None


def alike(verb: str) -> tuple[str, ...]:
    """The verbs that may tell the deed of this one, from either side, itself first; particles left out."""
    mine = _GROUPS.get(verb, frozenset())
    others = mine | {n for m, n in _TURNED if m in mine}
    found = [word for word, numbers in _GROUPS.items() if numbers & others]
    return tuple(dict.fromkeys(each.partition("_")[0] for each in (verb, *found)))


def spelled(verb: str) -> tuple[str, ...]:
    """The verbs that may tell the deed of this one, who does them, and their irregular forms: words by which a text is found."""
    known = alike(verb)
    doers = (f"{verb.removesuffix('e')}er" for verb in known)
    return (*known, *doers, *(form for form, base in BASES.items() if base in known))


def base_of(participle: str) -> str:
    """The verb of a participle that a parser has taken for another word: `shot`, `frightened`; the word itself if it is none."""
    found = bases_of(participle)
    return next((verb for verb in found if is_known(verb)), found[0])


def bases_of(word: str) -> tuple[str, ...]:
    """The verbs that a word may be a past form of, by its spelling alone: `robbed` of `robb`, `robbe`, `rob`; never empty."""
    lower = word.lower()
    if lower in BASES or not lower.endswith("ed"):
        return (BASES.get(lower, lower),)
    stem = lower[:-2]
    undoubled = (stem[:-1],) if len(stem) > 2 and stem[-1] == stem[-2] else ()
    return (stem, f"{stem}e", *undoubled, *((f"{stem[:-1]}y",) if stem.endswith("i") else ()))


def is_mutual(verb: str) -> bool:
    return verb.partition("_")[0] in _MUTUAL


def is_known(verb: str) -> bool:
    return verb in _GROUPS or verb in _DOERS


def third_person(word: str) -> str:
    """The verb of a form such as `terrifies`, where that is one of a known deed; the word itself where it is none."""
    lower = word.lower()
    stems = (lower[:-3] + "y" if lower.endswith("ies") else lower, lower.removesuffix("es"), lower.removesuffix("s"))
    return next((stem for stem in stems if is_known(stem)), lower)


def done_by(role: str) -> str:
    """The verb of a role that a record gives somebody (`giver`, `lost rescuer`); empty where it is none of a known deed."""
    match = _DOER.match(role.strip().lower())
    stem = match["stem"] if match else ""
    undoubled = stem[:-1] if len(stem) > 2 and stem[-1] == stem[-2] else stem
    return next((verb for verb in (stem, f"{stem}e", undoubled) if is_known(verb)), "")


def held_alike(wanted: str, text: str) -> float:
    """The share of the content terms of `wanted` that `text` has, a verb that tells the same deed counting as the word; 0 to 1."""
    there = set(content_terms(text))
    own = set(content_terms(wanted))
    return (
        sum(term in there or bool(_TERMS_OF.get(term, frozenset()) & there) for term in own) / len(own) if own else 0.0
    )


def _terms_of() -> dict[str, frozenset[str]]:
    """By the term of each verb, the terms of those that tell the same deed."""
    rows = [frozenset(t for verb in row.split() if "_" not in verb for t in content_terms(verb)) for row in _ALIKE]
    found: dict[str, frozenset[str]] = {}
    for row in rows:
        for term in (*row, *(f"{term}l" for term in row if term.endswith("l"))):  # `tunnelling` keeps both
            found[term] = found.get(term, frozenset()) | row
    return found


_TERMS_OF: Final = _terms_of()
_DOING: Final = (
    "shoot kiss sing heal teach carry watch steal ask answer speak offer warn seek judge save witness"
    " listen write promise"
)
_DOERS: Final = frozenset(_DOING.split())
"""Verbs of roles beyond those that are alike to another."""
