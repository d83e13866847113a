"""What a draft says anew of what the story knows in words: who knows a fact, which thread is open, who goes by whose name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from services.answering import facts
from services.answering.wording import NEGATION
from services.auditing.checking import cues
from services.auditing.checking.case import Case
from services.auditing.checking.knowing import SAME, content
from services.auditing.checking.narrated import Sentence, acting, people, subjects

_SURE: Final = re.compile(
    r"\b(?:kn[eo]ws?|known|certain|sure|no doubt|never doubted|aware|convinced|no (?:news|secret)|nothing .{0,20}\bnews?|straight"
    r"|by heart|well enough|privy|remembered|kept (?:it|that) to)\b",
    re.IGNORECASE,
)
_UNSURE: Final = re.compile(
    r"\b(?:wonder\w*|whether|if|might|may|perhaps|maybe|suppos\w*|suspect\w*|guess\w*|hop(?:ed|es|ing)|fear(?:ed|s) that|dream\w*"
    r"|no (?:notion|idea)|unaware|ignoran\w+|(?:did|do|does|had|could) not (?:kn[eo]w|guess|dream|suspect|yet)|didn['’]t know"
    r"|never (?:kn[eo]w|guessed|heard|dreamt|learnt)|(?:nobody|no one)\b.{0,20}\b(?:kn[eo]w\w*|guessed|suspected)|can it|is it true"
    r"|asked|would)\b",
    re.IGNORECASE,
)
_SPEECH: Final = re.compile(
    r"\b(?:said|says|cried|replied|answered|put in|remarked|observed|went on|added|muttered|murmured|whispered|declared|exclaimed"
    r"|returned|continued|growled|snapped|called|shouted)\b",
    re.IGNORECASE,
)
_OPEN: Final = re.compile(
    r"\b(?:no (?:nearer|closer|further)|(?:not?|nobody|nothing|none)\b.{0,40}\byet|yet to be"
    r"|still (?:to|open|un\w+|waiting|a riddle|remain\w*|no\w*|had)|remain(?:s|ed) (?:to|un\w+|open)|everything (?:still )?to do"
    r"|un(?:solved|settled|answered|paid|finished|explained|resolved|kept)|as (?:far|open|dark) as (?:ever|before)"
    r"|where (?:it|they) (?:had )?(?:stood|begun|began|been)|on the first day|far from (?:over|done))\b",
    re.IGNORECASE,
)
_REVEALS: Final = re.compile(
    r"\b(?:all along|turn(?:s|ed) out|none other|in truth|reveal\w*|unmask\w*|it (?:was|is)|confess\w*|recogni[sz]\w+|discover\w*"
    r"|saw that|at last)\b",
    re.IGNORECASE,
)
_CALLED: Final = (
    r",? (?:also |sometimes |otherwise |once |better )?"
    r"(?:called|named|known as|alias|or|that is(?: to say)?|who was(?: also)?|whom .{1,40}? (?:called|named|knew as))"
    r" (?:by the name of )?"
)


def knowers(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of who knows a fact that others are recorded to know: who says it outright, or is said to be sure of it."""
    known = {h.setting.args[1].text for h in case.state.values() if h.setting.functor == "knowledge"}
    words = {fact: content(fact) for fact in sorted(known)}
    found: list[dict[str, Any]] = []
    told: set[tuple[str, str]] = set()
    for sentence in sentences:
        has = content(sentence.text)
        for fact, of in words.items():
            if len(of) < 3 or len(of & has) < SAME * len(of):
                continue
            knower = _knower(case, sentences, sentence, of)
            if knower is not None and not case.names_in(fact, knower) and (fact, knower) not in told:
                told.add((fact, knower))
                found.append(
                    sentence.record(
                        f"known-{len(found)}", "knowledge", knower=case.name(knower), fact=fact, stance="knows"
                    )
                )
    return found


def _knower(case: Case, sentences: Sequence[Sentence], sentence: Sentence, fact: set[str]) -> str | None:
    before = _before(sentences, sentence)
    spoken = next((words for words in sentence.said if len(fact & content(words)) >= SAME * len(fact)), None)
    if spoken is not None:
        if "?" in spoken or _UNSURE.search(spoken):
            return None
        return _speaker(sentence) or (_speaker(before) if before else None)
    if sentence.unreal or _UNSURE.search(_without(sentence.told, fact)):
        return None
    minds = [e for e in _whose_mind(sentence) if not content(case.name(e)) <= fact]
    if minds and (_SURE.search(sentence.told) or _says_what(sentence.told, fact)):
        return minds[0]
    if before is None or before.unreal or not _SURE.search(before.told) or _UNSURE.search(before.told):
        return None
    return next(iter(people(before)), None)


def _before(sentences: Sequence[Sentence], sentence: Sentence) -> Sentence | None:
    """The sentence before, if there is one."""
    return sentences[sentence.number - 1] if sentence.number else None


def _speaker(sentence: Sentence) -> str | None:
    match = _SPEECH.search(sentence.told)
    named = people(sentence)
    if match is None or not sentence.said:
        return None
    return next(
        (e for verb, e in subjects(sentence) if e in named and _SPEECH.search(verb.text)),
        named[0] if len(named) == 1 else None,
    )


def _whose_mind(sentence: Sentence) -> list[str]:
    """Who is the subject of something in the sentence, the first first."""
    named = people(sentence)
    return list(dict.fromkeys(entity for _, entity in subjects(sentence) if entity in named))


def _says_what(told: str, fact: set[str]) -> bool:
    """Whether a colon stands before the fact: what follows is what somebody has in mind."""
    head, colon, tail = told.partition(":")
    return bool(colon) and len(fact & content(tail)) >= SAME * len(fact) and not fact <= content(head)


def _without(told: str, fact: set[str]) -> str:
    return " ".join(word for word in told.split() if not content(word) & fact)


def threads(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of threads that are closed so far, and that a sentence names and says to be open."""
    closed = {
        h.setting.args[0].text
        for h in case.state.values()
        if h.setting.functor == "thread" and h.value.key in ("paid_off", "abandoned")
    }
    return [
        sentence.record(f"thread-{number}", "thread", thread=thread, status="advanced")
        for number, thread in enumerate(sorted(closed))
        for sentence in sentences
        if _OPEN.search(sentence.told) and facts.held(thread, sentence.told) >= facts.SAME and not sentence.reported
    ]


def aliases(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records that give somebody the name of another: one is said to be, or to be called, the other, and nothing makes it a discovery."""
    found: list[dict[str, Any]] = []
    for sentence in sentences:
        named = people(sentence)
        if len(named) < 2 or sentence.unreal or _REVEALS.search(f"{sentence.before} {sentence.told}"):
            continue
        for one, other in _joined(sentence, named):
            if not case.same(one, other):
                record = sentence.record(f"alias-{len(found)}", "entity", type="character", name=case.name(one))
                found.append({**record, "aliases": [case.name(other)]})
    return found


def _joined(sentence: Sentence, named: Sequence[str]) -> Iterator[tuple[str, str]]:
    for one in named:
        for other in named:
            if one != other and re.search(
                rf"\b{sentence.named[one]}{_CALLED}{sentence.named[other]}\b", sentence.plain
            ):
                yield one, other
    for verb, entity in subjects(sentence):
        if verb.lemma_.lower() == "be" and not NEGATION.search(sentence.told):
            beside = (
                child for child in verb.children if child.dep_ == "attr" or (child.dep_ == "nsubj" and child.i > verb.i)
            )
            others = (other for other in map(sentence.entity, beside) if other is not None)
            yield from ((entity, other) for other in others if other in named and other != entity)


def addresses(case: Case, sentences: Sequence[Sentence]) -> list[dict[str, Any]]:
    """Records of somebody who is spoken to, where what is said has a name of theirs that only some know."""
    found: list[dict[str, Any]] = []
    for secret in case.earlier(("identity",)):
        guise, true = secret.entity("a") or "", secret.entity("b") or ""
        own = set(_parts(secret.payload["b"])) - set(_parts(secret.payload["a"]))
        last = str(secret.payload["a"]).split()[-1].casefold()
        for sentence in sentences:
            around = " ".join(
                each.told for each in sentences[max(0, sentence.number - 1) : sentence.number + 1]
            ).casefold()
            is_named = any(
                re.search(rf"\b{re.escape(part)}\b", words.casefold()) for words in sentence.said for part in own
            )
            if not is_named or not re.search(rf"\b{re.escape(last)}\b", around):
                continue
            before = _before(sentences, sentence)
            speaker = _addressing(sentence) or (_addressing(before) if before else None)
            if speaker is not None and not case.same(speaker, guise) and not case.same(speaker, true):
                record = sentence.record(
                    f"spoken-{len(found)}", "interaction", source=case.name(speaker), target=secret.payload["a"]
                )
                found.append(
                    {**record, "type": "speaks to", "summary": f"{case.name(speaker)} speaks to {secret.payload['a']}."}
                )
    return found


def _addressing(sentence: Sentence) -> str | None:
    if not _SPEECH.search(sentence.told) and not cues.TELLS.search(sentence.told):
        return None
    return next((e for _, e in acting(sentence)), None)


def _parts(name: str) -> list[str]:
    return [part for part in re.findall(r"\w+", name.casefold()) if len(part) > 3]
