"""Who is named by some words, and what else he is called: the terms of a figure's other names."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Final

from services.retrieval.cast import Cast
from services.retrieval.lexicon import Vocabulary
from services.retrieval.wording import content_terms

_SHORTEST: Final = 2
"""Characters of a term that can stand for a figure: initials stand for too many."""


class Names:
    """The names of the figures of one slice as sets of terms, found by the terms they have."""

    def __init__(self, cast: Cast, vocabulary: Vocabulary) -> None:
        self._figures: list[frozenset[str]] = []
        """All terms of a figure's names; only figures of several names."""
        self._named: dict[str, list[tuple[frozenset[str], int]]] = {}
        """Names with the number of their figure, under the first of their terms in alphabetical order."""
        for figure in cast.ordered:
            called = [cast.name(figure.id), *cast.aliases(figure)]
            names = {vocabulary.kept(("name", name), _terms(name)) for name in called} - {frozenset()}
            if len(names) > 1:
                for name in names:
                    self._named.setdefault(min(name), []).append((name, len(self._figures)))
                self._figures.append(frozenset[str]().union(*names))

    def others(self, terms: Collection[str]) -> list[str]:
        """What the figures whose name is among the terms, whole, are called besides: terms in alphabetical order."""
        given = frozenset(terms)
        meant = {n for term in given for name, n in self._named.get(term, ()) if name <= given}
        found = frozenset[str]().union(*(self._figures[n] for n in meant)) - given
        return sorted(term for term in found if len(term) >= _SHORTEST)


def _terms(name: str) -> Callable[[], frozenset[str]]:
    return lambda: frozenset(content_terms(name))
