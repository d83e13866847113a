"""Extractors: what reads a chapter that comes without records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, Protocol, runtime_checkable

from psycopg_pool import ConnectionPool

from events.errors import InvalidInput

Pool = ConnectionPool[Any]


class Extractor(Protocol):
    """Reads a chapter's text into records, as they would be handed in beside it (see `events.sidecar`), each with its
    `provenance` where there is more to say of it than the extractor's name.

    The result depends on nothing but the arguments, above all not on which chapters had arrived before.
    """

    name: str

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]: ...


@runtime_checkable
class StoryExtractor(Protocol):
    """Reads a chapter in the light of the chapters before it, as the read models have them by then; blind to later ones."""

    name: str

    def extract_in(self, story: str, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]: ...


def read(extractor: Extractor, story: str, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
    """The records of a story's chapter, whichever of the two kinds the extractor is."""
    if isinstance(extractor, StoryExtractor):
        return extractor.extract_in(story, text, chapter=chapter, language=language)
    return extractor.extract(text, chapter=chapter, language=language)


class NoExtractor:
    """Reads nothing: chapters have the records that are handed in with them, and no others."""

    name = "none"

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        return []


class UnknownExtractor(InvalidInput):
    """No extractor goes by that name."""

    title = "There is no such extractor"
    slug = "unknown-extractor"


def _offline(_: Pool | None, **__: str | None) -> Extractor:
    # the language model behind it takes a second to load: only who extracts offline pays for it
    from services.extraction.offline import OfflineExtractor

    extractor: Extractor = OfflineExtractor()
    return extractor


def _claude(pool: Pool | None, **how: str | None) -> Extractor:
    # the SDK takes a second to load
    from services.extraction.claude.extractor import ClaudeExtractor

    return ClaudeExtractor.from_env(pool, **how)


_REGISTRY: Final[Mapping[str, Callable[..., Extractor]]] = {
    "offline": _offline,
    "claude": _claude,
    "none": lambda _, **__: NoExtractor(),
}


def extractor(name: str, pool: Pool | None = None, *, model: str | None = None, prompt: str | None = None) -> Extractor:
    """The extractor that the setting names; `pool` is where one that pays for its replies keeps them.

    `model` and `prompt` are for one that asks a model, in the place of what the environment says.
    Raises `UnknownExtractor`, and what an extractor raises that is not configured.
    """
    make = _REGISTRY.get(name)
    if make is None:
        raise UnknownExtractor(
            f"There is no extractor {name!r}; set FABULA_EXTRACTOR to one of {', '.join(_REGISTRY)}."
        )
    if name != "claude" and (model, prompt) != (None, None):
        raise InvalidInput(f"The extractor {name!r} asks no model; leave the model and the prompt out, or name claude.")
    return make(pool, model=model, prompt=prompt)
