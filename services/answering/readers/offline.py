"""The reader that needs no model service: the sentences that hold most of a question, and the part of them that it asks for.

English sentences are parsed; of other languages the whole sentence is the answer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

from services.answering.readers import roles
from services.answering.readers.asking import Kind, asked_terms, is_composite, kind_of
from services.answering.readers.feelings import felt
from services.answering.readers.ranking import Ranked, likeliest, ranked
from services.answering.readers.reader import ABSTAINED, PLAIN, Answer, Manner
from services.answering.readers.roles import Asked
from services.answering.readers.sentences import FUNCTION_TERMS, Sentence, Supports, sentences, terms
from services.answering.readers.spans import (
    Candidate,
    candidates,
    is_left_to_a_pronoun,
    is_left_to_the_speaker,
    is_told_of,
    named_first,
)
from services.answering.readers.telling import explained, neighbour, told, worded
from services.extraction.offline.language import PIPELINES, parsed_language

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

LOOKED_AT: Final = 3
"""Sentences that are parsed."""
LEAST: Final = 0.34
"""The share of the question's weight, held by the best sentences together, below which nothing supports an answer."""
SHARPNESS: Final = 2
"""How much a better supported sentence counts over a part that suits better."""
AFFIRMED: Final = 0.75
"""The share of a question's weight from which its answer is yes."""
CLAIM: Final = 0.42
"""The share of a claim's weight from which it is taken for true where it has to be one or the other.

The middle of 96 claims about three novels of NoCha: above it lie two thirds of the true ones, and little more than a third of the false.
"""
_PARSES_KEPT: Final = 2_000
_TELLABLE: Final = frozenset[Kind](("reason", "manner", "deed", "other"))
"""Kinds of questions whose answer may be a sentence."""
_PLAYED: Final = frozenset[Kind](("person", "thing"))
"""Kinds whose answer is only the part of the verb that is asked for; where no sentence has it, a sentence is told."""
_NEGATION: Final = re.compile(r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|\w+n['’]t)\b", re.IGNORECASE)
_parsing = Lock()


class OfflineReader:
    """Answers by rules. The same question and packet give the same answer."""

    name = "offline"

    def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer:
        return self.guided(question, packet, options, PLAIN)

    def guided(self, question: str, packet: Mapping[str, Any], options: Sequence[str], manner: Manner) -> Answer:
        found = sentences(packet)
        asked = asked_terms(question)
        if not found or not set(asked) - FUNCTION_TERMS:
            return ABSTAINED
        supports = Supports(found)
        shares = supports.share(asked)
        best = sorted(range(len(found)), key=lambda place: (-round(shares[place], 6), place))[:LOOKED_AT]
        if {option.casefold() for option in options} == {"true", "false"}:
            # a claim that nothing supports is false as far as the packet goes
            truth = _judged(supports, question, best, ("true", "false"), CLAIM)
            return replace(truth, text=next(option for option in options if option.casefold() == truth.text))
        if is_composite(question) and not options:
            several = told(supports, question, _placed(packet), manner)
            return _in_sentences(several) if several else ABSTAINED
        if supports.covered(asked, best) < LEAST:
            return ABSTAINED
        if options:
            return _chosen(supports, question, options, manner.strict)
        kind = kind_of(question)
        if kind == "polar":
            return _judged(supports, question, best, ("Yes", "No"), AFFIRMED)
        if parsed_language(question, "en") is None:
            return _said(found[best[0]].text, [found[best[0]]])
        return self._of_one(question, kind, supports, shares, manner)

    def _of_one(self, question: str, kind: Kind, supports: Supports, shares: Sequence[float], manner: Manner) -> Answer:
        """The answer to an English question of one part: in sentences, or the part of one that suits the question best."""
        places = likeliest(supports, shares, question)
        with _parsing:
            parsed, *parses = _parse([question, *(supports.sentences[place].text for place in places)])
            wanted = roles.asked(parsed)
            found = ranked(supports, shares, places, parses, question, wanted)
            if kind in _TELLABLE and (manner.tells or kind == "deed"):
                return _in_sentences(explained(supports, found[0], kind))
            if kind == "feeling" and (feeling := felt(supports, found, wanted, _parsed)) is not None:
                return _said(feeling.text, [feeling.about, feeling.told])
            return (
                self._spanned(question, kind, wanted, found)
                or (self._referred(supports, wanted, found) if kind == "person" else None)
                or self._explained(supports, kind, wanted, found[0])
            )

    def _explained(self, supports: Supports, kind: Kind, wanted: Asked, best: Ranked) -> Answer:
        """The sentence itself, where no part of it is the answer; of one that is spoken, only if it says who."""
        if kind == "place":
            return ABSTAINED
        if kind == "person" and (is_left_to_the_speaker(best.parsed, wanted) or not is_told_of(best.parsed, wanted)):
            return ABSTAINED
        return _in_sentences(explained(supports, best, kind))

    def _referred(self, supports: Supports, wanted: Asked, found: Sequence[Ranked]) -> Answer | None:
        """Who is meant where the sentence that tells it says only `she`: the first subject of the sentence before."""
        for place in found:
            before = neighbour(supports, place.sentence, -1)
            if before is not None and is_left_to_a_pronoun(place.parsed, wanted):
                document = _parsed(before.text)
                named = named_first(document)
                if named is not None:
                    return _said(document[named.start : named.end].text, [place.sentence, before])
        return None

    def _spanned(self, question: str, kind: Kind, wanted: Asked, found: Sequence[Ranked]) -> Answer | None:
        """The part of a sentence that suits the question best, what the question says itself counting against it; None: none does."""
        known = frozenset(terms(question))
        chosen: tuple[float, Ranked, Candidate] | None = None
        for place in found:
            for each in candidates(place.parsed, kind, wanted):
                value = each.fit * place.worth**SHARPNESS * _newness(place.parsed, each, known)
                if chosen is None or value > chosen[0] + 1e-9:
                    chosen = (value, place, each)
        if chosen is None or chosen[0] <= 0 or (kind in _PLAYED and not chosen[2].plays):
            return None
        _, place, each = chosen
        return _said(place.parsed[each.start : each.end].text, [place.sentence])


def _placed(packet: Mapping[str, Any]) -> dict[str, float]:
    """How highly the packet ranks its items, from 0 to 1; below all texts stand records, which read badly."""
    items = packet["items"]
    highest = max((item.get("score") or 0.0 for item in items), default=0.0) or 1.0
    has_texts = any("record" not in item for item in items)
    return {
        item["id"]: max(0.0, (item.get("score") or 0.0) / highest) - (has_texts and "record" in item) for item in items
    }


def _newness(document: Doc, candidate: Candidate, known: frozenset[str]) -> float:
    """From 0, all of it is in the question, to 1."""
    said = frozenset(terms(document[candidate.start : candidate.end].text)) - FUNCTION_TERMS
    return len(said - known) / len(said) if said else 0.1


def _chosen(supports: Supports, question: str, options: Sequence[str], strict: bool) -> Answer:
    """The option whose own terms, with the question's, are best supported by one place of the packet.

    `strict`: one of which no place has a word that the question has not, and the best of two alike, is no answer.
    """
    asked = set(terms(question))
    values = []
    for option in options:
        own = set(terms(option)) - asked
        together = supports.share([*asked, *own])
        alone = supports.share(own)
        place = max(range(len(together)), key=lambda p: (round(together[p] + alone[p], 6), -p))
        values.append((together[place] + alone[place], place, alone[place]))
    at = max(range(len(options)), key=lambda n: (round(values[n][0], 6), -n))
    alike = sum(round(value[0], 6) == round(values[at][0], 6) for value in values)
    if strict and (alike > 1 or not values[at][2]):
        return ABSTAINED
    return _said(options[at], [supports.sentences[values[at][1]]])


def _judged(supports: Supports, claim: str, best: Sequence[int], words: tuple[str, str], least: float) -> Answer:
    """Whether the best sentences together hold the claim, and deny it no more than it does itself."""
    first = supports.sentences[best[0]]
    held = supports.covered(terms(claim), best[:3]) >= least
    agrees = bool(_NEGATION.search(claim)) == bool(_NEGATION.search(first.text))
    return _said(words[0] if held and agrees else words[1], [first])


def _in_sentences(told_: Sequence[Sentence]) -> Answer:
    return _said(" ".join(worded(sentence.text) for sentence in told_), told_)


def _said(text: str, grounds: Sequence[Sentence]) -> Answer:
    return Answer(text, False, tuple(dict.fromkeys(sentence.item for sentence in grounds)))


def document(text: str) -> Doc:
    """An English text parsed; the same object for the same text while it is remembered."""
    with _parsing:
        return _parsed(text)


def lemmas(text: str) -> frozenset[str]:
    """The words of an English text in the form in which a dictionary has them."""
    with _parsing:
        return frozenset(token.lemma_.lower() for token in _parsed(text) if token.is_alpha)


def asked_verb(question: str) -> str:
    """The verb that an English question is about, as `lemmas` has it; empty where it asks for the verb, or has none."""
    with _parsing:
        return roles.asked(_parsed(question)).verb


def _parse(texts: Sequence[str]) -> list[Doc]:
    return [_parsed(text) for text in texts]


@lru_cache(maxsize=_PARSES_KEPT)
def _parsed(text: str) -> Doc:
    return _pipeline()(text)


@lru_cache(maxsize=1)
def _pipeline() -> Language:
    """A pipeline of the reader's own: the extractor empties the one it uses after every chapter."""
    import spacy

    return spacy.load(PIPELINES["en"], exclude=["ner"])
