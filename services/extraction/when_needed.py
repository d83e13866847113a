"""An extractor that is there before it is loaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from psycopg_pool import ConnectionPool

if TYPE_CHECKING:
    from services.extraction.extractors import Extractor
    from services.extraction.reading_ahead import ReadingAhead


class WhenNeeded:
    """An extractor that is built with the first text it reads: its language model takes a second to load."""

    def __init__(self, name: str, pool: Callable[[], ConnectionPool[Any]]) -> None:
        self.name = name
        self._pool = pool
        self.ahead: ReadingAhead | None = None
        self._lock = threading.Lock()
        self._extractor: Extractor | None = None

    def extract(self, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        return self._built().extract(text, chapter=chapter, language=language)

    def extract_in(self, story: str, text: str, *, chapter: int, language: str) -> list[dict[str, Any]]:
        ahead = self.ahead
        if ahead is not None and (found := ahead.records(text, chapter=chapter, language=language)) is not None:
            return found
        from services.extraction.extractors import read  # it knows every extractor, which takes a while to import

        return read(self._built(), story, text, chapter=chapter, language=language)

    def _built(self) -> Extractor:
        with self._lock:
            if self._extractor is None:
                from services.extraction.extractors import extractor

                self._extractor = extractor(self.name, self._pool())
                self.name = self._extractor.name
            return self._extractor
