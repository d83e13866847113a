"""Whom a pronoun of the narration means, where rules can tell."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from services.extraction.offline.figures import Figure
from services.extraction.offline.mentions import FEMALE_PRONOUNS, MALE_PRONOUNS, Mention, Mentions, figure_key
from services.extraction.offline.narrators import Narrators
from services.extraction.offline.paragraphs import Span

_REACH = 900
"""Code points a pronoun looks back at most."""


@dataclass(frozen=True, slots=True)
class Reference:
    """A figure and how sure it is that it is meant."""

    figure: Figure
    confidence: float


class Antecedents:
    """Resolves the heads of subjects and objects of one chapter to its figures."""

    def __init__(
        self,
        mentions: Mentions,
        narrators: Narrators,
        paragraphs: Sequence[Span],
        subjects: Sequence[int],
        chained: Mapping[int, Figure],
    ) -> None:
        """`chained`: whom the chains of reference take words of the narration for, by offset."""
        self._mentions = mentions
        self._narrators = narrators
        self._starts = [paragraph.start for paragraph in paragraphs]
        self._subjects = frozenset(subjects)
        self._chained = chained

    def mention_at(self, offset: int) -> Mention | None:
        return self._mentions.at(offset)

    def named(self, offset: int) -> Reference | None:
        """The figure named at `offset`."""
        mention = self._mentions.at(offset)
        if mention is None:
            return None
        return Reference(mention.figure, mention.figure.confidence)

    def likely(self, offset: int) -> Reference | None:
        """Whom a pronoun or description most likely means; good enough for who speaks, not for what happens."""
        figure = self._chained.get(offset)
        return Reference(figure, 0.45) if figure is not None else None

    def resolve(self, offset: int, pronoun: str) -> Reference | None:
        """The figure of a subject: named there, or meant by the pronoun; None where that is open."""
        if not pronoun:
            return self.named(offset)
        if pronoun == "i":
            narrator = self._narrators.at(offset)
            return (
                Reference(narrator, 0.85 if self._narrators.told_at(offset) else 0.6) if narrator is not None else None
            )
        if pronoun in MALE_PRONOUNS:
            return self._third_person(offset, "male")
        if pronoun in FEMALE_PRONOUNS:
            return self._third_person(offset, "female")
        return None

    def _third_person(self, offset: int, gender: str) -> Reference | None:
        """One candidate in this paragraph or the last: that one. Several: the latest subject of the same paragraph, if any."""
        index = bisect_right(self._starts, offset) - 1
        here = max(self._starts[index], offset - _REACH) if index >= 0 else 0
        before = max(self._starts[max(0, index - 1)], offset - _REACH) if index >= 0 else 0
        near = self._candidates(here, offset, gender)
        candidates = near or self._candidates(before, offset, gender)
        people = {figure_key(mention.figure) for mention in candidates}
        if len(people) == 1:
            figure = candidates[-1].figure
            return Reference(figure, 0.7 if figure.gender else 0.5)
        acting = [m for m in near if m.figure.gender == gender and self.acts(m)]
        return Reference(acting[-1].figure, 0.5) if acting else None

    def _candidates(self, start: int, end: int, gender: str) -> list[Mention]:
        return [
            mention
            for mention in self._mentions.within(start, end)
            if mention.narrated and mention.figure.type == "character" and mention.figure.gender in (gender, "")
        ]

    def acts(self, mention: Mention) -> bool:
        """Whether the mention is the subject of a clause."""
        return any(offset in self._subjects for offset in range(mention.span.start, mention.span.end))
