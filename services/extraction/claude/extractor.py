"""Reading a chapter with Claude: chunk, ask, verify, look again, merge. A chapter is read whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Final, Self

import structlog
from psycopg_pool import ConnectionPool

from services.extraction.claude.account import Account, MemoryAccount, PostgresAccount
from services.extraction.claude.ceilings import Ceiling, Meter, ceiling
from services.extraction.claude.chunking import Chunk, chunks, halves
from services.extraction.claude.client import Claude, Model, Reply
from services.extraction.claude.context import NOTHING, Context, NoContext, ReaderContext, StoryContext
from services.extraction.claude.errors import ClaudeRefused, NothingFound, ReplyTruncated, ReplyUnreadable
from services.extraction.claude.merging import traced
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.pricing import Tokens, cost, tokens_in
from services.extraction.claude.replies import listed
from services.extraction.claude.requests import Request, Requests
from services.extraction.claude.verifying import Rejected, Verifier
from services.extraction.provenance import PROVENANCE
from services.reading.reader import Reader

LONG: Final = 800
"""Tokens from which on a text has something in it."""
_READINGS: Final = 3
"""How often an unreadable or empty reply is asked for within one attempt at the chapter."""
_logger = structlog.get_logger(__name__)
Records = list[dict[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A chapter as it was read, and what that took. `recalled` replies had been paid for before."""

    records: Records
    rejected: tuple[Rejected, ...]
    chunks: int
    calls: int
    recalled: int
    tokens: Tokens
    usd: float
    ceiling: Ceiling
    notes: tuple[str, ...]
    provenance: Mapping[str, dict[str, str]]
    """By record id, what read it: model, prompt and the text that the model was shown."""

    def stamped(self) -> Records:
        """The records, each with what read it."""
        return [{**record, PROVENANCE: self.provenance[record["id"]]} for record in self.records]


@dataclass(slots=True)
class _Chapter:
    """One chapter while it is read."""

    story: str
    number: int
    text: str
    context: Context
    verifier: Verifier
    meter: Meter
    notes: list[str] = field(default_factory=list)
    used: list[Request] = field(default_factory=list)
    """The questions whose replies were taken, in this reading or before it."""


@dataclass(frozen=True, slots=True)
class _Part:
    """A chunk with what its first reply gave."""

    chunk: Chunk
    held: Records
    rejected: list[Rejected]
    request: Request


class ClaudeExtractor:
    """See `services.extraction.extractors.Extractor`. Safe in several threads."""

    def __init__(
        self, options: ClaudeOptions, model: Model, account: Account, context: StoryContext | None = None
    ) -> None:
        self._options = options
        self._model = model
        self._account = account
        self._context = context or NoContext()
        self._requests = Requests(options)
        self.name = f"claude/{options.model}/{options.prompt}+{self._requests.digest}"
        """Model, prompt version and the digest of all wording: it stands on every publication that was read."""

    @classmethod
    def from_env(
        cls, pool: ConnectionPool[Any] | None = None, *, model: str | None = None, prompt: str | None = None
    ) -> Self:
        """As the environment configures it, or with another model or prompt version.

        Without a database it knows no earlier chapters and forgets what it paid for.
        Raises `ClaudeNotConfigured`, `UnknownPrompt`.
        """
        options = ClaudeOptions.from_env()
        options = replace(options, model=model or options.model, prompt=prompt or options.prompt)
        if pool is None:
            return cls(options, Claude(options), MemoryAccount())
        account = PostgresAccount(pool)
        account.migrate()
        return cls(options, Claude(options), account, ReaderContext(Reader(pool)))

    def extract(self, text: str, *, chapter: int, language: str) -> Records:
        """The records of a chapter of no known story."""
        return self.read("", text, chapter=chapter, language=language).stamped()

    def extract_in(self, story: str, text: str, *, chapter: int, language: str) -> Records:
        """The records of a chapter, in the light of the chapters before it."""
        return self.read(story, text, chapter=chapter, language=language).stamped()

    def read(self, story: str, text: str, *, chapter: int, language: str) -> Reading:
        """Read a chapter; prompts and records are in the text's own language as far as it is quoted.

        Raises `ClaudeUnavailable` (nothing is lost: what was read is kept), `ClaudeRefused`, `ExtractionFailed`.
        """
        del language
        context = self._context.before(story, chapter, text)
        verifier = Verifier(text, chapter, context)
        at = _Chapter(story, chapter, text, context, verifier, Meter(ceiling(text)))
        parts: list[_Part] = []
        stretches = chunks(text)
        for done, chunk in enumerate(stretches):
            self._account.progress(story, chapter, done, len(stretches))
            parts += self._parts(at, chunk)
        self._account.progress(story, chapter, len(stretches), len(stretches))
        seconds = [self._second(at, part) for part in parts]
        records, origin = traced([part.held for part in parts] + [held for held, *_ in seconds], chapter)
        if not records and tokens_in(text) >= LONG:
            for request in at.used:
                self._account.discard(request)
            raise NothingFound(
                f"No record of the model holds for chapter {chapter}; hand in records, or try another extractor."
            )
        asked = [part.request for part in parts] + [request for *_, request in seconds]
        provenance = {name: _provenance(asked[number]) for name, number in origin.items()}
        rejected = [r for _, left, _ in seconds for r in left]
        return self._reading(at, records, rejected, len(parts), provenance)

    def _reading(
        self,
        at: _Chapter,
        records: Records,
        rejected: list[Rejected],
        parts: int,
        provenance: dict[str, dict[str, str]],
    ) -> Reading:
        meter = at.meter
        _logger.info(
            "read by the model", story=at.story, chapter=at.number, calls=meter.calls, recalled=meter.recalled,
            tokens=meter.tokens.total, usd=round(meter.usd, 4), records=len(records), rejected=len(rejected),
        )  # fmt: skip
        return Reading(
            records=records, rejected=tuple(rejected), chunks=parts, calls=meter.calls, recalled=meter.recalled,
            tokens=meter.tokens, usd=meter.usd, ceiling=meter.most, notes=tuple(at.notes),
            provenance=provenance,
        )  # fmt: skip

    # --- the first look, which a chapter cannot do without ---

    def _parts(self, at: _Chapter, chunk: Chunk) -> list[_Part]:
        """The chunk as read; in halves where its reply was cut off, none of which is kept."""
        request = self._requests.extract(at.text[chunk.start : chunk.end], at.context)
        said = self._first(at, request, chunk)
        if said is None:
            smaller = halves(at.text, chunk)
            if not smaller:
                raise ReplyTruncated(
                    f"The model's reply on {chunk.end - chunk.own} characters of chapter {at.number} was cut off; hand in records."
                )
            at.notes.append(f"the reply on [{chunk.own}, {chunk.end}) was cut off; it was asked for in halves")
            return [part for half in smaller for part in self._parts(at, half)]
        held, rejected = at.verifier.verify(said, chunk)
        return [_Part(chunk, held, rejected, request)]

    def _first(self, at: _Chapter, request: Request, chunk: Chunk) -> list[Any] | None:
        """What the reply lists, or None where it was cut off. Raises where nothing usable can be had."""
        long = tokens_in(at.text[chunk.own : chunk.end]) >= LONG
        for reading in range(1, _READINGS + 1):
            reply, said, fault = self._ask(at, request, long)
            if reply.ending == "refused":
                raise ClaudeRefused(
                    f"The model declined to read chapter {at.number}; publish it with records, or with another extractor."
                )
            if reply.ending == "truncated":
                return None
            if fault is None:
                return said
            if reading == _READINGS or not at.meter.affords(request.expected):
                raise fault
        raise AssertionError("the last reading returns or raises")

    # --- the second look, which mends and adds ---

    def _second(self, at: _Chapter, part: _Part) -> tuple[Records, list[Rejected], Request]:
        """What a second look adds, what stays rejected, and what was asked. A failure of it costs the chapter nothing."""
        request = self._affordable(at, part)
        if request is None:
            return [], part.rejected, part.request
        reply, said, fault = self._ask(at, request, False)
        if fault is not None or reply.ending != "complete":
            at.notes.append(f"the second look at [{part.chunk.own}, {part.chunk.end}) gave nothing that can be used")
            return [], part.rejected, request
        return *at.verifier.verify(said, part.chunk), request

    def _affordable(self, at: _Chapter, part: _Part) -> Request | None:
        text = at.text[part.chunk.start : part.chunk.end]
        wanted: list[Sequence[dict[str, Any]] | None] = [part.held] if self._options.second_look else []
        if part.rejected:
            wanted.append(None)
        for found in wanted:
            request = self._requests.follow_up(text, at.context, found, part.rejected)
            if self._account.recall(request) is not None or at.meter.affords(request.expected):
                return request
        if wanted:
            at.notes.append(f"no second look at [{part.chunk.own}, {part.chunk.end}): the chapter's ceiling is near")
        return None

    # --- one call ---

    def _ask(
        self, at: _Chapter, request: Request, long: bool
    ) -> tuple[Reply, list[Any], ReplyUnreadable | NothingFound | None]:
        """The reply with what it lists, paid for at most once, and what is wrong with it, if anything."""
        reply = self._recalled(at, request)
        if reply is not None:
            at.meter.recalled += 1
            at.used.append(request)
            self._account.use(request, at.story, at.number)
            return reply, listed(reply.text) if reply.ending == "complete" else [], None
        at.meter.demand()
        self._within_budget(cost(request.expected, request.model))
        reply = self._model.ask(request.body)
        said: list[Any] = []
        fault: ReplyUnreadable | NothingFound | None = None
        if reply.ending == "complete":
            try:
                said = listed(reply.text)
            except ReplyUnreadable as error:
                fault = error
            if fault is None and long and not said:
                fault = NothingFound(f"The model found nothing in a long stretch of chapter {at.number}.")
        at.meter.count(reply.tokens, cost(reply.tokens, request.model))
        self._account.enter(request, reply, at.story, at.number, usable=fault is None, batch=False)
        at.used.append(request)
        return reply, said, fault

    def _within_budget(self, expected: float) -> None:
        """Raises `BudgetReached` where a call of so many dollars may not be made."""
        if self._options.budget is not None:
            self._options.budget.allow(self._account, expected, datetime.now(UTC))

    def _recalled(self, at: _Chapter, request: Request) -> Reply | None:
        reply = self._account.recall(request)
        if reply is None and request.purpose == "extract" and at.context != NOTHING:
            # a batch reads chapters before there is a state to show
            reply = self._account.recall(replace(request, context_digest=NOTHING.digest))
        return reply


def _provenance(request: Request) -> dict[str, str]:
    """What stands on every record that a reply to this question gave."""
    return {
        "extractor": "claude",
        "model": request.model,
        "prompt": request.prompt_version,
        "prompt_digest": request.prompt_digest,
        "text": f"sha256:{request.text_digest}",
    }
