"""What a draft says of those whom the story knows already: what an extractor, which sees the draft alone, does not give.

`The goblin queen came up the stair` names nobody to whoever has not read of a goblin queen. The draft is read with the story's
own names: who is the subject of a verb takes part in an event, with the things that the story knows and the sentence names; so
does whoever is met; and somebody in a mood is there.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from events.names import THING, class_of
from services.answering import facts
from services.answering.readers.sentences import split
from services.answering.readers.wordlists import FEELINGS, TIMES
from services.answering.wording import NEGATION
from services.auditing.checking import cues
from services.auditing.checking.by_fact import addresses, aliases, knowers, threads
from services.auditing.checking.by_place import is_found, whereabouts
from services.auditing.checking.by_thing import holders
from services.auditing.checking.case import Case
from services.auditing.checking.narrated import (
    Sentence,
    acting,
    is_done,
    narrated,
    people,
    things,
)
from services.auditing.checking.ties import COLD, WARM

if TYPE_CHECKING:
    from spacy.tokens import Token

_FORMER: Final = re.compile(r"\b(?:had|once|used to|as (?:a )?(?:child\w*|boys?|girls?)|formerly)\b", re.IGNORECASE)
_ENDED: Final = re.compile(
    r"\b(?:ended|end|over|done with|settled|resolved|solved|answered|paid(?: off)?|kept|fulfilled|finished|concluded|laid to rest"
    r"|at last|finally|given up|abandoned)\b",
    re.IGNORECASE,
)
"""Words of an end. A denial beside them (`no nearer to an end`) makes them none."""
_COPULAS: Final = frozenset(("be", "seem", "look", "grow", "become", "feel", "get", "turn"))
_MOODS: Final = frozenset(("humour", "humor", "spirit", "spirits", "temper", "mood"))


def by_name(case: Case) -> list[dict[str, Any]]:
    """All that an English draft says of whom and what the story knows, as records."""
    sentences = narrated(case)
    return [
        *_events(case, sentences), *_moods(case, sentences), *_ties(case, sentences), *whereabouts(case, sentences),
        *holders(case, sentences), *knowers(case, sentences), *threads(case, sentences), *aliases(case, sentences),
        *addresses(case, sentences),
    ]  # fmt: skip


def closed(case: Case, thread: str) -> bool:
    """Whether a sentence of the draft names a thread, by most of its words, and says that it is at its end."""
    return any(
        facts.held(thread, sentence) >= facts.SAME and _ENDED.search(sentence) and not NEGATION.search(sentence)
        for sentence in split(case.text)
    )


def _events(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of events whose subject is somebody the story knows, one a sentence.

    What is said in quotation marks, in a clause within another, denied, only possible, or lay before (`had drunk`) is left out,
    and so is what follows a sentence of a letter, a dream or the like: it may go on telling what that tells.
    """
    found: list[dict[str, Any]] = []
    for sentence in sentences:
        if sentence.reported or not sentence.named:
            continue
        doing = _doers(sentence)
        if doing:
            who = [case.name(entity) for entity in [*doing, *(e for e in things(sentence) if e not in doing)]]
            summary = " ".join(sentence.told.split())
            found.append(sentence.record("named", "event", summary=summary, participants=list(dict.fromkeys(who))))
    return found


def _doers(sentence: Sentence) -> list[str]:
    """The named who do something in the sentence, or are met in it."""
    doing = [each for token in sentence.parsed if _acts(token) for each in (token, *token.conjuncts)]
    met = [token for token in sentence.parsed if is_found(token)]
    who = [entity for token in (*doing, *met) if (entity := sentence.entity(token)) is not None]
    return [e for e in dict.fromkeys(who) if class_of(e) != THING]


def _acts(token: Token) -> bool:
    verb = token.head
    return token.dep_ == "nsubj" and verb.pos_ == "VERB" and _is_main(verb) and is_done(verb)


def _is_main(verb: Token) -> bool:
    while verb.dep_ == "conj":
        verb = verb.head
    return verb.dep_ == "ROOT"


def _moods(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of how somebody is just then: in a mood, or anything else that a time of the scene is given for (`all that day`)."""
    found: list[dict[str, Any]] = []
    for sentence in sentences:
        if sentence.unreal:
            continue
        for verb, entity in acting(sentence):
            if verb.lemma_.lower() not in _COPULAS:
                continue
            mood = next((child for child in verb.children if _is_mood(child)), None)
            if mood is not None and (_is_feeling(mood) or any(t.lemma_.lower() in TIMES for t in verb.subtree)):
                value = " ".join(t.text for t in mood.subtree)
                found.append(
                    sentence.record(
                        f"mood-{len(found)}",
                        "character_delta",
                        character=case.name(entity),
                        attribute="emotion",
                        value=value,
                    )
                )
    return found


def _is_mood(child: Token) -> bool:
    return child.dep_ in ("acomp", "oprd") or (child.dep_ == "prep" and _is_feeling(child))


def _is_feeling(token: Token) -> bool:
    if token.dep_ == "prep":
        return token.lower_ == "in" and any(noun.lemma_.lower() in _MOODS for noun in token.children)
    return token.lower_ in FEELINGS or token.lemma_.lower() in FEELINGS


def _ties(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of what two whom the story knows are to each other, one a sentence that names both and calls them friends or enemies.

    The sentence before, which may tell what turned them, is evidence too. What is said, or was so before (`had been`, `as children`),
    is left out, and of a sentence with words of both sorts nothing is read.
    """
    found: list[dict[str, Any]] = []
    for sentence in sentences:
        warm, cold = WARM.search(sentence.told), COLD.search(sentence.told)
        word = cold or warm
        if word is None or (warm and cold) or cues.UNREAL.search(sentence.told) or _FORMER.search(sentence.told):
            continue
        pair = people(sentence)
        if len(pair) == 2:
            first, second = (case.name(entity) for entity in pair)
            record = sentence.record(
                "tied",
                "relationship_delta",
                source=first,
                target=second,
                relation=word[0],
                polarity=-0.7 if cold else 0.7,
            )
            quotes = [{"quote": each} for each in (sentence.text, sentence.before) if each]
            found.append({**record, "evidence": quotes})
    return found
