"""The offline extractor: records from a chapter by rules and a small parser, without network or key.

It states what rules can support and nothing else: who and where is named, who acts and speaks in which scene, what happens
clause by clause, who speaks to whom, and arrivals at named places. Every confidence is below 1.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence

from services.extraction.offline.answering import with_answers
from services.extraction.offline.antecedents import Antecedents
from services.extraction.offline.attendance import Attendance
from services.extraction.offline.capitals import plain, without_figures_of_speech
from services.extraction.offline.cast import cast
from services.extraction.offline.chains import Chains, form_of
from services.extraction.offline.company import Company
from services.extraction.offline.deltas import Ground, changes
from services.extraction.offline.figures import Figure
from services.extraction.offline.kindred import with_kindred
from services.extraction.offline.language import capitals_mark_names, parsed_language
from services.extraction.offline.mentions import Mention, Mentions, assign_genders, figure_key, find_mentions
from services.extraction.offline.names import KnownEntity, by_spelling, names
from services.extraction.offline.namesakes import Namesakes, tell_the_young
from services.extraction.offline.narrators import is_told_by_one, narrators, vote_for_headings
from services.extraction.offline.observations import Observations
from services.extraction.offline.offices import with_offices
from services.extraction.offline.paragraphs import Span, is_heading, paragraphs
from services.extraction.offline.plot import plot
from services.extraction.offline.quotations import Quotations, quotations
from services.extraction.offline.reading import Reading, Reference
from services.extraction.offline.renamings import with_renamed
from services.extraction.offline.revealed import vote_for_the_named, with_revealed
from services.extraction.offline.scenes import is_break, scenes
from services.extraction.offline.sidecar import Record, Sidecar, place_of
from services.extraction.offline.speakers import Dialogue
from services.extraction.offline.unparsed import capital_names


class OfflineExtractor:
    """Extracts sidecar records; keeps nothing between calls, so that a chapter's records follow from the arguments alone.

    Works in chunks of about 20,000 code points, so that memory stays bounded for the longest chapter.
    """

    name = "offline"
    version = "7"

    def extract(
        self, text: str, *, chapter: int, language: str = "en", known: Sequence[KnownEntity] = ()
    ) -> list[Record]:
        """The records of one chapter in story order within each kind; none for a text without prose.

        `known` are the entities of earlier chapters and decides names only. Evidence offsets are code points of `text`.
        In a language without parser only names are reported, with low confidence.
        """
        study = self.study(text, language=language, known=known)
        return study.records() if study is not None else _unparsed(text, language)

    def read(self, text: str, *, language: str = "en") -> Reading:
        """All references and happenings of a chapter, most of which make no record; none in a language without parser."""
        study = self.study(text, language=language)
        return study.reading() if study is not None else Reading()

    def study(self, text: str, *, language: str = "en", known: Sequence[KnownEntity] = ()) -> Study | None:
        """What `extract` and `read` both rest on, parsed once; None without prose and in a language without parser."""
        prose = _prose(text)
        code = parsed_language(text, language)
        if code is None or not prose:
            return None
        # spaCy is heavy, and publishing chapters that come with records never needs it
        from services.extraction.offline.parsing import read

        speech = quotations(text, prose)
        seen = read(text, code, prose, speech)
        return Study(text, prose, scenes(text, paragraphs(text)), speech, seen, known)


class Study:
    """A chapter read: the steps after the parsing, in order: cast, mentions, speech, plot; then its records or references, once."""

    def __init__(
        self,
        text: str,
        prose: Sequence[Span],
        sections: Sequence[Span],
        speech: Quotations,
        seen: Observations,
        known: Sequence[KnownEntity],
    ) -> None:
        vote_for_headings(text, prose, seen)
        vote_for_the_named(text, seen)
        spelt = by_spelling(known)
        called = names(plain(seen.runs, seen.openers, spelt), seen.lower, spelt)
        called = without_figures_of_speech(called, seen.words, spelt)
        people = [name for name in called if name.type == "character"]
        company = Company.of(text, people, speech, seen.sayings)
        namesakes = Namesakes.of(text, people, speech)
        self._figures = cast(called, seen.descriptions, known, company, namesakes, _uses(seen))
        tell_the_young(text, self._figures)
        self._mentions = find_mentions(text, self._figures, speech)
        if is_told_by_one(text, prose, speech, seen):
            self._figures = with_kindred(text, self._figures, self._mentions, speech)
            self._mentions = find_mentions(text, self._figures, speech)
        self._take(text, with_revealed(text, self._figures, self._mentions), speech)
        self._take(text, with_renamed(text, self._figures, self._mentions), speech)
        self._take(text, with_answers(text, prose, self._figures, self._mentions, speech, seen, company), speech)
        self._take(text, with_offices(text, self._figures, self._mentions), speech)
        assign_genders(self._mentions, seen.pronouns, text)
        tellers = narrators(text, prose, self._mentions, speech, seen)
        if tellers.also:
            self._figures = [figure for figure in self._figures if all(figure is not other for other in tellers.also)]
            self._mentions = find_mentions(text, self._figures, speech)
        subjects = [head for clause in seen.clauses for head in clause.subjects]
        references = Antecedents(self._mentions, tellers, prose, subjects, _chained(text, self._mentions, seen))
        self._teller = _in_person(tellers.unnamed, seen)
        dialogue = Dialogue(text, prose, speech, seen, self._mentions.including(self._teller), references)
        self._dialogue = dialogue
        self._utterances = dialogue.utterances()
        self._seen = seen
        self._plot = plot(text, seen.clauses, speech, references, tellers)
        ground = Ground(text, seen.clauses, seen.standings, speech, self._mentions, references)
        self._changes = changes(ground, self._utterances)
        self._text = text
        self._prose = prose
        self._sections = sections
        self._sidecar = Sidecar(text, sections)

    def _take(self, text: str, figures: list[Figure], speech: Quotations) -> None:
        """Goes on with these figures; steps that changed nothing give back the same list."""
        if figures is not self._figures:
            self._figures = figures
            self._mentions = find_mentions(text, figures, speech)

    def records(self) -> list[Record]:
        self._entities()
        self._situations()
        for deed in self._plot.deeds:
            self._sidecar.deed(deed)
        for utterance in self._utterances:
            self._sidecar.utterance(utterance)
        for arrival in self._plot.arrivals:
            self._sidecar.presence(arrival)
        for change in self._changes:
            self._sidecar.change(change)
        return self._sidecar.records

    def reading(self) -> Reading:
        chains = Chains(self._dialogue.parties(), None, self._seen.subjects)
        links = chains.follow(self._text, self._mentions.all, self._seen)
        return Reading(
            tuple(
                Reference(
                    link.span,
                    link.chain.sort,
                    form_of(link),
                    link.chain.number,
                    link.chain.figure.name if link.chain.figure is not None else "",
                )
                for link in links
            ),
            tuple(sorted(self._seen.happenings)),
        )

    def _entities(self) -> None:
        found = self._mentions.by_figure()
        for figure in self._figures:
            mentions = found.get(figure_key(figure))
            # a name that several people bear is nobody's: it stays as it is written where it is used
            if mentions and not figure.ambiguous:
                self._sidecar.entity(figure, mentions)
        for mention in self._teller:
            if figure_key(mention.figure) not in found:
                self._sidecar.entity(mention.figure, [mention])

    def _situations(self) -> None:
        attendance = Attendance(self._plot.acting, self._utterances, self._mentions)
        for number, scene in enumerate(self._sections, start=1):
            inside = attendance.of(scene)
            self._sidecar.situation(
                number, _opening(self._text, scene, self._prose), inside, place_of(scene, self._plot.arrivals)
            )


def _in_person(narrator: Figure | None, seen: Observations) -> list[Mention]:
    """The first "I" of the narration, where the narrator has no name to be mentioned by."""
    places = [p.offset for p in seen.references if p.word == "i" and not p.quoted] if narrator is not None else []
    return [Mention(Span(min(places), min(places) + 1), narrator, narrated=True)] if narrator and places else []


def _uses(seen: Observations) -> Counter[str]:
    """How often a chapter has each plain description ("the king")."""
    plain_ones = (p for p in seen.phrases if p.definite and not p.plural and not p.modifiers)
    return Counter(f"the {phrase.noun}" for phrase in plain_ones)


def _chained(text: str, mentions: Mentions, seen: Observations) -> dict[int, Figure]:
    """Whom the words of the narration are taken for before it is known who speaks."""
    links = Chains((), None, seen.subjects).follow(text, mentions.all, seen, speech=False)
    return {link.offset: link.chain.figure for link in links if link.chain.figure is not None}


def _opening(text: str, scene: Span, prose: Sequence[Span]) -> Span:
    """The first paragraph of a scene that is no heading; the first of all where there is nothing else."""
    low, high = (bisect_left(prose, (offset, 0)) for offset in scene)
    return next((span for span in prose[low:high] if not is_heading(text, span)), prose[low])


def _prose(text: str) -> list[Span]:
    return [span for span in paragraphs(text) if not is_break(text, span)]


def _unparsed(text: str, language: str) -> list[Record]:
    prose = _prose(text)
    if not prose:
        return []
    sections = scenes(text, paragraphs(text))
    sidecar = Sidecar(text, sections)
    figures: list[Figure] = capital_names(text, prose) if capitals_mark_names(language) else []
    found = find_mentions(text, figures, quotations(text, prose)).by_figure()
    for figure in figures:
        if figure_key(figure) in found:
            sidecar.entity(figure, found[figure_key(figure)])
    for number, scene in enumerate(sections, start=1):
        sidecar.situation(number, _opening(text, scene, prose), [], None)
    return sidecar.records
