"""Which words of the narration say who speaks which quotation of a paragraph."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from services.extraction.offline.mentions import Mentions
from services.extraction.offline.observations import Observations, Saying
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.tags import Tag, name_after, tag_after, verb_after, verbs_within, whose_words

_NEAR = 110
"""Code points between the end of a quotation and the verb of speech that belongs to it."""
_FAR = 320
"""Code points between a verb of speech and the quotation that it announces."""
_SENTENCE_END = re.compile(
    r"(?<!\bMr)(?<!\bMrs)(?<!\bMs)(?<!\bDr)(?<!\bSt)(?<!\bM)(?<!\bMme)(?<!\bMlle)(?<!\bCapt)(?<!\bCol)(?<!\bRev)(?<!\b[A-Z])"
    r"[.!?][\"”’')\]]*\s"
)
_ANNOUNCES = re.compile(r"[\w,:—–-]\s*[(\[]?\s*$")
_AND_ADVERBS = r"(?:(?:and|but|then|at\s+last|at\s+once|again|now|had|soon|afterwards|presently|only|even|\w+ly)\s+)*"
_CLAUSE_START = re.compile(
    r"(?:[;:—]|--|,\s+(?:and|but|for|while|when|so|till|until|as|yet|or)\b)\s*"
    + _AND_ADVERBS
    + r"(?:the\s+(?=[A-Z]))?(?=\w)"
)
_TO_VERB = re.compile(r"(?:\s*,[^,;.]*,)?\s+" + _AND_ADVERBS)
_WHO = re.compile(
    r",\s+who(?:,[^,;.]*,)?\s+(?:[^,;.]*,?\s+and\s+(?:then\s+)?)?"
    + _AND_ADVERBS
    + r"(?:(?:would|could|did|might)\s+)?(?:only\s+)?\Z"
)
_NOMINATIVE = re.compile(r"(?:he|she|it|I|they|we)(?![\w’'])", re.IGNORECASE)
_SUBORDINATE = re.compile(
    r"\b(?:if|as|than|when|which|that|whom|because|though|since|until|before|after|where|what|how|why|what\s+an?\s+\w+)\s+\Z"
)
"""What makes a clause part of another, whose subject goes on speaking: "Mara, more angry than if she had lost it, cried"."""
_SAID_SO = re.compile(r"\b(?:so|that|this|it)\s*,\s*$")


@dataclass(frozen=True, slots=True)
class Spoken:
    """Quotations of one paragraph that one person speaks, and what says who: None where nothing beside them does."""

    quotes: tuple[Span, ...]
    cue: Saying | None
    told_before: bool
    """Some narration stands between these and the quotation before in the paragraph."""


class Cues:
    """Finds the cues of a chapter's quotations, paragraph by paragraph."""

    def __init__(self, text: str, seen: Observations, mentions: Mentions) -> None:
        self._text = text
        self._mentions = mentions
        self._sayings = sorted(seen.sayings, key=lambda saying: saying.offset)
        self._saying_starts = [saying.offset for saying in self._sayings]
        self._subjects = frozenset(seen.subjects)
        self._subject_places = sorted(seen.subjects)
        self._people = frozenset(phrase.head for phrase in seen.phrases if phrase.sort == "PER")
        self._pronouns = sorted((p.offset, p.word) for p in seen.references if p.subject and not p.quoted)

    def of(self, paragraph: Span, quotes: Sequence[Span], before: Span | None) -> list[Spoken]:
        """The quotations of a paragraph by speaker; `before` is the narration at the end of the paragraph before it."""
        gaps = [Span(paragraph.start, quotes[0].start)]
        gaps += [Span(a.end, b.start) for a, b in pairwise(quotes)]
        gaps.append(Span(quotes[-1].end, paragraph.end))
        result: list[Spoken] = []
        for number, quote in enumerate(quotes):
            head = self._head(gaps[number])
            if head is None and number == 0 and before is not None and not self._words(gaps[0]):
                head = self._head(before)
            tail = self._tail(quote, gaps[number + 1])
            told = self._words(gaps[number])
            taken = result[-1].cue.offset if result and result[-1].cue is not None else -1
            # "Mara said, “…,” and Tomas answered, “…”": what announces a quotation goes before what follows it
            cue = head if head is not None and head.offset > taken else tail or head
            same = cue is None or (result and result[-1].cue is not None and result[-1].cue.offset == cue.offset)
            if result and same and (told or cue is not None):
                result[-1] = replace(result[-1], quotes=(*result[-1].quotes, quote))
            else:
                result.append(Spoken((quote,), cue, told))
        return result

    def _words(self, gap: Span) -> bool:
        return any(c.isalpha() for c in self._text[gap.start : gap.end])

    def _tail(self, quote: Span, gap: Span) -> Saying | None:
        """The verb of speech after a quotation, in the sentence that the quotation is part of."""
        tagged = self._tagged(gap)
        if tagged is not None:
            return tagged
        if self._text[quote.end - 2 : quote.end - 1] == "." and self._text[gap.start : gap.end].lstrip()[:1].isupper():
            return None
        end = self._first_end(gap)
        for saying in self._sayings_in(gap.start, min(end, gap.start + _NEAR)):
            return saying
        return None

    def _head(self, gap: Span) -> Saying | None:
        """The verb of speech that announces the quotation after `gap`."""
        if not _ANNOUNCES.search(self._text, max(gap.start, gap.end - 8), gap.end):
            return None
        start = max(self._last_start(gap), gap.end - _FAR)
        if _SAID_SO.search(self._text, start, gap.end):
            return None
        name = whose_words(self._text, start, gap.end)
        owner = self._mentions.at(name - 1) if name is not None and name > start else None
        if owner is not None and owner.figure.type == "character":
            return Saying("say", gap.end - 1, owner.span.start, "", None, spouse=False)
        parsed = self._sayings_in(start, gap.end)
        spelt = [verb for verb in verbs_within(self._text, start, gap.end) if not self._mentions.at(verb[1])]
        if parsed and (not spelt or parsed[-1].offset >= spelt[-1][1]):
            return self._nearest(start, parsed[-1])
        for verb, offset in reversed(spelt):
            found = self._opening_subject(start, offset) or self._subject(start, offset)
            if found is not None:
                return Saying(verb, offset, found[0], found[1], None, spouse=False)
        if parsed:
            return parsed[-1]
        found = self._subject(start, gap.end) if self._text[start : gap.end].rstrip("— -\n")[-1:] == ":" else None
        return Saying("", gap.end - 1, found[0], found[1], None, spouse=False) if found is not None else None

    def _nearest(self, start: int, saying: Saying) -> Saying:
        """The saying with the subject of its own clause, where the parser went past that or took another word for it."""
        found = self._opening_subject(start, saying.offset)
        if not saying.pronoun and not self._is_somebody(saying.subject) and saying.subject < saying.offset:
            found = found or self._subject(start, saying.offset)
        elif found is not None and found[0] <= saying.subject:
            return saying
        return replace(saying, subject=found[0], pronoun=found[1], spouse=False) if found is not None else saying

    def _is_somebody(self, offset: int) -> bool:
        return offset in self._people or self._mentions.at(offset) is not None or self._text[offset].isupper()

    def _opening_subject(self, start: int, verb: int) -> tuple[int, str] | None:
        """Who begins the last clause before a verb ("…; and Mara, rising, said"), or whom its "who" stands for."""
        who = _WHO.search(self._text, start, verb)
        if who is not None:
            before = [m for m in self._mentions.within(start, who.start() + 1) if m.span.end > who.start() - 30]
            if before and before[-1].figure.type == "character":
                return before[-1].span.start, ""
        for found in reversed(list(_CLAUSE_START.finditer(self._text, start, verb))):
            place = found.end()
            mention = self._mentions.at(place)
            pronoun = _NOMINATIVE.match(self._text, place, verb)
            if mention is not None and mention.figure.type == "character":
                opening, end = (mention.span.start, ""), mention.span.end
            elif pronoun is not None:
                opening, end = (place, pronoun.group().lower()), pronoun.end()
            else:
                continue
            if _TO_VERB.fullmatch(self._text, end, verb) or not self._has_subject(end, verb):
                return opening
            return None
        return None

    def _has_subject(self, start: int, end: int) -> bool:
        place = bisect_left(self._subject_places, start)
        return place < len(self._subject_places) and self._subject_places[place] < end

    def _subject(self, start: int, verb: int) -> tuple[int, str] | None:
        """Who stands before a verb as subject: the last one the parser takes for one, else the first person named."""
        named = [m for m in self._mentions.within(start, verb) if m.figure.type == "character"]
        subjects = [(m.span.start, "") for m in named if self._acts(m.span)]
        low = bisect_left(self._pronouns, (start, ""))
        for offset, word in self._pronouns[low:]:
            if offset >= verb:
                break
            aside = subjects and _SUBORDINATE.search(self._text, max(start, offset - 30), offset)
            if word in ("he", "she", "it", "i", "they", "we") and not aside:
                subjects.append((offset, word))
        if subjects:
            return max(subjects)
        return (named[0].span.start, "") if named else None

    def _acts(self, span: Span) -> bool:
        return any(offset in self._subjects for offset in range(*span))

    def _first_end(self, gap: Span) -> int:
        found = _SENTENCE_END.search(self._text, gap.start, gap.end)
        return found.start() if found else gap.end

    def _last_start(self, gap: Span) -> int:
        start = gap.start
        for found in _SENTENCE_END.finditer(self._text, gap.start, gap.end):
            if found.end() < gap.end:
                start = found.end()
        return start

    def _tagged(self, gap: Span) -> Saying | None:
        """What the very words after a quotation say, where they name a figure or are a pronoun."""
        tag = tag_after(self._text, gap.start, gap.end)
        if tag is None:
            name = name_after(self._text, gap.start, gap.end)
            mention = self._mentions.at(name) if name is not None else None
            verb = verb_after(self._text, mention.span.end, gap.end) if mention is not None else None
            tag = Tag(*verb, mention.span.start, "") if mention is not None and verb is not None else None
        if tag is None:
            return None
        parsed = next(iter(self._sayings_in(tag.offset, tag.offset + 1)), None)
        if not tag.pronoun and not self._mentions.at(tag.subject) and parsed is not None:
            return parsed
        hearer = parsed.hearer if parsed is not None and parsed.hearer != tag.subject else None
        return Saying(tag.verb, tag.offset, tag.subject, tag.pronoun, hearer, spouse=False)

    def _sayings_in(self, start: int, end: int) -> list[Saying]:
        return self._sayings[bisect_left(self._saying_starts, start) : bisect_left(self._saying_starts, end)]
