"""Asking Claude for an audit or a recap: one question over fenced data, one reply of a given form, and nothing taken on trust."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from services.extraction.claude.fencing import fenced

if TYPE_CHECKING:
    from services.extraction.claude.client import Model
    from services.extraction.claude.options import ClaudeOptions

MAX_OUTPUT: Final = 6_000
VERSION: Final = "audit-1"


@dataclass(frozen=True, slots=True)
class Adviser:
    """A model and its name. Asking raises what the client raises."""

    model: Model
    name: str

    @classmethod
    def over(cls, options: ClaudeOptions, pool: ConnectionPool[Any]) -> Adviser:
        """The model that the options name; what it is asked is on the account in the database, and within the budget."""
        # the model's client takes seconds to load, and most audits ask no model
        from services.extraction.claude.paying import paying

        return cls(paying(options, pool, VERSION), options.model)

    def ask(self, system: str, data: str, question: str, schema: Mapping[str, Any]) -> dict[str, Json] | None:
        """The reply as an object; None where the model refused or answered in another form."""
        reply = self.model.ask(self.request(system, data, question, schema))
        if reply.ending != "complete":
            return None
        try:
            said = json.loads(reply.text)
        except ValueError:
            return None
        return said if isinstance(said, dict) else None

    def request(self, system: str, data: str, question: str, schema: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters of the Messages API: equal for equal arguments."""
        content = [{"type": "text", "text": fenced(data)}, {"type": "text", "text": question}]
        return {
            "model": self.name,
            "max_tokens": MAX_OUTPUT,
            "system": [{"type": "text", "text": system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": content}],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": dict(schema)}},
        }
