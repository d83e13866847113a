"""Who answers to a name bears it: “Are you well, Mrs. Orlov?” – “Quite,” said Louisa, and again.

The narration often has another name for somebody than those who speak: a wife keeps her given name, a Miss is Ida.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from services.extraction.offline.company import Company
from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mention, Mentions
from services.extraction.offline.names import Name
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.vocatives import is_vocative

_FORMAL: Final = frozenset(("mr", "mrs", "miss", "dr"))
_LEAST: Final = 2
"""Answers that make somebody the bearer of what he answers to."""
_MOST: Final = 0.75
"""The share of all answers to a name by somebody named that are his, at least."""


def with_answers(
    text: str,
    paragraphs: Sequence[Span],
    figures: list[Figure],
    mentions: Mentions,
    speech: Quotations,
    seen: Observations,
    company: Company,
) -> list[Figure]:
    """The figures, those known by title and surname alone joined with whoever answers to it; the same list if none.

    It takes two answers and three of four, by somebody whose given name the narration uses; where the narration has anybody
    answer under the title, or names both in one breath, they are two.
    """
    answers = _answers(text, paragraphs, mentions, speech, seen)
    places = {id(figure): figure for figure in figures}
    joined: set[int] = set()
    for called, answered in sorted(answers.items(), key=lambda item: places[item[0]].name if item[0] in places else ""):
        (bearer, count), *_ = answered.most_common(1)
        if called not in places or bearer not in places or called in joined or bearer in joined:
            continue
        one, other = places[called], places[bearer]
        if count < _LEAST or count < _MOST * answered.total() or called in answered or not _may_be(one, other, company):
            continue
        other.names += one.names
        other.surfaces += one.surfaces
        other.derived += tuple(form for form in one.derived if form not in other.derived)
        other.gender = other.gender or one.gender
        joined.add(called)
    return [figure for figure in figures if id(figure) not in joined] if joined else figures


def _answers(
    text: str, paragraphs: Sequence[Span], mentions: Mentions, speech: Quotations, seen: Observations
) -> dict[int, Counter[int]]:
    """For each figure that is called by a title and a surname, who is said to speak next, how often."""
    starts = [paragraph.start for paragraph in paragraphs]
    speakers: defaultdict[int, set[int]] = defaultdict(set)
    for saying in seen.sayings:
        speaker = mentions.at(saying.subject)
        if speaker is not None and speaker.narrated:
            speakers[bisect_right(starts, saying.offset) - 1].add(id(speaker.figure))
    spoken = {bisect_right(starts, quote.start) - 1 for quote in speech.spans}
    found: defaultdict[int, Counter[int]] = defaultdict(Counter)
    for number, called in _calls(text, starts, mentions, speech):
        after = speakers.get(number + 1, set()) if number + 1 in spoken else set()
        if len(after) == 1 and not after & speakers.get(number, set()):
            found[id(called.figure)].update(after)
    return found


def _calls(text: str, starts: Sequence[int], mentions: Mentions, speech: Quotations) -> Iterator[tuple[int, Mention]]:
    for quote in speech.spans:
        for mention in mentions.within(*quote):
            if is_vocative(text, mention, quote):
                yield bisect_right(starts, quote.start) - 1, mention


def _may_be(called: Figure, bearer: Figure, company: Company) -> bool:
    """Whether a title with a surname may be that of one whom the chapter knows by a given name."""
    if called.ambiguous or bearer.ambiguous or len({called.type, bearer.type}) > 1:
        return False
    if called.gender and bearer.gender and called.gender != bearer.gender:
        return False
    formal = [name for name in called.names if name.title in _FORMAL and len(name.rest) == 1]
    if not formal or len(formal) < len(called.names) or any(company.apart(name, bearer) for name in formal):
        return False
    return _goes_with(formal[0], bearer)


def _goes_with(name: Name, bearer: Figure) -> bool:
    """Whether the bearer has no surname in the chapter, the same, or, being a wife, that of her family."""
    given = any(not other.titles and len(other.rest) == 1 and other.votes.told for other in bearer.names)
    titles = {other.title for other in bearer.names} & _FORMAL
    if not given or titles - {name.title}:
        return False
    return len(bearer.full) == 1 or bearer.full[-1] == name.rest[0] or name.title == "mrs"
