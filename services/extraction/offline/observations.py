"""What one reading of a chapter notes down: everything later steps need, and no parsed document, so that memory stays small.

All offsets are code points of the chapter's text.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import dataclass, field

from services.extraction.offline.paragraphs import Span

Surface = tuple[str, ...]
"""The tokens of a capitalised run: ("Mr.", "Darcy")."""


@dataclass(slots=True)
class Votes:
    """How a run of capitals was used, counted over the chapter."""

    inner: int = 0
    """Occurrences inside a sentence, where only a name has a capital."""
    initial: int = 0
    """Occurrences at a sentence's beginning, where any word has one."""
    proper: int = 0
    """Occurrences that the tagger takes for a proper noun."""
    articled: int = 0
    """Occurrences after "the"."""
    told: int = 0
    """Occurrences in the narration."""
    speaks: int = 0
    """Occurrences as subject of a verb of speech."""
    male: int = 0
    """Occurrences followed by "he", "his" or "him" before any other name."""
    female: int = 0
    person: float = 0.0
    place: float = 0.0
    group: float = 0.0

    def add(self, other: Votes) -> None:
        self.inner += other.inner
        self.initial += other.initial
        self.proper += other.proper
        self.articled += other.articled
        self.told += other.told
        self.speaks += other.speaks
        self.male += other.male
        self.female += other.female
        self.person += other.person
        self.place += other.place
        self.group += other.group

    @property
    def total(self) -> int:
        return self.inner + self.initial


@dataclass(slots=True)
class Description:
    """A definite description used of a person ("the old king")."""

    subjects: int = 0
    speeches: int = 0
    of_a_person: bool = False


@dataclass(frozen=True, slots=True)
class Argument:
    """A noun phrase of a clause: what it does there, and where its head word is."""

    role: str
    head: int
    span: Span
    preposition: str = ""


@dataclass(frozen=True, slots=True)
class Clause:
    """A finite clause of the narration that says something happened: not negated, no modal, not under an `if`."""

    subjects: tuple[int, ...]
    """Offsets of the head words of the subject ("Jane and Lizzy": two)."""
    pronoun: str
    """The subject in lower case where it is a personal pronoun, else empty."""
    verb: str
    predicate: Span
    """From the verb group to the end of the last argument."""
    span: Span
    """The predicate with its subject, where that belongs to the same clause."""
    arguments: tuple[Argument, ...]
    passive: bool
    earlier: bool
    """Told in the past perfect: it happened before the scene."""
    says: bool
    """It only says that somebody spoke, beside what was said."""
    bare: bool
    """Nothing completes the verb."""


@dataclass(frozen=True, slots=True)
class Standing:
    """A finite clause of the narration that says how things are: what somebody is, feels, wants or knows."""

    subject: int
    """Offset of the head word of the subject."""
    pronoun: str
    """The subject in lower case where it is a personal pronoun, else empty."""
    verb: str
    span: Span
    """From the subject, where it stands before the verb, to the end of the complement."""
    complement: Argument
    """What is said: `quality` (an adjective), `attribute` (a noun), `object`, `purpose` (an infinitive) or `content` (a clause)."""
    denied: bool
    """Negated: only noted of what somebody does not know."""
    present: bool
    """Told in the present ("I believe …"), which in a narration is mostly a manner of speaking."""
    earlier: bool
    """Told in the past perfect: it was so before the scene."""


@dataclass(frozen=True, slots=True)
class Saying:
    """A verb of speech in the narration with its subject: ‘“…” said Mara to the boy’."""

    verb: str
    offset: int
    subject: int
    """Offset of the subject's head word."""
    pronoun: str
    hearer: int | None
    """Offset of the head word of whom it is said to."""
    spouse: bool
    """The subject is somebody's wife or husband ("his wife")."""


@dataclass(frozen=True, slots=True)
class Phrase:
    """A description of somebody or some place by a common noun: "the old man with the lamp"."""

    span: Span
    head: int
    """Offset of the noun."""
    noun: str
    """Its lemma."""
    sort: str
    plural: bool
    definite: bool
    indefinite: bool
    owner: int | None
    """Offset of the head word of whom it belongs to ("his wife", "Mara's brother")."""
    subject: bool
    modifiers: tuple[str, ...]
    appositive_of: int | None
    """Offset of the word that it explains."""


@dataclass(frozen=True, slots=True)
class Pronoun:
    """A personal or possessive pronoun, in lower case."""

    offset: int
    word: str
    subject: bool
    quoted: bool


@dataclass(slots=True)
class Observations:
    """The sum of a reading."""

    runs: defaultdict[Surface, Votes] = field(default_factory=lambda: defaultdict(Votes))
    descriptions: defaultdict[str, Description] = field(default_factory=lambda: defaultdict(Description))
    clauses: list[Clause] = field(default_factory=list)
    standings: list[Standing] = field(default_factory=list)
    sayings: list[Saying] = field(default_factory=list)
    pronouns: list[tuple[int, str]] = field(default_factory=list)
    """Where he, she, his, her and their like stand in the narration."""
    references: list[Pronoun] = field(default_factory=list)
    """All personal and possessive pronouns, in direct speech too."""
    phrases: list[Phrase] = field(default_factory=list)
    subjects: list[int] = field(default_factory=list)
    """Offsets of the head words of all subjects."""
    happenings: list[Span] = field(default_factory=list)
    """Words that tell of something that happens."""
    first_person: int = 0
    """How often the narration says "I"."""
    lower: Counter[str] = field(default_factory=Counter)
    """How often each word occurs in lower case."""
    openers: set[str] = field(default_factory=set)
    """Words of the runs, in lower case, that are common verbs, adjectives or adverbs: with a capital most begin a sentence."""
    words: set[str] = field(default_factory=set)
    """These, and common nouns that name nothing to be touched."""
