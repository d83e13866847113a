"""The figures of a chapter: whoever and whatever has a name in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from services.extraction.offline.names import Gender, Name, Type, spelling
from services.extraction.offline.observations import Surface


@dataclass(slots=True)
class Figure:
    """A character, place or group of the chapter, under every spelling the chapter uses for it."""

    name: str
    type: Type
    surfaces: list[Surface]
    names: list[Name] = field(default_factory=list)
    gender: Gender = ""
    confidence: float = 0.5
    ambiguous: tuple[str, ...] = ()
    """Whom a name may mean that several people bear; the figure then stands for the name alone."""
    derived: tuple[str, ...] = ()
    """What one may call the figure by rule, whether or not the chapter does: other chapters will."""
    epithets: list[str] = field(default_factory=list)
    """Words that the chapter has for the figure beside its names: "my aunt", "the narrator"."""
    withheld: frozenset[str] = frozenset()
    """Spellings that are this figure's here, but somebody else's elsewhere in the story."""

    elder: bool = False
    """May well be the father of whom the story calls by his given name, which is then not his."""

    @property
    def full(self) -> Surface:
        """The longest name without titles."""
        return max((name.rest for name in self.names), key=lambda rest: (len(rest), rest), default=())

    @property
    def aliases(self) -> list[str]:
        texts = {name.text for name in self.names} | set(self.derived) | set(self.epithets)
        return sorted(text for text in texts - {self.name} if spelling(text) not in self.withheld)
