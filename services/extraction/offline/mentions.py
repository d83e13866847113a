"""Where the figures of a chapter are named in its text, and what sex their pronouns give them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import words
from services.extraction.offline.names import surface_pattern
from services.extraction.offline.observations import Surface
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

_WORD = re.compile(r"(?<!\w)[^\W\d_][\w’']*")
_INDEFINITE = re.compile(r"(?<!\w)(?:[Aa]n?|[Aa]nother)\s+(?:young|old|little|younger|elder|third|second)\s+\Z")
MALE_PRONOUNS = frozenset(("he", "him", "his", "himself"))
FEMALE_PRONOUNS = frozenset(("she", "her", "hers", "herself"))
PARENTS = words("father mother papa mamma mama pap dad daddy grandfather grandmother grandpa grandma granny")
"""Words for a parent that a narrator may use alone; what others call so is somebody else."""


@dataclass(frozen=True, slots=True)
class Mention:
    """A figure named in the text; `narrated` where the narration does it, not a speaker."""

    span: Span
    figure: Figure
    narrated: bool


class Mentions:
    """All mentions of a chapter in order, without overlap: of two names at one place the longer counts."""

    def __init__(self, mentions: Sequence[Mention]) -> None:
        self.all = list(mentions)
        self._starts = [mention.span.start for mention in mentions]

    def at(self, offset: int) -> Mention | None:
        """The mention that covers the character at `offset`."""
        index = bisect_right(self._starts, offset) - 1
        return self.all[index] if index >= 0 and offset < self.all[index].span.end else None

    def including(self, more: Sequence[Mention]) -> Mentions:
        """These and other mentions, which overlap none of these."""
        return Mentions(sorted([*self.all, *more], key=lambda mention: mention.span)) if more else self

    def within(self, start: int, end: int) -> list[Mention]:
        """The mentions that begin in [start, end)."""
        return self.all[bisect_left(self._starts, start) : bisect_left(self._starts, end)]

    def figures(self) -> list[Figure]:
        """Everyone and everything mentioned, in order of first mention."""
        return list({id(mention.figure): mention.figure for mention in self.all}.values())

    def by_figure(self) -> dict[str, list[Mention]]:
        """The mentions of each figure, by `type/name`, in order."""
        found: defaultdict[str, list[Mention]] = defaultdict(list)
        for mention in self.all:
            found[figure_key(mention.figure)].append(mention)
        return found


def figure_key(figure: Figure) -> str:
    return f"{figure.type}/{figure.name}"


def find_mentions(text: str, figures: Sequence[Figure], quotations: Quotations) -> Mentions:
    """Finds every figure under every spelling the chapter has for it."""
    table = _by_first_word(figures)
    found = []
    end = 0
    for word in _WORD.finditer(text):
        if word.start() < end:
            continue
        for pattern, figure, own in table.get(_first_word(word.group()), ()):
            match = pattern.match(text, word.start())
            if match and not (own and quotations.covers(match.start())) and not _any_of_them(text, match, figure):
                end = match.end()
                found.append(Mention(Span(match.start(), end), figure, not quotations.covers(match.start())))
                break
    return Mentions(found)


def _any_of_them(text: str, match: re.Match[str], figure: Figure) -> bool:
    """Whether a bare surname has an indefinite article, and so means somebody else of the family: "a young Voss"."""
    one_word = not any(c.isspace() for c in match.group())
    surname = figure.full[-1:] == (match.group(),) and any(name.title or len(name.rest) > 1 for name in figure.names)
    return one_word and surname and bool(_INDEFINITE.search(text, max(0, match.start() - 20), match.start()))


def _by_first_word(figures: Sequence[Figure]) -> dict[str, list[tuple[re.Pattern[str], Figure, bool]]]:
    """Each spelling by its first word, and whether it is the narrator's own word for somebody ("my aunt", "papa")."""
    entries: defaultdict[str, list[tuple[Surface, Figure, bool]]] = defaultdict(list)
    for figure in figures:
        for tokens in figure.surfaces:
            own = tokens[0] == "my" or (len(tokens) == 1 and tokens[0] in PARENTS)
            for spelt in _capitalised(tokens):
                word = _WORD.match(spelt[0])
                if word:
                    entries[_first_word(word.group())].append((spelt, figure, own))
    return {
        word: [
            (surface_pattern(tokens), figure, own)
            for tokens, figure, own in sorted(group, key=lambda e: (-len(" ".join(e[0])), e[0], e[1].name))
        ]
        for word, group in entries.items()
    }


def _first_word(word: str) -> str:
    """The word without its possessive ending, which the pattern leaves outside the name."""
    return re.sub(r"[’']s?$", "", word)


def _capitalised(tokens: Surface) -> Iterator[Surface]:
    """A description also begins sentences: "The old king"."""
    yield tokens
    if tokens[0] in PARENTS | {"the", "my"}:
        yield (tokens[0].capitalize(), *tokens[1:])


def assign_genders(mentions: Mentions, pronouns: Sequence[tuple[int, str]], text: str) -> None:
    """Gives figures without one the sex of the pronouns that follow them where nobody else is named between.

    Needs two votes, and four of five agreeing.
    """
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for offset, word in pronouns:
        near = [m for m in mentions.within(max(0, offset - 120), offset) if m.figure.type == "character" and m.narrated]
        if len({figure_key(m.figure) for m in near}) != 1 or "\n\n" in text[near[0].span.start : offset]:
            continue
        if _direct(text[near[-1].span.end : offset]):
            votes[figure_key(near[-1].figure)]["male" if word in MALE_PRONOUNS else "female"] += 1
    for mention in mentions.all:
        figure = mention.figure
        counts = votes.get(figure_key(figure))
        if counts and not figure.gender and counts.total() >= 2:
            sex, count = counts.most_common(1)[0]
            if count >= 0.8 * counts.total():
                figure.gender = "male" if sex == "male" else "female"


def _direct(between: str) -> bool:
    """Whether a pronoun after `between` most likely means whom the name before it does."""
    return len(between) < 80 and not re.search(r"\b(?:with|to|at|of|for|on|upon|about)\s*$|[“”\"]", between)
