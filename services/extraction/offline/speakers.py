"""Who says what to whom."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass

from services.extraction.offline.antecedents import Antecedents, Reference
from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import Mentions, figure_key
from services.extraction.offline.observations import Clause, Saying
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.tags import Tag, name_after, tag_after, verb_after
from services.extraction.offline.turns import Party, Turn, with_inferred_speakers
from services.extraction.offline.vocatives import is_vocative

_NEAR = 90
"""Code points of narration between a quotation and the verb of speech that belongs to it."""

_REACH = 2000
_TURNS_BACK = 4

_SENTENCE_END = re.compile(r"[.!?]\s")


@dataclass(frozen=True, slots=True)
class Utterance:
    """What one speaker says in one paragraph; `verb` is empty where nothing but the turn of speech tells the speaker."""

    quotes: tuple[Span, ...]
    speaker: Reference
    hearer: Reference | None
    verb: str


class Dialogue:
    """Attributes the quotations of a chapter, paragraph by paragraph.

    In order of trust: a verb of speech beside the quotation; the one person who acts in its paragraph; the turn, where two
    people alternate in paragraphs of nothing but speech.
    """

    def __init__(
        self,
        text: str,
        paragraphs: Sequence[Span],
        quotations: Quotations,
        sayings: Sequence[Saying],
        clauses: Sequence[Clause],
        mentions: Mentions,
        antecedents: Antecedents,
    ) -> None:
        self._text = text
        self._paragraphs = paragraphs
        self._quotations = quotations
        self._sayings = sorted(sayings, key=lambda saying: saying.offset)
        self._saying_starts = [saying.offset for saying in self._sayings]
        self._clauses = sorted(clauses, key=lambda clause: clause.predicate.start)
        self._clause_starts = [clause.predicate.start for clause in self._clauses]
        self._mentions = mentions
        self._figures = mentions.figures()
        self._antecedents = antecedents

    def utterances(self) -> list[Utterance]:
        turns = self._turns()
        return [
            Utterance(turn.quotes, turn.speaker, hearer, turn.verb)
            for turn, hearer in _with_hearers(turns)
            if turn.speaker is not None
        ]

    def parties(self) -> list[Party]:
        """Every quotation with its speaker and hearer, where they are known."""
        return [
            Party(quote, turn.index, _figure(turn.speaker), _figure(hearer))
            for turn, hearer in _with_hearers(self._turns())
            for quote in turn.quotes
        ]

    def _turns(self) -> list[Turn]:
        turns: list[Turn] = []
        for index, paragraph in enumerate(self._paragraphs):
            quotes = tuple(self._quotations.within(paragraph))
            if quotes:
                turns.append(self._turn(index, paragraph, quotes, turns))
        return with_inferred_speakers(turns)

    def _turn(self, index: int, paragraph: Span, quotes: tuple[Span, ...], turns: Sequence[Turn]) -> Turn:
        ends = [paragraph.start, *(quote.end for quote in quotes)]
        starts = [*(quote.start for quote in quotes[1:]), paragraph.end]
        for before, quote, after in zip(ends, quotes, starts, strict=False):
            saying = self._saying_beside(before, quote, after)
            if saying is not None:
                speaker = self._speaker(saying, index, turns)
                return Turn(index, quotes, speaker, self._addressed(quotes, speaker, saying), saying.verb, open=False)
        speaker = self._continued(index, turns) or self._announced(index) or self._actor(paragraph, quotes)
        only_speech = self._only_speech(paragraph, quotes)
        guess = self._acted_before(index) if speaker is None else None
        return Turn(index, quotes, speaker, self._addressed(quotes, speaker), "", open=only_speech, guess=guess)

    def _speaker(self, saying: Saying, index: int, turns: Sequence[Turn]) -> Reference | None:
        named = _a_character(self._antecedents.resolve(saying.subject, saying.pronoun))
        if named is not None:
            return named
        if saying.spouse:
            return self._spouse(saying)
        gender = {"he": "male", "she": "female"}.get(saying.pronoun)
        talking = _one_of_the_conversation(index, turns, gender) if gender else None
        likely = talking or _a_character(self._antecedents.likely(saying.subject))
        return likely or (self._of_this_sex(gender, saying.offset, turns) if gender else None)

    def _of_this_sex(self, gender: str, offset: int, turns: Sequence[Turn]) -> Reference | None:
        """Whoever of this sex spoke, was spoken to or was named last; not whoever spoke just before."""
        last = turns[-1].speaker.figure if turns and turns[-1].speaker else None
        talking = [r.figure for turn in reversed(turns[-_TURNS_BACK:]) for r in (turn.speaker, turn.addressed) if r]
        named = [m.figure for m in reversed(self._mentions.within(max(0, offset - _REACH), offset))]
        for figure in (*talking, *named):
            if figure is not last and figure.type == "character" and figure.gender in (gender, ""):
                return Reference(figure, 0.35)
        return None

    def _announced(self, index: int) -> Reference | None:
        """Whoever the paragraph before says is about to speak: ‘… and said:’."""
        before = self._paragraphs[index - 1] if index else Span(0, 0)
        if self._text[before.start : before.end].rstrip("—-")[-1:] != ":":
            return None
        sayings = self._sayings_in(*before)
        return _a_character(self._antecedents.resolve(sayings[-1].subject, sayings[-1].pronoun)) if sayings else None

    def _acted_before(self, index: int) -> Reference | None:
        """Whoever did something last in a paragraph of narration right before the speech."""
        before = self._paragraphs[index - 1] if index else Span(0, 0)
        if self._quotations.within(before):
            return None
        low, high = (bisect_left(self._clause_starts, offset) for offset in before)
        for clause in reversed(self._clauses[low:high]):
            for subject in clause.subjects:
                reference = _a_character(self._antecedents.resolve(subject, clause.pronoun))
                reference = reference or _a_character(self._antecedents.likely(subject))
                if reference is not None:
                    return Reference(reference.figure, 0.4)
        return None

    def _spouse(self, saying: Saying) -> Reference | None:
        """ "His wife" after "Mr. Bennet": the Mrs. Bennet of the chapter, if it has one."""
        for mention in reversed(self._mentions.within(max(0, saying.offset - _REACH), saying.offset)):
            figure = mention.figure
            titles = {name.title for name in figure.names}
            wanted = "mr" if "mrs" in titles else "mrs" if titles & {"mr", "dr"} else ""
            partners = [
                other
                for other in self._figures
                if wanted and any(name.title == wanted and name.rest[-1:] == figure.full[-1:] for name in other.names)
            ]
            if len(partners) == 1:
                return Reference(partners[0], 0.6)
        return None

    def _saying_beside(self, before: int, quote: Span, after: int) -> Saying | None:
        """The verb of speech in the narration between this quotation and the next, else between it and the last."""
        tagged = self._tagged(quote.end, after)
        if tagged is not None:
            return tagged
        for saying in self._sayings_in(quote.end, min(after, quote.end + _NEAR)):
            if not _SENTENCE_END.search(self._text, quote.end, saying.offset):
                return saying
        for saying in reversed(self._sayings_in(max(before, quote.start - 2 * _NEAR), quote.start)):
            between = self._text[saying.offset : quote.start]
            if between.rstrip().endswith((",", ":", "—", ":—")) and not _SENTENCE_END.search(between):
                return saying
        return None

    def _tagged(self, start: int, end: int) -> Saying | None:
        """What the very words after a quotation say, where they name a figure or are a pronoun."""
        tag = tag_after(self._text, start, end)
        if tag is None:
            name = name_after(self._text, start, end)
            mention = self._mentions.at(name) if name is not None else None
            verb = verb_after(self._text, mention.span.end, end) if mention is not None else None
            tag = Tag(*verb, mention.span.start, "") if mention is not None and verb is not None else None
        if tag is None or not (tag.pronoun or self._mentions.at(tag.subject)):
            return None
        parsed = next(iter(self._sayings_in(tag.offset, tag.offset + 1)), None)
        hearer = parsed.hearer if parsed is not None and parsed.hearer != tag.subject else None
        return Saying(tag.verb, tag.offset, tag.subject, tag.pronoun, hearer, spouse=False)

    def _sayings_in(self, start: int, end: int) -> list[Saying]:
        return self._sayings[bisect_left(self._saying_starts, start) : bisect_left(self._saying_starts, end)]

    def _continued(self, index: int, turns: Sequence[Turn]) -> Reference | None:
        """Speech that the paragraph before left open goes on."""
        if not turns or turns[-1].index != index - 1 or turns[-1].speaker is None:
            return None
        last = turns[-1].quotes[-1]
        open_end = last.end == self._paragraphs[index - 1].end and self._text[last.end - 1] not in "”»\"’'」』"
        return turns[-1].speaker if open_end else None

    def _actor(self, paragraph: Span, quotes: Sequence[Span]) -> Reference | None:
        """The only person who does anything in the narration of the paragraph."""
        found: dict[str, Reference] = {}
        low, high = bisect_left(self._clause_starts, paragraph.start), bisect_left(self._clause_starts, paragraph.end)
        for clause in self._clauses[low:high]:
            for subject in clause.subjects:
                reference = _a_character(self._antecedents.resolve(subject, clause.pronoun))
                if reference is not None:
                    found.setdefault(figure_key(reference.figure), reference)
        narration = paragraph.end - paragraph.start - sum(quote.end - quote.start for quote in quotes)
        if len(found) != 1 or narration > 400:
            return None
        reference = next(iter(found.values()))
        return Reference(reference.figure, round(0.75 * reference.confidence, 2))

    def _only_speech(self, paragraph: Span, quotes: Sequence[Span]) -> bool:
        return paragraph.end - paragraph.start - sum(quote.end - quote.start for quote in quotes) < 4

    def _addressed(
        self, quotes: Sequence[Span], speaker: Reference | None, saying: Saying | None = None
    ) -> Reference | None:
        """Whom the verb of speech, or a name inside the speech, says it is meant for."""
        himself = speaker.figure if speaker is not None else None
        if saying is not None and saying.hearer is not None:
            hearer = _a_character(self._antecedents.named(saying.hearer))
            if hearer is not None and hearer.figure is not himself:
                return hearer
        for quote in quotes:
            for mention in self._mentions.within(*quote):
                if mention.figure is not himself and is_vocative(self._text, mention, quote):
                    return Reference(mention.figure, 0.75)
        return None


def _figure(reference: Reference | None) -> Figure | None:
    return reference.figure if reference is not None else None


def _a_character(reference: Reference | None) -> Reference | None:
    return reference if reference is not None and reference.figure.type == "character" else None


def _one_of_the_conversation(index: int, turns: Sequence[Turn], gender: str) -> Reference | None:
    """The one of this sex who spoke or was addressed a few turns ago; not whoever spoke just before."""
    found: dict[int, Figure] = {}
    for turn in turns[-_TURNS_BACK:]:
        for reference in (turn.speaker, turn.addressed):
            if reference is not None and reference.figure.gender == gender and index - turn.index <= 2 * _TURNS_BACK:
                found[id(reference.figure)] = reference.figure
    if turns and turns[-1].speaker is not None and turns[-1].index == index - 1:
        found.pop(id(turns[-1].speaker.figure), None)
    return Reference(next(iter(found.values())), 0.55) if len(found) == 1 else None


def _with_hearers(turns: Sequence[Turn]) -> list[tuple[Turn, Reference | None]]:
    before: list[Turn | None] = [None, *turns][: len(turns)]
    return [(turn, _hearer(turn, last)) for last, turn in zip(before, turns, strict=True)]


def _hearer(turn: Turn, last: Turn | None) -> Reference | None:
    """Who is addressed, by name or else because the turn before was theirs."""
    if turn.addressed is not None or turn.speaker is None:
        return turn.addressed
    if last is None or last.speaker is None or last.index < turn.index - 2:
        return None
    if last.speaker.figure is turn.speaker.figure:
        return None
    return Reference(last.speaker.figure, round(0.6 * last.speaker.confidence, 2))


def speakers_of(utterances: Sequence[Utterance]) -> list[tuple[int, Figure]]:
    """Where each utterance begins and who is sure enough to be counted as present by it."""
    return [(u.quotes[0].start, u.speaker.figure) for u in utterances if u.speaker.confidence >= 0.5]
