"""The narrator's own people: "my aunt" is as good as a name where one person tells the story, and so is "papa" alone.

Where the narration puts a name to the word ("my aunt Betsey", "my aunt, Mrs. Reed") it is that person's; otherwise it is a
figure of its own, and a chapter that knows the name joins the two. A comma may also part two people ("my mother, Betsey and I").
A parent may be called by the bare word ("Then papa came in"), where the chapter has nobody else's.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import FEMALE_NOUNS, MALE_NOUNS, words
from services.extraction.offline.mentions import PARENTS, Mentions
from services.extraction.offline.names import Gender
from services.extraction.offline.quotations import Quotations

_KINDRED: Final = PARENTS | words(
    "aunt uncle wife husband sister brother guardian godmother godfather stepmother stepfather mistress master"
)
_MINE: Final = re.compile(
    rf"(?<!\w)[Mm]y (?P<noun>{'|'.join(sorted(_KINDRED, key=lambda n: (-len(n), n)))})(?P<end>s?)(?!\w)"
)
_PARENT: Final = re.compile(
    rf"(?:(?P<before>[\w’']+)\s+)?(?<![\w’'-])(?P<noun>(?i:{'|'.join(sorted(PARENTS, key=lambda n: (-len(n), n)))}))"
    r"(?![\w-])(?!\s+(?:of\b|[^\W\d_a-z]))"
)
_WHOSE: Final = words(
    "a an the his her its our your yo their this that these those no any every each another one whose"
)
"""Words before "father" that make it anybody's, or somebody else's."""
_OWNER: Final = re.compile(r"(?<!\bit)(?<!that)(?<!\bhe)(?<!she)(?<!there)(?<!here)(?<!who)(?<!what)[’']s?$")
"""The end of "Mara’s" before "father", not that of "it’s"."""
_NAME_AFTER: Final = re.compile(r"(?P<comma>,?)\s+(?=[^\W\d_a-z])")
_GOES_ON: Final = re.compile(r",?\s+(?:and|or)\b|,\s+[^\W\d_a-z]")
_LEAST: Final = 2
_FEMALE: Final = words("godmother mistress mamma mama grandma granny")
_MALE: Final = words("godfather stepfather master papa pap dad daddy grandpa")


def with_kindred(text: str, figures: Sequence[Figure], mentions: Mentions, speech: Quotations) -> list[Figure]:
    """The figures of a chapter that a narrator tells, with those he calls his: named figures take the words up.

    Only what the narration says counts, and no word that it uses in the plural, too.
    """
    counts: Counter[str] = Counter()
    named: defaultdict[str, dict[int, Figure]] = defaultdict(dict)
    plural: set[str] = set()
    for noun, end, several in _mine(text, speech):
        counts[noun] += 1
        if several:
            plural.add(noun)
        figure = _named_after(text, end, mentions)
        if figure is not None and figure.gender in (_sex(noun), "") and not several:
            named[noun][id(figure)] = figure
    alone = _alone(text, speech)
    for noun in alone:
        for figure in figures:
            if (noun.capitalize(),) in figure.surfaces:
                named[noun][id(figure)] = figure
    found = list(figures)
    for noun in sorted((counts.keys() | alone.keys()) - plural):
        bearers = list(named[noun].values())
        surfaces = [("my", noun), *([(noun,)] if noun in alone else [])]
        if len(bearers) == 1:
            bearers[0].surfaces += surfaces
            bearers[0].epithets.append(f"my {noun}")
            bearers[0].gender = bearers[0].gender or _sex(noun)
        elif not bearers and alone[noun] >= _LEAST:
            found.append(Figure(noun, "character", surfaces, [], _sex(noun), 0.55, epithets=[f"my {noun}"]))
        elif not bearers and counts[noun] >= _LEAST:
            found.append(Figure(f"my {noun}", "character", surfaces, gender=_sex(noun), confidence=0.55))
    return found


def _mine(text: str, speech: Quotations) -> Iterator[tuple[str, int, bool]]:
    """Each of the words in the narration, where it ends, and whether it is a plural."""
    for match in _MINE.finditer(text):
        if not speech.covers(match.start()):
            yield match.group("noun"), match.end(), bool(match.group("end"))


def _alone(text: str, speech: Quotations) -> Counter[str]:
    """How often the narration uses each word for a parent alone, without those that it has of somebody else's parent."""
    counts: Counter[str] = Counter()
    others: set[str] = set()
    for match in _PARENT.finditer(text):
        if speech.covers(match.start("noun")):
            continue
        noun, before = match.group("noun").lower(), (match.group("before") or "").lower()
        if before in _WHOSE or _OWNER.search(before):
            others.add(noun)
        elif before != "my":
            counts[noun] += 1
    return Counter({noun: count for noun, count in counts.items() if noun not in others})


def _named_after(text: str, end: int, mentions: Mentions) -> Figure | None:
    gap = _NAME_AFTER.match(text, end)
    mention = mentions.at(gap.end()) if gap is not None else None
    if gap is None or mention is None or mention.figure.type != "character":
        return None
    one_word = not any(c.isspace() for c in text[mention.span.start : mention.span.end])
    if gap.group("comma") and (one_word or _GOES_ON.match(text, mention.span.end)):
        return None
    return mention.figure


def _sex(noun: str) -> Gender:
    if noun in FEMALE_NOUNS | _FEMALE:
        return "female"
    return "male" if noun in MALE_NOUNS | _MALE else ""
