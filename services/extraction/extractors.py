"""Extractors: what reads a chapter that comes without records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol

from events.errors import InvalidInput


class Extractor(Protocol):
    """Reads a chapter's text into records, as they would be handed in beside it (see `events.sidecar`).

    The result depends on nothing but the arguments, above all not on which chapters had arrived before.
    """

    name: str

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]: ...


class NoExtractor:
    """Reads nothing: chapters have the records that are handed in with them, and no others."""

    name = "none"

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        return []


class UnknownExtractor(InvalidInput):
    """No extractor goes by that name."""

    title = "There is no such extractor"
    slug = "unknown-extractor"


def _offline() -> Extractor:
    # the language model behind it takes a second to load: only who extracts offline pays for it
    from services.extraction.offline import OfflineExtractor

    extractor: Extractor = OfflineExtractor()
    return extractor


def _claude() -> Extractor:
    raise UnknownExtractor("This version has no extractor `claude` yet; set FABULA_EXTRACTOR to `offline` or `none`.")


_REGISTRY: Final[Mapping[str, Callable[[], Extractor]]] = {
    "offline": _offline,
    "none": NoExtractor,
    "claude": _claude,
}


def extractor(name: str) -> Extractor:
    """The extractor that the setting names. Raises `UnknownExtractor`."""
    make = _REGISTRY.get(name)
    if make is None:
        known = ", ".join(n for n in _REGISTRY if n != "claude")
        raise UnknownExtractor(f"There is no extractor {name!r}; set FABULA_EXTRACTOR to one of {known}.")
    return make()
