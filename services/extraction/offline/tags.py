"""Who speaks by the words beside a quotation alone: ‘,” said Mara’, ‘,” Mara had asked’. The parser often loses just these."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.extraction.offline.lexicon import SPEECH_VERBS

_IRREGULAR: Final = {
    "say": "said says",
    "tell": "told tells",
    "begin": "began",
    "speak": "spoke",
    "think": "thought",
    "put": "put",
    "quote": "quoted",
    "go": "went",
    "break": "broke",
    "swear": "swore",
    "read": "read",
    "sing": "sang",
}


def _forms(verb: str) -> Iterator[str]:
    if verb in _IRREGULAR:
        yield from _IRREGULAR[verb].split()
    elif verb.endswith("e"):
        yield f"{verb}d"
    elif verb[-1] == "y" and verb[-2] not in "aeiou":
        yield f"{verb[:-1]}ied"
    else:
        yield f"{verb}ed"
        yield f"{verb}{verb[-1]}ed"


_VERB_OF: Final = {form: verb for verb in (*SPEECH_VERBS, "think", "swear", "sing", "read") for form in _forms(verb)}
_VERB: Final = "(?P<verb>" + "|".join(sorted(_VERB_OF, key=lambda form: (-len(form), form))) + r")(?!\w)"
_ARTICLE: Final = r"(?:(?:the|a|an|his|her|my|our|their|poor|old|young|little|dear|good)\s+)*"
_PRONOUN: Final = r"(?P<pronoun>he|she|I|they|we)(?![\w’'])"
_VERB_FIRST: Final = re.compile(rf"[\s,—-]*(?i:and\s+)?{_VERB}\s+(?:{_PRONOUN}|(?P<before>{_ARTICLE})(?P<name>\w))")
_PRONOUN_FIRST: Final = re.compile(rf"[\s,—-]*(?i:{_PRONOUN})\s+(?:had\s+|\w+ly\s+)?{_VERB}")
_NAME_FIRST: Final = re.compile(r"[\s,—-]*(?P<before>(?:[Tt]he\s+)?)(?P<name>\w)")
_AFTER_NAME: Final = re.compile(rf"\s+(?:had\s+|\w+ly\s+)?{_VERB}")


@dataclass(frozen=True, slots=True)
class Tag:
    """A verb of speech beside a quotation: its lemma and place, and the pronoun or the place of the name that goes with it."""

    verb: str
    offset: int
    subject: int
    pronoun: str


def tag_after(text: str, offset: int, limit: int) -> Tag | None:
    """The tag that begins where a quotation has ended, verb or pronoun first."""
    for pattern in (_VERB_FIRST, _PRONOUN_FIRST):
        found = pattern.match(text, offset, limit)
        if found is not None:
            pronoun = found.group("pronoun")
            subject = found.start("pronoun") if pronoun else found.start("name")
            return Tag(_VERB_OF[found.group("verb")], found.start("verb"), subject, (pronoun or "").lower())
    return None


def name_after(text: str, offset: int, limit: int) -> int | None:
    """Where a name would begin right after a quotation."""
    found = _NAME_FIRST.match(text, offset, limit)
    return found.start("name") if found is not None else None


def verb_after(text: str, name_end: int, limit: int) -> tuple[str, int] | None:
    """The verb of speech that follows a name, and its place."""
    found = _AFTER_NAME.match(text, name_end, limit)
    return (_VERB_OF[found.group("verb")], found.start("verb")) if found is not None else None
