"""Back catalogues as message batches: at half the price, and as slow as a day. What comes back waits in the account.

A batch asks the first questions only, without a story's state, which does not exist yet; chapters that are published
afterwards are read from the account instead of being asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

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
_MOST: Final = 10_000
"""Requests in one batch; the service takes more, but the answer to everything at once is bulky."""
_CLOCKS: Final = timedelta(minutes=10)
"""How far the service's clock may be from ours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What a budget allows: the requests to send, and the chapters that are left for another day."""

    requests: tuple[tuple[int, Request], ...]
    left: tuple[int, ...]
    usd: float

    @property
    def named(self) -> list[tuple[str, int, Request]]:
        """(custom id, chapter, question), as a batch has them."""
        return [(custom_id(chapter, request), chapter, request) for chapter, request in self.requests]

    @property
    def chapters(self) -> list[int]:
        return sorted({chapter for chapter, _ in self.requests})


@dataclass(frozen=True, slots=True, kw_only=True)
class Collected:
    """What came of a batch. `failed` chapters are asked for again, one by one, when they are published."""

    stored: int
    reasons: Mapping[int, str]
    """By chapter that failed, why: errored, expired, canceled, refused, unreadable."""
    usd: float

    @property
    def failed(self) -> tuple[int, ...]:
        return tuple(sorted(self.reasons))


class Batches:
    """Sends the chapters of a story as a batch and takes the replies into the account."""

    def __init__(self, options: ClaudeOptions, claude: Claude, account: Account) -> None:
        self._options = options
        self._claude = claude
        self._account = account
        self._requests = Requests(options)

    def plan(self, chapters: Chapters, budget_usd: float, on_their_way: Collection[str] = ()) -> Plan:
        """As many chapters in order as the budget surely pays for.

        What has been read before costs nothing, nor does what another batch has (`on_their_way`, by key).
        """
        wanted: list[tuple[int, Request]] = []
        spent = 0.0
        for n, (chapter, text) in enumerate(chapters):
            asked = [r for r in self._first_questions(text) if r.key not in on_their_way]
            new = [r for r in asked if self._account.recall(r) is None]
            price = sum(cost(request.expected, request.model, batch=True) for request in new)
            if spent + price > budget_usd or len(wanted) + len(new) > _MOST:
                return Plan(requests=tuple(wanted), left=tuple(c for c, _ in chapters[n:]), usd=spent)
            wanted += [(chapter, request) for request in new]
            spent += price
        return Plan(requests=tuple(wanted), left=(), usd=spent)

    def send(self, plan: Plan) -> str:
        """The batch's id, with which its replies can be fetched for a month. Raises `ClaudeUnavailable`."""
        sent: list[BatchRequest] = [
            {"custom_id": name, "params": _parameters(request)} for name, _, request in plan.named
        ]
        return self._claude.patiently(lambda: self._claude.sdk.messages.batches.create(requests=sent)).id

    def find(self, requests: int, since: datetime, known: Collection[str]) -> str | None:
        """A batch of so many requests that the service took since then and nobody here knows of; None: there is none.

        We may have ended between the service's answer and noting it down. Raises `ClaudeUnavailable`.
        """
        listed_ = self._claude.patiently(lambda: self._claude.sdk.messages.batches.list(limit=100))
        for each in listed_.data:
            counts = each.request_counts
            total = counts.processing + counts.succeeded + counts.errored + counts.canceled + counts.expired
            if each.id not in known and total == requests and each.created_at >= since - _CLOCKS:
                return each.id
        return None

    def collect(self, batch: str, story: str, chapters: Chapters) -> Collected | None:
        """Take in the replies of a batch; None while it is not at its end. Twice is as good as once."""
        known = {custom_id(chapter, r): (chapter, r) for chapter, text in chapters for r in self._first_questions(text)}
        return self.collect_known(batch, story, known)

    def collect_known(self, batch: str, story: str, asked: Mapping[str, tuple[int, Request]]) -> Collected | None:
        """The same from the questions that were asked, by their custom ids. Raises `ClaudeUnavailable`."""
        batches = self._claude.sdk.messages.batches
        if self._claude.patiently(lambda: batches.retrieve(batch)).processing_status != "ended":
            return None
        stored, reasons, usd = 0, dict[int, str](), 0.0
        for line in self._claude.patiently(lambda: list(batches.results(batch))):
            chapter, request = asked.get(line.custom_id, (0, None))
            if request is None or self._account.recall(request) is not None:
                continue
            spent, fault = self._take(line.result, request, story, chapter)
            usd += spent
            if fault is None:
                stored += 1
            else:
                reasons[chapter] = fault
        return Collected(stored=stored, reasons=reasons, usd=usd)

    def _take(self, result: Any, request: Request, story: str, chapter: int) -> tuple[float, str | None]:
        """Dollars that a reply cost, kept in any case, and why it cannot be used, if so."""
        if result.type != "succeeded":
            return 0.0, str(result.type)
        try:
            reply = reply_of(result.message, 0.0)
        except ExtractionFailed:
            return 0.0, "unreadable"
        usable = reply.ending == "truncated" or (reply.ending == "complete" and _lists(reply.text))
        self._account.enter(request, reply, story, chapter, usable=usable, batch=True)
        fault = None if usable else "refused" if reply.ending == "refused" else "unreadable"
        return cost(reply.tokens, request.model, batch=True), fault

    def _first_questions(self, text: str) -> Iterable[Request]:
        return [self._requests.extract(text[chunk.start : chunk.end], NOTHING) for chunk in chunks(text)]


def custom_id(chapter: int, request: Request) -> str:
    """The name of a question in a batch; equal for equal questions."""
    return f"{chapter}-{request.key[:48]}"


def _lists(text: str) -> bool:
    try:
        return bool(listed(text))
    except ReplyUnreadable:
        return False


def _parameters(request: Request) -> Any:
    """The body as a batch takes it: the same parameters, which the SDK types more narrowly."""
    return request.body
