"""Parts that are built when they are first asked for, and closed together."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Self, TypeVar

from services.settings import Settings

T = TypeVar("T")


class Parts:
    """Use it as a context manager; safe in several threads. `_exit` closes what was built, last first."""

    def __init__(self, settings: Settings, configure_logs: Callable[[Settings], None] = lambda _: None) -> None:
        """`configure_logs` is called once, before the first part that logs is built: reading alone does not need it."""
        self.settings = settings
        self._configure_logs = configure_logs
        self._parts: dict[str, Any] = {}
        self._lock = threading.RLock()
        self._exit = ExitStack()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._exit.close()
        self._parts.clear()

    def _part(self, name: str, make: Callable[[], T]) -> T:
        with self._lock:
            if name not in self._parts:
                self._parts[name] = make()
            part: T = self._parts[name]
            return part
