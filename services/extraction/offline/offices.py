"""Who "the doctor" is: Doctor Livesey, where the chapter has one doctor only and has named him before."""

from __future__ import annotations

import re
from collections import defaultdict
from typing import Final

from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import INTERCHANGEABLE_TITLES, words
from services.extraction.offline.mentions import Mentions
from services.extraction.offline.names import spelling

OFFICES: Final = words(
    "doctor professor captain colonel major lieutenant sergeant corporal general admiral commander commodore inspector "
    "superintendent detective judge squire bishop archbishop cardinal chancellor governor senator mayor farmer lawyer parson "
    "vicar curate deacon coroner sheriff marshal king queen prince princess duke duchess earl count countess baron baroness "
    "marquis marchioness emperor empress abbot abbess"
)
_OFTEN: Final = 2


def with_offices(text: str, figures: list[Figure], mentions: Mentions) -> list[Figure]:
    """The figures, each whose title nobody else of the chapter bears also under that title with an article; the same list if none.

    It has to be said twice, only after the bearer was named, and of no other: neither "a doctor" nor "the doctors". The words
    are theirs in this chapter alone, for the next may have another doctor.
    """
    bearers: defaultdict[str, dict[int, Figure]] = defaultdict(dict)
    first: dict[int, int] = {}
    for mention in mentions.all:
        first.setdefault(id(mention.figure), mention.span.start)
        for name in mention.figure.names if mention.figure.type == "character" else ():
            for title in name.titles:
                bearers[_office(title)][id(mention.figure)] = mention.figure
    taken: set[str] = set()
    for office in sorted(OFFICES):
        holders = list(bearers[_office(office)].values())
        if len(holders) == 1 and _means(text, office, first[id(holders[0])]):
            _name_after(holders[0], office)
            taken.add(office)
    return [figure for figure in figures if not _described(figure, taken)] if taken else figures


def _office(title: str) -> str:
    """One spelling of a title; a professor may well be called doctor, but "the professor" is no doctor who is none."""
    return "professor" if title in ("prof", "professor") else INTERCHANGEABLE_TITLES.get(title, title)


def _described(figure: Figure, offices: set[str]) -> bool:
    return not figure.names and figure.type == "character" and figure.name.lower().removeprefix("the ") in offices


def _means(text: str, office: str, named: int) -> bool:
    """Whether "the doctor" can be whom the text has named at `named`."""
    places = [use.start() for use in _uses(office).finditer(text)]
    return len(places) >= _OFTEN and places[0] > named and not _others(office).search(text)


def _uses(office: str) -> re.Pattern[str]:
    return re.compile(rf"(?<!\w)[Tt]he\s+(?i:{office})(?!\w|\s+of\b|\s+[^\W\d_a-z])")


def _others(office: str) -> re.Pattern[str]:
    some = r"(?:an?|another|two|three|some|every|any|no)\s+(?:\w+\s+)?|(?:other|new|first|second|next)\s+"
    return re.compile(rf"(?i)(?<!\w)(?:(?:{some}){office}|{office}s)(?!\w)")


def _name_after(figure: Figure, office: str) -> None:
    for written in (office, office.capitalize()):
        figure.surfaces.append(("the", written))
    figure.epithets.append(f"the {office}")
    figure.withheld |= {spelling(f"the {office}"), spelling(f"the {office.capitalize()}")}
