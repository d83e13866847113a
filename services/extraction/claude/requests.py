"""Requests to the model: the stable part first, so that it is paid for once and then read from the prompt cache."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

from services.extraction.claude import wire
from services.extraction.claude.context import Context
from services.extraction.claude.fencing import fenced
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.pricing import Tokens, tokens_in
from services.extraction.claude.verifying import Rejected
from services.extraction.prompts import prompt

Purpose = Literal["extract", "follow_up", "answer"]
_CACHED = {"type": "ephemeral"}
_OUTPUT_SHARE = 1.0
"""A first reply's tokens for each token of text: some fifteen records of ninety tokens for a thousand words."""
_SECOND_SHARE = 0.2


@dataclass(frozen=True)
class Request:
    """One question to the model. Equal requests have equal keys, whoever asks and whenever."""

    purpose: Purpose
    model: str
    prompt_version: str
    prompt_digest: str
    text_digest: str
    context_digest: str
    details: str
    body: dict[str, Any]
    """The parameters of the Messages API, without `stream`."""

    @cached_property
    def key(self) -> str:
        parts = [self.purpose, self.model, self.prompt_digest, self.text_digest, self.context_digest, self.details]
        return hashlib.sha256("\n".join(parts).encode()).hexdigest()

    @cached_property
    def expected(self) -> Tokens:
        """About what the call takes, for ceilings and estimates."""
        schema = json.dumps(self.body["output_config"])
        blocks = [block["text"] for block in (*self.body["system"], *self.body["messages"][0]["content"])]
        text = tokens_in(self.body["messages"][0]["content"][0]["text"])
        output = text * (_OUTPUT_SHARE if self.purpose == "extract" else _SECOND_SHARE)
        return Tokens(input=sum(map(tokens_in, [schema, *blocks])), output=round(output))


class Requests:
    """Builds the requests of one configuration."""

    def __init__(self, options: ClaudeOptions) -> None:
        self._options = options
        self._first = prompt(options.prompt)
        self._second = prompt(options.follow_up_prompt)
        self._schema = wire.schema()
        schema = json.dumps(self._schema, sort_keys=True)
        self.digest = _digest(self._first.text + "\n" + self._second.text + "\n" + schema)[:12]
        """Stands for the wording of both prompts and the schema."""

    def extract(self, text: str, context: Context) -> Request:
        """The first question about a stretch of text."""
        return self._request("extract", text, context, "medium", "")

    def follow_up(
        self, text: str, context: Context, found: Sequence[dict[str, Any]] | None, rejected: Sequence[Rejected]
    ) -> Request:
        """The second question: to mend what was rejected and, with `found`, to add what is missing."""
        parts = [self._second.text]
        if rejected:
            lines = [json.dumps({"record": r.said, "reason": r.reason}, ensure_ascii=False) for r in rejected]
            parts.append("Rejected:\n" + "\n".join(lines))
        if found is None:
            parts.append("Only the rejected records are asked for: add no others.")
        else:
            parts.append("Found:\n" + "\n".join(map(_told, found)))
        return self._request("follow_up", text, context, "low", "\n\n".join(parts))

    def _request(self, purpose: Purpose, text: str, context: Context, effort: str, question: str) -> Request:
        options = self._options
        content: list[dict[str, Any]] = [{"type": "text", "text": fenced(_encodable(text)), "cache_control": _CACHED}]
        if question:
            content.append({"type": "text", "text": _encodable(question)})
        elif not options.second_look:
            # the text is sent once only: writing it to the cache would cost more than it saves
            content = [{"type": "text", "text": fenced(_encodable(text))}]
        body: dict[str, Any] = {
            "model": options.model,
            "max_tokens": options.max_output,
            "system": self._system(context),
            "messages": [{"role": "user", "content": content}],
            "output_config": {"effort": effort, "format": {"type": "json_schema", "schema": self._schema}},
        }
        if options.model.startswith("claude-sonnet-5-5"):
            # the least this model takes: records are read off the text, and thinking is paid as output
            body["thinking"] = {"type": "between_tools"}
        return Request(
            purpose=purpose, model=options.model, prompt_version=self._first.version, prompt_digest=self.digest,
            text_digest=_digest(text), context_digest=context.digest, details=_digest(question), body=body,
        )  # fmt: skip

    def _system(self, context: Context) -> list[dict[str, Any]]:
        blocks: list[dict[str, Any]] = [{"type": "text", "text": self._first.text, "cache_control": _CACHED}]
        if known := context.render():
            blocks.append({"type": "text", "text": _encodable(known), "cache_control": _CACHED})
        return blocks


def _told(record: dict[str, Any]) -> str:
    """A record in few tokens, for the list of what has been found."""
    left_out = {"id", "kind", "evidence", "confidence", "scene", "description", "requires", "depends_on", "modality"}
    left_out |= {"focalizer", "story_time"}
    said = [_plain(value) for name, value in record.items() if name not in left_out]
    return f"{record['kind']}: {' | '.join(said)}"


def _plain(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(map(_plain, value))
    return str(value.get("entity", "")) if isinstance(value, dict) else str(value)


def _encodable(text: str) -> str:
    """The text without halves of characters, which models now and then write and nobody can send."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()
