"""Chains of reference: which names, descriptions and pronouns of a chapter mean the same.

Names of one figure are one chain. Descriptions join by their noun and whom they belong to, appositions join what they
explain. "I" is whoever speaks or narrates, "you" whoever is spoken to; other pronouns go to the best of the recent chains
that fit in sex and number.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import FEMALE_NOUNS, FEMALE_TITLES, MALE_NOUNS, MALE_TITLES, words
from services.extraction.offline.mentions import FEMALE_PRONOUNS, MALE_PRONOUNS, Mention
from services.extraction.offline.names import Gender
from services.extraction.offline.nouns import NOUN_SORTS
from services.extraction.offline.observations import Observations, Phrase, Pronoun
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.reading import Form
from services.extraction.offline.salience import Chain, best
from services.extraction.offline.turns import Party

_BEFORE_A_NAME = re.compile(
    r"(?<![\w’'])(?:the |The |(?:(?:the|my|The|My) )?(?:old|young|little|poor|dear) |Old |Young |Poor )\Z"
)
_FIRST = words("i me my mine myself")
_SECOND = words("you your yours yourself yourselves")
_WE = words("we us our ours ourselves")
_THEY = words("they them their theirs themselves")
_MALE = MALE_NOUNS | MALE_TITLES | words("nephew grandson stepfather actor waiter hero host chap bloke guy nobleman")
_FEMALE = (
    FEMALE_NOUNS
    | FEMALE_TITLES
    | words(
        "niece granddaughter actress waitress heroine housekeeper housemaid chambermaid damsel dame matron hag beauty"
    )
)


@dataclass(frozen=True, slots=True)
class Link:
    """A reference and the chain it belongs to."""

    span: Span
    chain: Chain
    source: Mention | Phrase | Pronoun

    @property
    def offset(self) -> int:
        """Where its head word begins."""
        match self.source:
            case Pronoun():
                return self.source.offset
            case Phrase():
                return self.source.head
        return self.span.start


class Chains:
    """Follows a chapter from its beginning; `parties` says who speaks and is spoken to in direct speech."""

    def __init__(self, parties: Sequence[Party], narrator: Figure | None, subjects: Iterable[int]) -> None:
        self._parties = sorted(parties, key=lambda party: party.span)
        self._narrator = narrator
        self._subjects = frozenset(subjects)
        self._by_key: dict[Hashable, Chain] = {}
        self._chains: list[Chain] = []
        self._at: dict[int, Chain] = {}
        self._party = 0
        self.links: list[Link] = []

    def follow(self, text: str, mentions: Sequence[Mention], seen: Observations, *, speech: bool = True) -> list[Link]:
        """All references of the chapter, in order of place; a pronoun without a likely meaning is left out.

        Without `speech` pronouns of direct speech are passed over.
        """
        named = _Named(mentions)
        sources: list[tuple[int, int, Mention | Phrase | Pronoun]] = [
            (mention.span.start, 0, mention) for mention in mentions
        ]
        sources += [(pronoun.offset, 1, pronoun) for pronoun in seen.references if speech or not pronoun.quoted]
        sources += [(phrase.head, 2, phrase) for phrase in seen.phrases if not named.within(phrase.head)]
        for _, _, source in sorted(sources, key=lambda item: item[:2]):
            if isinstance(source, Mention):
                self._name(source, text)
            elif isinstance(source, Phrase):
                self._phrase(source)
            else:
                self._pronoun(source, text)
        self.links.sort(key=lambda link: link.span)
        return self.links

    def _name(self, mention: Mention, text: str) -> None:
        figure = mention.figure
        chain = self._by_key.get(("figure", id(figure))) or self._of_figure(figure)
        chain.figure = figure
        subject = any(offset in self._subjects for offset in range(*mention.span))
        self._note(_with_article(mention.span, text), chain, subject, not mention.narrated, mention)
        for offset in range(*mention.span):
            self._at[offset] = chain

    def _of_figure(self, figure: Figure) -> Chain:
        """The chain of a figure at its first mention: "the old priest" may have been introduced as "a priest"."""
        key = ("figure", id(figure))
        if not figure.names:
            *modifiers, noun = figure.name.lower().removeprefix("the ").split()
            for chain in reversed(self._chains):
                if chain.noun == noun and not chain.plural and chain.figure is None and chain.agrees(modifiers):
                    self._by_key[key] = chain
                    return chain
            self._by_key[key] = self._new(figure.gender or _sex(noun), "PER", plural=False, noun=noun)
            return self._by_key[key]
        return self._keyed(key, figure.gender, sort_of_figure(figure), plural=_plural(figure))

    def _phrase(self, phrase: Phrase) -> None:
        chain = self._of_phrase(phrase)
        self._at[phrase.head] = chain
        chain.modifiers |= set(phrase.modifiers)
        self._note(phrase.span, chain, phrase.subject, self._speaking(phrase.head) is not None, phrase)

    def _of_phrase(self, phrase: Phrase) -> Chain:
        explained = self._at.get(phrase.appositive_of) if phrase.appositive_of is not None else None
        if explained is not None and (explained.plural, explained.sort) == (phrase.plural, phrase.sort):
            return explained
        gender = _sex(phrase.noun)
        if phrase.owner is not None and (owner := self._at.get(phrase.owner)) is not None:
            return self._keyed(("of", owner.number, phrase.noun, phrase.plural), gender, phrase.sort, phrase.plural)
        if phrase.definite:
            for chain in reversed(self._chains):
                if chain.noun == phrase.noun and chain.plural == phrase.plural and chain.agrees(phrase.modifiers):
                    return chain
        return self._new(gender, phrase.sort, phrase.plural, noun=phrase.noun)

    def _pronoun(self, pronoun: Pronoun, text: str) -> None:
        chain = self._meant(pronoun, text)
        if chain is not None:
            self._at[pronoun.offset] = chain
            span = Span(pronoun.offset, pronoun.offset + len(pronoun.word))
            self._note(span, chain, pronoun.subject, pronoun.quoted, pronoun)

    def _meant(self, pronoun: Pronoun, text: str) -> Chain | None:
        party = self._speaking(pronoun.offset) if pronoun.quoted else None
        word = pronoun.word
        if word in _FIRST:
            return self._person(party.speaker if party else self._narrator, ("i", party and party.turn))
        if word in _SECOND:
            return self._person(party.hearer if party else None, ("you", party and party.turn))
        if word in _WE:
            return self._keyed(("we", party and party.turn), "", "PER", plural=True)
        apart = self._apart(party)
        if word in _THEY:
            return best(self._chains, pronoun, "", text, plural=True, apart=apart)
        if word in MALE_PRONOUNS or word in FEMALE_PRONOUNS:
            gender: Gender = "male" if word in MALE_PRONOUNS else "female"
            chain = best(self._chains, pronoun, gender, text, plural=False, apart=apart)
            if chain is None:
                return self._new(gender, "PER", plural=False)
            chain.gender = chain.gender or gender
            return chain
        return None

    def _apart(self, party: Party | None) -> set[int]:
        """Whom the speaker cannot mean by "he" and "she": himself and the one he speaks to."""
        if party is None:
            chains = [self._by_key.get(("i", None)), self._figure(self._narrator)]
        else:
            chains = [self._by_key.get((word, party.turn)) for word in ("i", "you")]
            chains += [self._figure(party.speaker), self._figure(party.hearer)]
        return {chain.number for chain in chains if chain is not None}

    def _figure(self, figure: Figure | None) -> Chain | None:
        return self._by_key.get(("figure", id(figure))) if figure is not None else None

    def _person(self, figure: Figure | None, key: Hashable) -> Chain:
        if figure is None:
            return self._keyed(key, "", "PER", plural=False)
        chain = self._keyed(("figure", id(figure)), figure.gender, "PER", plural=False)
        chain.figure = figure
        return chain

    def _speaking(self, offset: int) -> Party | None:
        """Who speaks at an offset; offsets are asked for in rising order, but for a few words."""
        while self._party and self._parties[self._party - 1].span.end > offset:
            self._party -= 1
        while self._party < len(self._parties) and self._parties[self._party].span.end <= offset:
            self._party += 1
        if self._party < len(self._parties) and self._parties[self._party].span.start <= offset:
            return self._parties[self._party]
        return None

    def _keyed(self, key: Hashable, gender: Gender, sort: str, plural: bool) -> Chain:
        if key not in self._by_key:
            self._by_key[key] = self._new(gender, sort, plural)
        return self._by_key[key]

    def _new(self, gender: Gender, sort: str, plural: bool, noun: str = "") -> Chain:
        chain = Chain(len(self._chains), gender, sort, plural, noun)
        self._chains.append(chain)
        return chain

    def _note(self, span: Span, chain: Chain, subject: bool, quoted: bool, source: Mention | Phrase | Pronoun) -> None:
        chain.note(span, subject, quoted)
        self.links.append(Link(span, chain, source))


def form_of(link: Link) -> Form:
    if isinstance(link.source, Mention):
        return "name"
    return "description" if isinstance(link.source, Phrase) else "pronoun"


class _Named:
    """Where names stand, so that a description inside of one is not counted twice."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        self._places = {offset for mention in mentions for offset in range(*mention.span)}

    def within(self, offset: int) -> bool:
        return offset in self._places


def sort_of_figure(figure: Figure) -> str:
    """PER, ORG, or what sort of place the last word of a place's name says."""
    if figure.type == "character":
        return "PER"
    if figure.type == "group":
        return "PER" if figure.names and len(figure.names[0].tokens) == 1 else "ORG"
    for word in (figure.name.split()[-1].lower(), figure.name.split()[0].lower()):
        if NOUN_SORTS.get(word) in ("LOC", "FAC"):
            return NOUN_SORTS[word]
    return "GPE"


def _plural(figure: Figure) -> bool:
    return figure.type == "group"


def _sex(noun: str) -> Gender:
    if noun in _FEMALE or noun.endswith("woman"):
        return "female"
    return "male" if noun in _MALE or noun.endswith("man") else ""


def _with_article(span: Span, text: str) -> Span:
    """The name with an article or epithet before it: "the Thames", "old Orlov"."""
    found = _BEFORE_A_NAME.search(text, max(0, span.start - 16), span.start)
    return Span(found.start(), span.end) if found is not None else span
