"""What the environment says about Claude, read once."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from services.extraction.claude.budget import VARIABLE, Budget
from services.extraction.claude.errors import ClaudeNotConfigured
from services.extraction.claude.pricing import DEFAULT_MODEL


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaudeOptions:
    """How chapters are read. `base_url` None: the service's own address."""

    api_key: str = field(repr=False)
    model: str = DEFAULT_MODEL
    base_url: str | None = None
    prompt: str = "extract-2"
    follow_up_prompt: str = "follow-up-1"
    second_look: bool = True
    """Whether a second, cheaper look asks for what is missing (FABULA_CLAUDE_SECOND_LOOK=off: no)."""
    budget: Budget | None = None
    """What may be spent (FABULA_CLAUDE_BUDGET); None: there is no bound."""
    stream: bool = True
    """Whether replies come as they are written (FABULA_CLAUDE_STREAM=off: whole, for a gateway that cannot stream)."""
    max_output: int = 16_000
    """Tokens a reply may have; one that reaches them is cut off, and its text is split."""
    attempts: int = 5
    """How often one call is made while the service is busy or silent."""
    longest_wait: float = 30.0
    """Seconds between two attempts at most; a service that asks for more is left to the worker's own retries."""
    silence: float = 60.0
    """Seconds without a byte after which a call is given up."""
    deadline: float = 420.0
    """Seconds after which a call is given up, however slowly something still comes."""

    @classmethod
    def from_env(cls, environ: Mapping[str, str] | None = None, *, key_needed: bool = True) -> ClaudeOptions:
        """Read the environment (this process's by default). Raises `ClaudeNotConfigured`, also for want of a key."""
        env = os.environ if environ is None else environ
        key = env.get("ANTHROPIC_API_KEY", "").strip()
        if not key and key_needed:
            raise ClaudeNotConfigured(
                "The extractor `claude` needs a key: set ANTHROPIC_API_KEY, or FABULA_EXTRACTOR=offline."
            )
        budget = env.get(VARIABLE, "").strip()
        return cls(
            api_key=key,
            model=env.get("FABULA_CLAUDE_MODEL", "").strip() or DEFAULT_MODEL,
            base_url=env.get("ANTHROPIC_BASE_URL", "").strip() or None,
            second_look=_switch(env, "FABULA_CLAUDE_SECOND_LOOK"),
            stream=_switch(env, "FABULA_CLAUDE_STREAM"),
            budget=Budget.parse(budget) if budget else None,
        )


def _switch(env: Mapping[str, str], variable: str) -> bool:
    said = env.get(variable, "on").strip().lower() or "on"
    if said not in ("on", "off"):
        raise ClaudeNotConfigured(f"{variable} is {said!r}; set it to on or off.")
    return said == "on"
