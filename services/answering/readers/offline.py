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

from services.answering.readers.asking import Kind, is_composite, kind_of
from services.answering.readers.reader import ABSTAINED, PLAIN, Answer, Manner
from services.answering.readers.sentences import FUNCTION_TERMS, Sentence, Supports, sentences, terms
from services.answering.readers.spans import Candidate, candidates, verb_of
from services.extraction.offline.language import PIPELINES, parsed_language

if TYPE_CHECKING:
    from spacy.language import Language
    from spacy.tokens import Doc

LOOKED_AT: Final = 3
"""Sentences that are parsed."""
LEAST: Final = 0.34
"""The share of the question's weight, held by the best sentences together, below which nothing supports an answer."""
TOLD: Final = 4
"""Sentences in the answer to a question with several parts."""
WORTH: Final = 0.1
"""The share of a question's weight that each of them has to add: one that shares a single word with it is beside the point."""
SHARPNESS: Final = 2
"""How much a better supported sentence counts over a part that suits better."""
CLAIM: Final = 0.75
"""The share of a claim's weight from which it is taken for true, or a yes for the answer."""
_PARSES_KEPT: Final = 2_000
_TELLABLE: Final = frozenset[Kind](("reason", "manner", "deed", "other"))
"""Kinds of questions whose answer may be a sentence."""
_NEGATION: Final = re.compile(r"\b(?:not|never|no|none|nobody|nothing|neither|nor|without|\w+n['’]t)\b", re.IGNORECASE)
_ENTRY: Final = re.compile(r"\w\(.*\) = ")
"""A state entry is no sentence to be told."""
_parsing = Lock()


class OfflineReader:
    """Answers by rules. The same question and packet give the same answer."""

    name = "offline"

    def answer(self, question: str, packet: Mapping[str, Any], options: Sequence[str] = ()) -> Answer:
        return self.guided(question, packet, options, PLAIN)

    def guided(self, question: str, packet: Mapping[str, Any], options: Sequence[str], manner: Manner) -> Answer:
        found = sentences(packet)
        asked = terms(question)
        if not found or not set(asked) - FUNCTION_TERMS:
            return ABSTAINED
        supports = Supports(found)
        shares = supports.share(asked)
        best = sorted(range(len(found)), key=lambda place: (-round(shares[place], 6), place))[:LOOKED_AT]
        if {option.casefold() for option in options} == {"true", "false"}:
            # a claim that nothing supports is false as far as the packet goes
            truth = _judged(supports, question, best, ("true", "false"))
            return replace(truth, text=next(option for option in options if option.casefold() == truth.text))
        if supports.covered(asked, best) < LEAST:
            return ABSTAINED
        if options:
            return _chosen(supports, question, options, manner.strict)
        kind = kind_of(question)
        if is_composite(question) or (manner.tells and kind in _TELLABLE):
            return _told(supports, asked, manner.revealed)
        if kind == "polar":
            return _judged(supports, question, best, ("Yes", "No"))
        if parsed_language(question, "en") is None:
            return _said(found[best[0]].text, [found[best[0]]])
        return self._spanned(question, kind, [(found[place], shares[place]) for place in best])

    def _spanned(self, question: str, kind: Kind, ranked: Sequence[tuple[Sentence, float]]) -> Answer:
        """The part of a sentence that suits the question best, what the question says itself counting against it."""
        known = frozenset(terms(question))
        with _parsing:
            parsed = _parse([question, *(sentence.text for sentence, _ in ranked)])
            verb = verb_of(parsed[0])
            chosen: tuple[float, int, Candidate] | None = None
            for place, (document, (_, share)) in enumerate(zip(parsed[1:], ranked, strict=True)):
                for each in candidates(document, kind, verb):
                    value = each.fit * share**SHARPNESS * _newness(document, each, known)
                    if chosen is None or value > chosen[0] + 1e-9:
                        chosen = (value, place, each)
            if chosen is None or chosen[0] <= 0:
                return _said(ranked[0][0].text, [ranked[0][0]])
            _, place, each = chosen
            return _said(parsed[place + 1][each.start : each.end].text, [ranked[place][0]])


def _told(supports: Supports, asked: Sequence[str], by_chapter: bool) -> Answer:
    """The sentences that together hold most of a question with several parts, in the packet's order or by chapter."""
    chosen: list[int] = []
    for _ in range(TOLD):
        value = supports.covered(asked, chosen)
        gains = [
            0.0 if _ENTRY.search(sentence.text) else supports.covered(asked, [*chosen, sentence.place]) - value
            for sentence in supports.sentences
        ]
        place = max(range(len(gains)), key=lambda p: (round(gains[p], 6), -p))
        if gains[place] < WORTH:
            break
        chosen.append(place)
    told = [supports.sentences[place] for place in sorted(chosen)]
    if by_chapter:
        told.sort(key=lambda sentence: (sentence.chapter, sentence.place))
    return _said(" ".join(sentence.text for sentence in told), told)


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


def _judged(supports: Supports, claim: str, best: Sequence[int], words: tuple[str, str]) -> Answer:
    """Whether the best sentences together hold the claim, and deny it no more than it does itself."""
    first = supports.sentences[best[0]]
    held = supports.covered(terms(claim), best[:3]) >= CLAIM
    agrees = bool(_NEGATION.search(claim)) == bool(_NEGATION.search(first.text))
    return _said(words[0] if held and agrees else words[1], [first])


def _said(text: str, grounds: Sequence[Sentence]) -> Answer:
    return Answer(text, False, tuple(dict.fromkeys(sentence.item for sentence in grounds)))


def lemmas(text: str) -> frozenset[str]:
    """The words of an English text in the form in which a dictionary has them."""
    with _parsing:
        return frozenset(token.lemma_.lower() for token in _parsed(text) if token.is_alpha)


def asked_verb(question: str) -> str:
    """The verb that an English question is about, as `lemmas` has it; empty where it asks for the verb, or has none."""
    with _parsing:
        return verb_of(_parsed(question))


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
