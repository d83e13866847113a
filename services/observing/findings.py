"""What a check of `fabula doctor` finds."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from services.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What a check found. `reachable` None: there is nothing to reach. `remedy`: what to do, where something is amiss."""

    part: str
    configured: str
    reachable: bool | None
    used: bool
    detail: str
    remedy: str | None = None

    @property
    def is_fault(self) -> bool:
        """Whether the product cannot work as configured."""
        return self.used and self.reachable is False

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def address(settings: Settings) -> str | None:
    """The conninfo of the database as it is now; None: the embedded server is not up."""
    from services.local.postgres import LocalPostgres

    return settings.postgres or LocalPostgres(settings.home / "postgres").status().address
