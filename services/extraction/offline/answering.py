"""Who answers to a name bears it: “Are you well, Mrs. Orlov?” – “Quite,” said Louisa, and again.

The narration often has another name for somebody than those who speak: a wife keeps her given name, a Miss is Ida, a friend has a
name of his own for him, and the clerk is known as such.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from services.extraction.offline.company import Company
from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import ANYBODY, GIVEN_NAMES
from services.extraction.offline.mentions import Mention, Mentions
from services.extraction.offline.names import Name
from services.extraction.offline.nicknames import short_for
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.vocatives import is_vocative

_FORMAL: Final = frozenset(("mr", "mrs", "miss", "dr"))
_LEAST: Final = 2
"""Answers that make somebody the bearer of what he answers to; one is enough beside two that are less sure."""
_MOST: Final = 0.75
"""The share of all answers to a name by somebody named that are his, at least."""
_HARDLY: Final = 10
"""Of so many uses of a name that belongs to those who speak one may be the narration's."""
_TELLER: Final = 0
"""Stands for whoever says "I" in the narration."""


@dataclass(slots=True)
class _Answers:
    """Who answers to a name: surely, where he speaks next or is said to be spoken to; else where he spoke before."""

    sure: Counter[int] = field(default_factory=Counter)
    maybe: Counter[int] = field(default_factory=Counter)

    def bearer(self, *, formal: bool) -> int | None:
        """The one who answers often enough, and nearly alone; brothers share a title and surname, so that of these all are sure."""
        votes = self.sure if formal else self.sure + self.maybe
        for one, count in votes.most_common(1):
            enough = self.sure[one] >= _LEAST or (self.sure[one] and count > _LEAST)
            return one if enough and count >= _MOST * votes.total() else None
        return None

    def described(self, called: int) -> int | None:
        """Whoever answers three times to the name of `called`, where nobody else does but its bearer, and he does."""
        both = self.sure + self.maybe
        others = [one for one in both if one != called]
        if called in both and len(others) == 1 and self.sure[others[0]] and both[others[0]] > _LEAST:
            return others[0]
        return None


def with_answers(
    text: str,
    paragraphs: Sequence[Span],
    figures: list[Figure],
    mentions: Mentions,
    speech: Quotations,
    seen: Observations,
    company: Company,
) -> list[Figure]:
    """The figures, those whom only speakers call so joined with whoever answers to it; the same list if none.

    It takes two sure answers, or for what friends say one with two that are less so, and three of four; where the narration has anybody
    answer under the name, or names both in one breath, they are two.
    """
    answers = _answers(text, paragraphs, mentions, speech, seen)
    places = {id(figure): figure for figure in figures}
    joined: set[int] = set()
    for called, answered in sorted(answers.items(), key=lambda item: places[item[0]].name if item[0] in places else ""):
        if called not in places:
            continue
        bearer = answered.bearer(formal=_is_formal(places[called]))
        if bearer not in places or {called, bearer} & joined:
            continue
        if called in answered.sure or not _may_be(places[called], places[bearer], company):
            continue
        _take_up(places[bearer], places[called])
        joined.add(called)
    for called, answered in answers.items():
        described = answered.described(called)
        if called not in places or described not in places or {called, described} & joined:
            continue
        if _goes_by(places[described], places[called]):
            _describe(places[called], places[described])
            joined.add(described)
    return [figure for figure in figures if id(figure) not in joined] if joined else figures


def _take_up(bearer: Figure, called: Figure) -> None:
    """Joins what somebody is called with whoever answers to it.

    A form of it that nobody has used may be another's: whom a friend calls Tom Orlov has a son whom everybody calls Tom.
    """
    bearer.names += called.names
    bearer.surfaces += called.surfaces
    if _is_formal(called):
        bearer.derived += tuple(form for form in called.derived if form not in bearer.derived)
    bearer.gender = bearer.gender or called.gender


def _goes_by(described: Figure, called: Figure) -> bool:
    """Whether somebody who is only described may be one who has a name."""
    if described.names or not called.names or called.ambiguous or {called.type, described.type} != {"character"}:
        return False
    return not (called.gender and described.gender) or called.gender == described.gender


def _describe(called: Figure, described: Figure) -> None:
    """Joins a description with whoever answers under it; what may be said of anybody is his in this chapter alone."""
    called.surfaces += described.surfaces
    called.gender = called.gender or described.gender
    if described.name.split()[-1] not in ANYBODY or len(described.name.split()) > 2:
        called.epithets.append(described.name)


def _answers(
    text: str, paragraphs: Sequence[Span], mentions: Mentions, speech: Quotations, seen: Observations
) -> dict[int, _Answers]:
    """For each figure that is called by name, who is said to speak next, to be spoken to, and to have spoken before."""
    starts = [paragraph.start for paragraph in paragraphs]
    speakers: defaultdict[int, set[int]] = defaultdict(set)
    hearers: defaultdict[int, set[int]] = defaultdict(set)
    for saying in seen.sayings:
        number = bisect_right(starts, saying.offset) - 1
        speaker = mentions.at(saying.subject)
        if saying.pronoun == "i":
            speakers[number].add(_TELLER)
        elif speaker is not None and speaker.narrated:
            speakers[number].add(id(speaker.figure))
        hearer = mentions.at(saying.hearer) if saying.hearer is not None else None
        if hearer is not None and hearer.narrated:
            hearers[number].add(id(hearer.figure))
    spoken = {bisect_right(starts, quote.start) - 1 for quote in speech.spans}
    found: defaultdict[int, _Answers] = defaultdict(_Answers)
    for number, called in _calls(text, starts, mentions, speech):
        answers, here = found[id(called.figure)], speakers.get(number, set())
        for beside, votes in ((number + 1, answers.sure), (number - 1, answers.maybe)):
            others = speakers.get(beside, set()) if beside in spoken else set()
            if len(others) == 1 and not others & here:
                votes.update(others)
        spoken_to = hearers.get(number, set()) - here  # “…?” asked Tomas: the parser may have him asked
        if len(spoken_to) == 1:
            answers.sure.update(spoken_to)
    return found


def _calls(text: str, starts: Sequence[int], mentions: Mentions, speech: Quotations) -> Iterator[tuple[int, Mention]]:
    for quote in speech.spans:
        for mention in mentions.within(*quote):
            if is_vocative(text, mention, quote):
                yield bisect_right(starts, quote.start) - 1, mention


def _is_formal(called: Figure) -> bool:
    """Whether speakers have title and surname for somebody, and the chapter nothing else."""
    return all(name.title in _FORMAL and len(name.rest) == 1 for name in called.names)


def _may_be(called: Figure, bearer: Figure, company: Company) -> bool:
    """Whether what speakers call somebody may be the name of one whom the narration calls otherwise."""
    if called.ambiguous or bearer.ambiguous or {called.type, bearer.type} != {"character"} or not called.names:
        return False
    if called.gender and bearer.gender and called.gender != bearer.gender:
        return False
    if not bearer.names or any(company.apart(name, bearer) for name in called.names):
        return False
    if _is_formal(called):
        return _goes_with(called.names[0], bearer)
    return called.gender == bearer.gender != "" and _among_friends(called) and _agree(called, bearer)


def _among_friends(called: Figure) -> bool:
    """Whether hardly anybody but speakers has the name, which begins with a given name."""
    told, uses = (sum(getattr(name.votes, count) for name in called.names) for count in ("told", "total"))
    return _HARDLY * told <= uses and called.full[0].lower() in GIVEN_NAMES and not any(n.titles for n in called.names)


def _agree(called: Figure, bearer: Figure) -> bool:
    """Whether two names may be of one person: neither has a given name or a surname that the other contradicts."""
    surnames = {name.rest[-1] for name in bearer.names if name.title or len(name.rest) > 1}
    if len(called.full) > 1 and surnames and called.full[-1] not in surnames:
        return False
    given = {name.rest[0].lower() for name in bearer.names if len(name.rest) > 1 or not name.title}
    own = called.full[0].lower()
    known = {word for word in given if word in GIVEN_NAMES}
    return not known or any(own == word or own in short_for(word) or word in short_for(own) for word in known)


def _goes_with(name: Name, bearer: Figure) -> bool:
    """Whether the bearer has no surname in the chapter, the same, or, being a wife, that of her family."""
    given = any(not other.titles and len(other.rest) == 1 and other.votes.told for other in bearer.names)
    titles = {other.title for other in bearer.names} & _FORMAL
    if not given or titles - {name.title}:
        return False
    return len(bearer.full) == 1 or bearer.full[-1] == name.rest[0] or name.title == "mrs"
