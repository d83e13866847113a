"""Excerpts with every entity, reference and event marked (LitBank), set as text again and compared with a reading of it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from services.evaluation.extraction.clustering import Cluster, Coreference, compare
from services.evaluation.extraction.intervals import Tally
from services.extraction.offline.lexicon import TITLES
from services.extraction.offline.reading import Reading

Place = tuple[int, int]
"""The first and last token of a mention, counted over the excerpt."""

_GLUED: Final = re.compile(r"^(?:[,.;:?!)\]”’]+|['’](?:s|S|ll|ve|d|re|m|em|n|tis)|n['’]t|--+|—)$")
_OPENING: Final = frozenset(("“", "‘", "(", "[", "--", "—"))
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Excerpt:
    """An excerpt as text, with the place of each token in it and what people marked."""

    text: str
    starts: tuple[int, ...]
    ends: tuple[int, ...]
    entities: frozenset[tuple[Place, str]]
    clusters: tuple[Cluster, ...]
    events: frozenset[int]

    def place(self, start: int, end: int) -> Place:
        """The tokens that the code points [start, end) touch."""
        first = bisect_right(self.ends, start)
        last = bisect_right(self.starts, max(start, end - 1)) - 1
        return first, max(first, last)

    def word(self, number: int) -> str:
        """A token as titles are compared: lower case, without its point."""
        return self.text[self.starts[number] : self.ends[number]].lower().rstrip(".")


def excerpt(line: dict[str, Any]) -> Excerpt:
    """An excerpt from its line: `sentences` of tokens, and `entities`, `mentions` and `events` by sentence and token."""
    sentences: list[list[str]] = line["sentences"]
    firsts = [0]
    for sentence in sentences:
        firsts.append(firsts[-1] + len(sentence))
    text, spans = _set(sentences)
    clusters: defaultdict[object, set[Place]] = defaultdict(set)
    for mention in line["mentions"]:
        place = (firsts[mention["start_sent"]] + mention["start"], firsts[mention["end_sent"]] + mention["end"])
        clusters[mention["entity"] or place].add(place)
    return Excerpt(
        text,
        tuple(start for start, _ in spans),
        tuple(end for _, end in spans),
        frozenset(
            ((firsts[e["sent"]] + e["start"], firsts[e["sent"]] + e["end"]), e["label"]) for e in line["entities"]
        ),
        _disjoint(clusters.values()),
        frozenset(firsts[e["sent"]] + e["start"] for e in line["events"]),
    )


def _disjoint(clusters: Iterable[Iterable[Place]]) -> tuple[Cluster, ...]:
    """The clusters without mentions that an earlier one has: a span marked twice counts once."""
    taken: set[Place] = set()
    result: list[Cluster] = []
    for cluster in clusters:
        fresh = frozenset(cluster) - taken
        taken |= fresh
        if fresh:
            result.append(fresh)
    return tuple(result)


def _set(sentences: Sequence[Sequence[str]]) -> tuple[str, list[tuple[int, int]]]:
    """The sentences as prose with each token's place: the paragraphs are lost, so one begins where speech opens one."""
    parts: list[str] = []
    spans = []
    length = 0
    straight = False
    for number, sentence in enumerate(sentences):
        for index, word in enumerate(sentence):
            closing = word == '"' and straight
            gap = " " if parts else ""
            if closing or (index and _GLUED.match(word)) or _opens(parts, straight):
                gap = ""
            elif not index and number and not straight and word in ('"', "“"):
                gap = "\n\n"
            straight = not straight if word == '"' else straight
            parts += [gap, word]
            spans.append((length + len(gap), length + len(gap) + len(word)))
            length += len(gap) + len(word)
    return "".join(parts), spans


def _opens(parts: Sequence[str], straight: bool) -> bool:
    """Whether what stands before leaves no space after it."""
    return bool(parts) and (parts[-1] in _OPENING or (parts[-1] == '"' and straight))


def entities(gold: Excerpt, reading: Reading) -> Tally:
    """Spans and labels of names and descriptions, exactly.

    The labels have a title before a name as a person of its own, inside the name.
    """
    found: set[tuple[Place, str]] = set()
    for mention in reading.mentions:
        if mention.form != "pronoun":
            first, last = gold.place(*mention.span)
            found.add(((first, last), mention.sort))
            if mention.form == "name" and mention.sort == "PER" and first < last and gold.word(first) in TITLES:
                found.add(((first, first), "PER"))
    return _tally(gold.entities, found)


def triggers(gold: Excerpt, reading: Reading) -> Tally:
    """Words that tell of something that happens."""
    return _tally(gold.events, {gold.place(*span)[0] for span in reading.triggers})


def coreference(gold: Excerpt, reading: Reading) -> Coreference:
    """Who is meant where, over names, descriptions and pronouns."""
    chains: defaultdict[int, set[Place]] = defaultdict(set)
    for mention in reading.mentions:
        chains[mention.chain].add(gold.place(mention.span.start, mention.span.end))
    return compare(gold.clusters, _disjoint(chains.values()))


def _tally(gold: frozenset[T], found: set[T]) -> Tally:
    return Tally(len(found & gold), len(found - gold), len(gold - found))
