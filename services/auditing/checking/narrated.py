"""A draft sentence by sentence, with whom and what the story knows in each: the ground on which it is read by name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

from events.names import PERSON, PLACE, THING, UNKNOWN, class_of
from services.answering.readers.offline import document
from services.answering.readers.sentences import split
from services.auditing.checking import cues
from services.auditing.checking.case import Case
from services.extraction.offline.language import parsed_language

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MOST: Final = 400
"""Sentences of a draft that are read."""
SPOKEN: Final = re.compile(r"[“\"]([^”\"]*)[”\"]")
SUBJECTS: Final = ("nsubj", "nsubjpass")
_NOT_DONE: Final = frozenset(("would", "could", "might", "should", "may", "can", "shall", "will", "must", "if"))
_STAND_INS: Final[Mapping[str, Sequence[str]]] = {
    PERSON: ("John", "Mary", "Peter", "Anna", "Paul", "Susan", "Henry", "Laura"),
    UNKNOWN: ("Robert", "Helen", "Simon", "Clara"),
    PLACE: ("London", "Paris", "Rome", "Berlin"),
    THING: ("box", "cup", "book", "knife", "coin"),
}
"""Words that a parser knows, by the sort of what they stand for: it takes `the silver thimble` for two things."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of a draft. `told`: it without what is said in quotation marks, `said` that; `before`: the sentence before.

    `plain` is `told` with a stand-in for each of `named`, whom and what the story knows and it names, by id. `reported`: what goes
    before is a letter, a dream or the like, and this may go on telling what that tells.
    """

    number: int
    text: str
    told: str
    said: tuple[str, ...]
    before: str
    plain: str
    named: Mapping[str, str]
    reported: bool

    @property
    def parsed(self) -> Doc:
        return document(self.plain)

    @property
    def unreal(self) -> bool:
        return self.reported or cues.UNREAL.search(self.told) is not None

    def is_called(self, token: Token, entity: str) -> bool:
        """Whether a token of `parsed` stands for the entity."""
        return token.text == self.named.get(entity)

    def entity(self, token: Token) -> str | None:
        """Who or what a token of `parsed` stands for."""
        return next((entity for entity, word in self.named.items() if word == token.text), None)

    def record(self, what: str, kind: str, **fields: Any) -> dict[str, Any]:
        """A record that this sentence is the evidence of."""
        return {"id": f"{what}-{self.number}", "kind": kind, **fields, "evidence": [{"quote": self.text}]}


def narrated(case: Case) -> list[Sentence]:
    """The draft's sentences, in order; none of a draft that is not English."""
    if parsed_language(case.text, "en") is None:
        return []
    names = _names(case)
    longest = "|".join(map(re.escape, sorted(names, key=len, reverse=True))) or "(?!)"
    pattern = re.compile(rf"\b(?:(?:the|an?) )?({longest})\b")
    found, before = [], ""
    for number, text in enumerate(islice(split(case.text), MOST)):
        told = SPOKEN.sub(" ", text)
        plain, named = _stood_in(told, pattern, names)
        reported = cues.UNREAL.search(before) is not None
        found.append(Sentence(number, text, told, tuple(SPOKEN.findall(text)), before, plain, named, reported))
        before = text
    return found


def _names(case: Case) -> dict[str, str]:
    """Each name of somebody or something that the story knows, with whose it is; of several the first by id."""
    terms = [term for held in case.state.values() for term in (*held.setting.args, held.value) if term.entity]
    introduced = [entry.entity("name") or "" for entry in case.earlier(("entity",))]
    known = sorted({case.head(entity) for entity in (*(term.key for term in terms), *introduced) if entity})
    names: dict[str, str] = {}
    for entity in known:
        if class_of(entity) in _STAND_INS:
            for name in case.called(entity):
                if len(name) > 2:
                    names.setdefault(name, entity)
    return names


def _stood_in(told: str, pattern: re.Pattern[str], names: Mapping[str, str]) -> tuple[str, dict[str, str]]:
    """A text with a stand-in for each name in it, and by entity its stand-in; a name beyond as many as there are words for stays."""
    named: dict[str, str] = {}
    parts: list[str] = []
    end = 0
    low = told.lower().replace("’", "'")
    for match in pattern.finditer(low if len(low) == len(told) else told):
        entity = names[match[1]]
        if entity not in named:
            free = [word for word in _STAND_INS[class_of(entity)] if word not in named.values()]
            if not free:
                continue
            named[entity] = free[0]
        start = match.start(1) if class_of(entity) == THING else match.start()
        parts += [told[end:start], named[entity]]
        end = match.end()
    return "".join((*parts, told[end:])), named


def people(sentence: Sentence) -> list[str]:
    """The figures that a sentence names."""
    return [entity for entity in sentence.named if class_of(entity) == PERSON]


def things(sentence: Sentence) -> list[str]:
    """The things that a sentence names."""
    return [entity for entity in sentence.named if class_of(entity) == THING]


def places(sentence: Sentence) -> list[str]:
    """The places that a sentence names."""
    return [entity for entity in sentence.named if class_of(entity) == PLACE]


def subjects(sentence: Sentence) -> Iterator[tuple[Token, str]]:
    """The verbs that are told as done, each with who or what the story knows is its subject."""
    for token in sentence.parsed:
        if token.dep_ not in SUBJECTS or not is_done(token.head):
            continue
        for each in (token, *token.conjuncts):
            entity = sentence.entity(each)
            if entity is not None:
                yield token.head, entity
                for verb in _going_on(token.head):
                    yield verb, entity


def acting(sentence: Sentence) -> Iterator[tuple[Token, str]]:
    """Those of `subjects` who are figures."""
    return ((verb, entity) for verb, entity in subjects(sentence) if class_of(entity) == PERSON)


def _going_on(verb: Token) -> Iterator[Token]:
    """The verbs that go on with the subject of another (`took her hat and went`)."""
    for child in verb.children:
        goes_on = child.dep_ == "conj" and child.pos_ in ("VERB", "AUX") and is_done(child)
        if goes_on and not any(each.dep_ in SUBJECTS for each in child.children):
            yield child
            yield from _going_on(child)


def is_done(verb: Token) -> bool:
    """Whether a verb is told as done: not denied, not only possible, and not before what is told (`had drunk`)."""
    beside = [*verb.children]
    if verb.dep_ == "conj":
        beside += [child for child in verb.head.children if child.dep_ in ("aux", "neg") and child.i < verb.head.i]
    return not any(
        child.dep_ == "neg" or child.lower_ in _NOT_DONE or (child.dep_ == "aux" and child.lower_ == "had")
        for child in beside
    )
