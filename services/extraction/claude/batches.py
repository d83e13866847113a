"""Back catalogues as message batches: at half the price, and as slow as a day. What comes back waits in the account.

A batch asks the first questions only, without a story's state, which does not exist yet; chapters that are published
afterwards are read from the account instead of being asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from anthropic.types.messages.batch_create_params import Request as BatchRequest

from services.extraction.claude.account import Account
from services.extraction.claude.chunking import chunks
from services.extraction.claude.client import Claude, reply_of
from services.extraction.claude.context import NOTHING
from services.extraction.claude.errors import ExtractionFailed, ReplyUnreadable
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.pricing import cost
from services.extraction.claude.replies import listed
from services.extraction.claude.requests import Request, Requests

Chapters = Sequence[tuple[int, str]]
_MOST = 10_000
"""Requests in one batch; the service takes more, but the answer to everything at once is bulky."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a budget allows: the requests to send, and the chapters that are left for another day."""

    requests: tuple[tuple[int, Request], ...]
    left: tuple[int, ...]
    usd: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What came of a batch. `failed` chapters are asked for again, one by one, when they are published."""

    stored: int
    failed: tuple[int, ...]
    usd: float


class Batches:
    """Sends the chapters of a story as a batch and takes the replies into the account."""

    def __init__(self, options: ClaudeOptions, claude: Claude, account: Account) -> None:
        self._options = options
        self._claude = claude
        self._account = account
        self._requests = Requests(options)

    def plan(self, chapters: Chapters, budget_usd: float) -> Plan:
        """As many chapters in order as the budget surely pays for; what has been read before costs nothing."""
        wanted: list[tuple[int, Request]] = []
        spent = 0.0
        for n, (chapter, text) in enumerate(chapters):
            new = [r for r in self._first_questions(text) if self._account.recall(r) is None]
            price = sum(cost(request.expected, request.model, batch=True) for request in new)
            if spent + price > budget_usd or len(wanted) + len(new) > _MOST:
                return Plan(requests=tuple(wanted), left=tuple(c for c, _ in chapters[n:]), usd=spent)
            wanted += [(chapter, request) for request in new]
            spent += price
        return Plan(requests=tuple(wanted), left=(), usd=spent)

    def send(self, plan: Plan) -> str:
        """The batch's id, with which its replies can be fetched for a month. Raises `ClaudeUnavailable`."""
        sent: list[BatchRequest] = [
            {"custom_id": _id(chapter, request), "params": _parameters(request)} for chapter, request in plan.requests
        ]
        return self._claude.patiently(lambda: self._claude.sdk.messages.batches.create(requests=sent)).id

    def collect(self, batch: str, story: str, chapters: Chapters) -> Collected | None:
        """Take in the replies of a batch; None while it is not at its end. Twice is as good as once."""
        batches = self._claude.sdk.messages.batches
        if self._claude.patiently(lambda: batches.retrieve(batch)).processing_status != "ended":
            return None
        known = {_id(chapter, r): (chapter, r) for chapter, text in chapters for r in self._first_questions(text)}
        stored, failed, usd = 0, set[int](), 0.0
        for line in self._claude.patiently(lambda: list(batches.results(batch))):
            chapter, request = known.pop(line.custom_id, (0, None))
            if request is None or self._account.recall(request) is not None:
                continue
            spent = self._take(line.result, request, story, chapter)
            if spent is None:
                failed.add(chapter)
            else:
                stored, usd = stored + 1, usd + spent
        return Collected(stored=stored, failed=tuple(sorted(failed)), usd=usd)

    def _take(self, result: Any, request: Request, story: str, chapter: int) -> float | None:
        """Dollars that a reply cost, once it is kept; None for one that cannot be used."""
        if result.type != "succeeded":
            return None
        try:
            reply = reply_of(result.message, 0.0)
        except ExtractionFailed:
            return None
        usable = reply.ending == "truncated" or (reply.ending == "complete" and _lists(reply.text))
        self._account.enter(request, reply, story, chapter, usable=usable, batch=True)
        return cost(reply.tokens, request.model, batch=True) if usable else None

    def _first_questions(self, text: str) -> Iterable[Request]:
        return [self._requests.extract(text[chunk.start : chunk.end], NOTHING) for chunk in chunks(text)]


def _lists(text: str) -> bool:
    try:
        return bool(listed(text))
    except ReplyUnreadable:
        return False


def _id(chapter: int, request: Request) -> str:
    return f"{chapter}-{request.key[:48]}"


def _parameters(request: Request) -> Any:
    """The body as a batch takes it: the same parameters, which the SDK types more narrowly."""
    return request.body
