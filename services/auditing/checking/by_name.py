"""What a draft says of those whom the story knows already: events that an extractor, which sees the draft alone, does not give.

`The goblin queen came up the stair` names nobody to whoever has not read of a goblin queen. The draft is read with the story's
own names: who is the subject of a verb takes part in an event, with the things that the story knows and the sentence names.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from events.names import PERSON, THING, class_of
from services.answering import facts
from services.answering.readers.offline import document
from services.answering.readers.sentences import split
from services.answering.wording import NEGATION
from services.auditing.checking import cues
from services.auditing.checking.case import Case
from services.auditing.checking.ties import COLD, WARM
from services.extraction.offline.language import parsed_language

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST: Final = 400
"""Sentences of a draft that are parsed."""
_LONGEST: Final = 8
"""Words of a subject that is a name, whatever is said of it."""
_SPOKEN: Final = re.compile(r"[“\"][^”\"]*[”\"]")
_FORMER: Final = re.compile(r"\b(?:had|once|used to|as (?:a )?(?:child\w*|boys?|girls?)|formerly)\b", re.IGNORECASE)
_ENDED: Final = re.compile(
    r"\b(?:ended|end|over|done with|settled|resolved|solved|answered|paid(?: off)?|kept|fulfilled|finished|concluded|laid to rest"
    r"|at last|finally|given up|abandoned)\b",
    re.IGNORECASE,
)
"""Words of an end. A denial beside them (`no nearer to an end`) makes them none."""
_NOT_DONE: Final = frozenset(("would", "could", "might", "should", "may", "can", "shall", "will", "must"))


def events(case: Case) -> list[dict[str, Any]]:
    """Records of events whose subject is somebody the story knows, one a sentence; only of English drafts.

    What is said in quotation marks, in a clause within another, denied, only possible, or lay before (`had drunk`) is left out,
    and so is what follows a sentence of a letter, a dream or the like: it may go on telling what that tells.
    """
    if parsed_language(case.text, "en") is None:
        return []
    known = _known(case)
    found = []
    before = ""
    for number, sentence in enumerate(islice(split(case.text), MOST)):
        told = _SPOKEN.sub(" ", sentence)
        reported, before = cues.UNREAL.search(before), sentence
        named = [] if reported else [entity for entity in known if case.names_in(told, entity)]
        if not named:
            continue
        acting = _acting(document(told), case, named)
        if acting:
            who = [case.name(entity) for entity in [*acting, *(e for e in named if e not in acting and _is_thing(e))]]
            found.append(
                {
                    "id": f"named-{number}", "kind": "event", "summary": " ".join(told.split()), "participants": list(dict.fromkeys(who)),
                    "evidence": [{"quote": sentence}],
                }
            )  # fmt: skip
    return found


def ties(case: Case) -> list[dict[str, Any]]:
    """Records of what two whom the story knows are to each other, one a sentence that names both and calls them friends or enemies.

    The sentence before, which may tell what turned them, is evidence too. What is said, or was so before (`had been`, `as children`),
    is left out, and of a sentence with words of both sorts nothing is read.
    """
    if parsed_language(case.text, "en") is None:
        return []
    people = [entity for entity in _known(case) if class_of(entity) == PERSON]
    found = []
    last = ""
    for number, sentence in enumerate(islice(split(case.text), MOST)):
        before, last = last, sentence
        told = _SPOKEN.sub(" ", sentence)
        warm, cold = WARM.search(told), COLD.search(told)
        word = cold or warm
        if word is None or (warm and cold) or cues.UNREAL.search(told) or _FORMER.search(told):
            continue
        pair = [entity for entity in people if case.names_in(told, entity)]
        if len(pair) == 2:
            first, second = (case.name(entity) for entity in pair)
            found.append(
                {
                    "id": f"tied-{number}", "kind": "relationship_delta", "source": first, "target": second, "relation": word[0],
                    "polarity": -0.7 if cold else 0.7, "evidence": [{"quote": each} for each in (sentence, before) if each],
                }
            )  # fmt: skip
    return found


def closed(case: Case, thread: str) -> bool:
    """Whether a sentence of the draft names a thread, by most of its words, and says that it is at its end."""
    return any(
        facts.held(thread, sentence) >= facts.SAME and _ENDED.search(sentence) and not NEGATION.search(sentence)
        for sentence in split(case.text)
    )


def _known(case: Case) -> list[str]:
    """Whom and what the state is about, each once, in the order of their ids."""
    return sorted({case.head(term.key) for held in case.state.values() for term in held.setting.args if term.entity})


def _is_thing(entity: str) -> bool:
    return class_of(entity) == THING


def _acting(parsed: Doc, case: Case, named: list[str]) -> list[str]:
    """The named who do something in the sentence."""
    subjects = [" ".join(word.text for word in token.subtree) for token in parsed if _acts(token)]
    return [e for e in named if not _is_thing(e) and any(case.names_in(subject, e) for subject in subjects)]


def _acts(token: Token) -> bool:
    verb = token.head
    if token.dep_ != "nsubj" or verb.pos_ != "VERB" or not _is_main(verb) or len(list(token.subtree)) > _LONGEST:
        return False
    beside = list(_beside(verb))
    return not any(
        child.dep_ == "neg" or child.lower_ in _NOT_DONE or (child.dep_ == "aux" and child.lower_ == "had")
        for child in beside
    )


def _is_main(verb: Token) -> bool:
    while verb.dep_ == "conj":
        verb = verb.head
    return verb.dep_ == "ROOT"


def _beside(verb: Token) -> Iterator[Token]:
    yield from verb.children
    if verb.dep_ in ("conj", "xcomp"):
        yield from (child for child in verb.head.children if child.dep_ in ("aux", "neg"))
