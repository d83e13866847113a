"""Who speaks by the words beside a quotation alone: ‘,” said Mara’, ‘,” Mara had asked’, ‘Mara, rising, called out “’.

The parser often loses just these.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from services.extraction.offline.lexicon import SPEECH_VERBS, words

_IRREGULAR: Final = {
    "say": "said says saying say",
    "tell": "told tells telling tell",
    "begin": "began begun beginning",
    "speak": "spoke speaking",
    "think": "thought thinking thinks",
    "put": "put",
    "quote": "quoted",
    "go": "went",
    "break": "broke",
    "swear": "swore",
    "read": "read",
    "sing": "sang",
    "write": "wrote",
    "sob": "sobbed",
    "quoth": "quoth",
}

SPOKEN: Final = SPEECH_VERBS | words(
    "think swear sing read write venture pipe chime bawl bark threaten lament marvel console soothe reason reflect joke "
    "tease scold chide grunt howl blurt exhort remonstrate expostulate greet inform articulate quoth hazard lisp stutter "
    "squeal wheeze quaver chant simper sniff grin smile nod muse finish break cackle coo burst recommence reiterate "
    "accost address reassure reprove rebuke caution advise apologise apologize concede grant amend persuade coax prompt bid"
)
"""Verbs that, beside a quotation, say who spoke it."""


def _forms(verb: str) -> Iterator[str]:
    if verb in _IRREGULAR:
        yield from _IRREGULAR[verb].split()
    elif verb.endswith("e"):
        yield f"{verb}d"
        yield f"{verb[:-1]}ing"
    elif verb[-1] == "y" and verb[-2] not in "aeiou":
        yield f"{verb[:-1]}ied"
        yield f"{verb}ing"
    else:
        for stem in (verb, verb + verb[-1]):
            yield f"{stem}ed"
            yield f"{stem}ing"


_VERB_OF: Final = {form: verb for verb in sorted(SPOKEN) for form in _forms(verb)}
_PAST: Final = {
    form: verb for form, verb in _VERB_OF.items() if not form.endswith("ing") and form not in ("say", "tell")
}
_PHRASAL: Final = (
    r"(?:(?:went|goes|going) on|broke in|broke out|burst out|burst forth|chimed in|put in|struck in|came out with|cut in|got out|"
    r"spoke up)"
)
_VERB: Final = rf"(?P<verb>{_PHRASAL}|" + "|".join(sorted(_PAST, key=lambda form: (-len(form), form))) + r")(?!\w)"
_ANY_FORM: Final = re.compile(
    rf"(?<![\w’'-])(?:{_PHRASAL}|" + "|".join(sorted(_VERB_OF, key=lambda form: (-len(form), form))) + r")(?![\w’'-])"
)
_ARTICLE: Final = r"(?:(?:the|a|an|his|her|my|our|their|poor|old|young|little|dear|good)\s+)*"
_PRONOUN: Final = r"(?P<pronoun>he|she|it|I|they|we)(?![\w’'])"
_ADVERBS: Final = r"(?:(?:had|then|at\s+last|only|again|now|presently|\w+ly)\s+)*"
_VERB_FIRST: Final = re.compile(rf"[\s,—)-]*(?i:and\s+)?{_VERB}\s+(?:{_PRONOUN}|(?P<before>{_ARTICLE})(?P<name>\w))")
_INVERTED: Final = re.compile(r"\s*(?P<verb>[a-z]+ed)\s+(?:(?P<pronoun>he|she|I)(?![\w’'])|(?P<name>[A-Z]\w))")
_PRONOUN_FIRST: Final = re.compile(rf"[\s,—(-]*(?i:{_PRONOUN})\s+{_ADVERBS}{_VERB}")
_NAME_FIRST: Final = re.compile(r"[\s,—(-]*(?P<before>(?:[Tt]he\s+)?)(?P<name>\w)")
_AFTER_NAME: Final = re.compile(rf"\s+{_ADVERBS}{_VERB}")
_WHAT_IS_SAID: Final = (
    r"(?:answer|reply|response|rejoinder|comment|remark|words|greeting|exclamation|observation|question|inquiry|suggestion|"
    r"conclusion|injunction|amendment|verdict|opinion|summing\s+up|cry|retort|advice|ejaculation|salutation)"
)
_POSSESSED: Final = re.compile(
    rf"[\s,—-]*(?P<verb>was|came|were)\s+(?P<pronoun>his|her|my)\s+(?:\w+\s+){{0,2}}{_WHAT_IS_SAID}\b"
)
_WORDS_OF: Final = re.compile(
    r"[\s,—-]*(?P<verb>was|came|were)\s+(?:the\s+)?(?P<name>[A-Z][\w.]+)(?:\s+[A-Z][\w.]+){0,2}[’']s?\s+"
    rf"(?:\w+\s+){{0,2}}{_WHAT_IS_SAID}\b"
)
_WAS_SAID: Final = re.compile(rf"[’']s?\s+(?:\w+\s+){{0,2}}{_WHAT_IS_SAID}\s+(?:was|were|came)\b[^.?!;]{{0,20}}\Z")
_PERSON: Final = {"his": "he", "her": "she", "my": "i"}
_SILENT: Final = re.compile(r"\s+(?:nothing|no\s+more|not\s+a\s+word|no\s+word|little)\b")


@dataclass(frozen=True, slots=True)
class Tag:
    """A verb of speech beside a quotation: its lemma and place, and the pronoun or the place of the name that goes with it."""

    verb: str
    offset: int
    subject: int
    pronoun: str


def lemma(form: str) -> str:
    """The verb of a form of speech: "say" of "said", "go" of "went on"."""
    first = form.split()[0]
    return _VERB_OF.get(first, {"went": "continue", "goes": "continue", "going": "continue"}.get(first, first))


def tag_after(text: str, offset: int, limit: int) -> Tag | None:
    """The tag that begins where a quotation has ended, verb or pronoun first."""
    patterns = [_VERB_FIRST, _PRONOUN_FIRST]
    if text[offset - 2 : offset - 1] in (",", "?", "!", "-", "—"):
        patterns.append(_INVERTED)  # beside speech that is not at its end any verb before its subject is one of speech
    for pattern in patterns:
        found = pattern.match(text, offset, limit)
        if found is not None and not _SILENT.match(text, found.end("verb"), limit):
            pronoun = found.group("pronoun")
            subject = found.start("pronoun") if pronoun else found.start("name")
            return Tag(lemma(found.group("verb")), found.start("verb"), subject, (pronoun or "").lower())
    found = _POSSESSED.match(text, offset, limit)
    if found is not None:
        return Tag("reply", found.start("verb"), found.start("pronoun"), _PERSON[found.group("pronoun")])
    found = _WORDS_OF.match(text, offset, limit)
    return Tag("say", found.start("verb"), found.start("name"), "") if found is not None else None


def whose_words(text: str, start: int, end: int) -> int | None:
    """Where the name ends whose words are announced at the end of [start, end): "Mara's answer was:"."""
    found = _WAS_SAID.search(text[start:end])
    return start + found.start() if found is not None else None


def name_after(text: str, offset: int, limit: int) -> int | None:
    """Where a name would begin right after a quotation."""
    found = _NAME_FIRST.match(text, offset, limit)
    return found.start("name") if found is not None else None


def verb_after(text: str, name_end: int, limit: int) -> tuple[str, int] | None:
    """The verb of speech that follows a name, and its place."""
    found = _AFTER_NAME.match(text, name_end, limit)
    if found is None or _SILENT.match(text, found.end("verb"), limit):
        return None
    return lemma(found.group("verb")), found.start("verb")


def verbs_within(text: str, start: int, end: int) -> list[tuple[str, int]]:
    """All forms of verbs of speech in [start, end), with their places."""
    return [(lemma(found.group()), found.start()) for found in _ANY_FORM.finditer(text, start, end)]
