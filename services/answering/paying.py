"""Calls of a model that answers: within the budget, entered in the account, and none paid for twice."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from services.extraction.claude.account import Account
from services.extraction.claude.budget import Budget
from services.extraction.claude.client import Model, Reply
from services.extraction.claude.pricing import cost
from services.extraction.claude.requests import Request


@dataclass(frozen=True, slots=True)
class About:
    """The story that is asked about, and the chapters that the packet quotes: what is taken down with them takes the reply along."""

    story: str
    chapters: tuple[int, ...]


NOTHING: Final = About("", ())
ABOUT: Final[ContextVar[About]] = ContextVar("about", default=NOTHING)
"""What the calls of this thread are for."""


class Paying:
    """A `Model` over another. Raises `BudgetReached` before a call that the budget does not allow."""

    def __init__(
        self,
        model: Model,
        account: Account,
        budget: Budget | None = None,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        self._model = model
        self._account = account
        self._budget = budget
        self._now = now

    def ask(self, body: dict[str, Any]) -> Reply:
        request = request_of(body)
        about = ABOUT.get()
        known = self._account.recall(request)
        if known is None:
            if self._budget is not None:
                self._budget.allow(self._account, cost(request.expected, request.model), self._now())
            known = self._model.ask(body)
            first = about.chapters[0] if about.chapters else 0
            self._account.enter(request, known, about.story, first, usable=known.ending == "complete", batch=False)
        for chapter in about.chapters:
            self._account.use(request, about.story, chapter)
        return known


def request_of(body: dict[str, Any]) -> Request:
    """A body as the account knows it; equal bodies have equal keys."""
    content = body["messages"][0]["content"]
    wording = json.dumps([body["system"], body["output_config"]], sort_keys=True)
    return Request(
        purpose="answer", model=body["model"], prompt_version="answer", prompt_digest=_digest(wording)[:12],
        text_digest=_digest(content[0]["text"]), context_digest="", body=body,
        details=_digest(json.dumps(content[1:], sort_keys=True)),
    )  # fmt: skip


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
