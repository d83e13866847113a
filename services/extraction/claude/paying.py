"""Calls of a model that answers, plans or advises: within the budget, entered in the account, and none paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from psycopg_pool import ConnectionPool

from services.extraction.claude.account import Account, MemoryAccount, PostgresAccount
from services.extraction.claude.budget import Budget
from services.extraction.claude.client import Claude, Model, Reply
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.pricing import cost
from services.extraction.claude.purpose import purpose
from services.extraction.claude.requests import Request


class Paying:
    """A `Model` over another. Raises `BudgetReached` before a call that the budget does not allow.

    Only a whole reply of the form that was asked for is kept for the next time; any other is asked for again.
    `version` stands for the wording of the questions in the account.
    """

    def __init__(
        self,
        model: Model,
        account: Account,
        budget: Budget | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
        version: str = "answer",
    ) -> None:
        self._model = model
        self._account = account
        self._budget = budget
        self._now = now
        self._version = version

    def ask(self, body: dict[str, Any]) -> Reply:
        request = request_of(body, self._version)
        for_ = purpose()
        known = self._account.recall(request)
        if known is None:
            if self._budget is not None:
                self._budget.allow(self._account, cost(request.expected, request.model), self._now())
            known = self._model.ask(request.body)
            self._account.enter(request, known, for_.story, for_.at, usable=is_of_form(known, body), batch=False)
        for chapter in for_.chapters:
            self._account.use(request, for_.story, chapter)
        return known


def paying(options: ClaudeOptions, pool: ConnectionPool[Any] | None, version: str) -> Paying:
    """The service that the options name, on the account of a database; without one, of this process."""
    if pool is None:
        return Paying(Claude(options), MemoryAccount(), options.budget, version=version)
    account = PostgresAccount(pool)
    account.migrate()
    return Paying(Claude(options), account, options.budget, version=version)


def request_of(body: dict[str, Any], version: str) -> Request:
    """A body as the account knows it; equal bodies have equal keys. Halves of characters, which nobody can send, are left out."""
    body = _encodable(body)
    content = body["messages"][0]["content"]
    wording = json.dumps([body["system"], body["output_config"]], sort_keys=True)
    return Request(
        purpose="answer", model=body["model"], prompt_version=version, prompt_digest=_digest(wording)[:12],
        text_digest=_digest(content[0]["text"]), context_digest="", body=body,
        details=_digest(json.dumps(content[1:], sort_keys=True)),
    )  # fmt: skip


def is_of_form(reply: Reply, body: dict[str, Any]) -> bool:
    """Whether a reply is whole, and an object with the fields that the body's schema requires."""
    if reply.ending != "complete":
        return False
    try:
        said = json.loads(reply.text)
    except ValueError:
        return False
    required = body["output_config"]["format"]["schema"]["required"]
    return isinstance(said, dict) and all(field in said for field in required)


def _encodable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _encodable(each) for key, each in value.items()}
    return [_encodable(each) for each in value] if isinstance(value, list) else value


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()
