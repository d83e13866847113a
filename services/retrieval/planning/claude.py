"""Advice from Claude: paid for once for the same question and evidence, within the budget, and believed only as far as the story goes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Self

import structlog
from psycopg_pool import ConnectionPool

from events.errors import FabulaError
from services.extraction.claude.client import Model, Reply
from services.extraction.claude.fencing import fenced
from services.extraction.claude.options import ClaudeOptions
from services.extraction.claude.paying import paying
from services.extraction.claude.purpose import about
from services.retrieval.planning.prompts import INTENTS, KEPT, NEXT, VERSION, Prompt
from services.retrieval.pons.steps import follow_up
from services.retrieval.slices import Slice
from services.retrieval.weave.intents import MOST, RulePlanner
from services.retrieval.wording import content_terms

MAX_OUTPUT: Final = 2_000
NAMES: Final = 80
"""Names that the model is shown: those mentioned most."""
LONGEST: Final = 300
"""Characters of a piece of evidence that the model is shown, and of a question that it may ask."""
PATIENCE: Final[dict[str, Any]] = {"attempts": 2, "longest_wait": 2.0, "silence": 15.0, "deadline": 20.0}
"""Somebody waits for the packet, and rules can make it too."""
_RULES: Final = RulePlanner()
_logger = structlog.get_logger(__name__)


class ClaudePlanning:
    """Plans with Claude. Safe in several threads."""

    def __init__(self, model: Model, name: str) -> None:
        self._model = model
        self._name = name

    @classmethod
    def from_options(cls, options: ClaudeOptions, pool: ConnectionPool[Any] | None = None) -> Self:
        """Asks the service that the options name; with a database, what calls cost and said is kept there."""
        return cls(paying(replace(options, **PATIENCE), pool, VERSION), options.model)

    def advice(self, story: str, slice_: Slice) -> ClaudeAdvice:
        return ClaudeAdvice(self, story, slice_)

    def ask(self, prompt: Prompt, question: str, data: str, story: str, at: int) -> Any:
        """The answer, in the field that the prompt names.

        Raises `FabulaError` where the service does not answer or the budget is spent, `Unusable` for a reply of another form.
        """
        with about(story, at):
            reply = self._model.ask(self._body(prompt, question, data))
        return _said(reply, prompt)

    def _body(self, prompt: Prompt, question: str, data: str) -> dict[str, Any]:
        content = [{"type": "text", "text": fenced(data)}, {"type": "text", "text": f"Question: {question}"}]
        return {
            "model": self._name,
            "max_tokens": MAX_OUTPUT,
            "system": [{"type": "text", "text": prompt.system, "cache_control": {"type": "ephemeral"}}],
            "messages": [{"role": "user", "content": content}],
            "output_config": {"effort": "low", "format": {"type": "json_schema", "schema": dict(prompt.schema)}},
        }


class Unusable(Exception):
    """The reply is not of the form that was asked for, or nothing in it is in the story."""


@dataclass(slots=True)
class _Note:
    by: str
    because: str | None = None


class ClaudeAdvice:
    """Advice for one question over one slice; after a first failure rules decide for the rest of it."""

    def __init__(self, planning: ClaudePlanning, story: str, slice_: Slice) -> None:
        self._planning = planning
        self._story = story
        self._slice = slice_
        self._notes: dict[tuple[str, str], _Note] = {}
        self._failure: str | None = None

    @property
    def notes(self) -> list[dict[str, Any]]:
        return [
            {"step": "planning", "asked": asked, "by": note.by} | ({"because": note.because} if note.because else {})
            for (asked, _), note in self._notes.items()
        ]

    def plan(self, question: str) -> Sequence[str]:
        if not self._slice.passages:
            return []  # nothing has been told: no model is needed to see that
        found = self._answer("intents", INTENTS, question, "\n".join(self._names()))
        if not isinstance(found, list):
            return _RULES.plan(question)
        told = [text.strip() for text in found if isinstance(text, str) and self._is_told(text, question)]
        if found and not told:
            self._doubt("intents", question, "no part is in the words of the question or of the story")
            return _RULES.plan(question)
        return told[:MOST]

    def choose(self, question: str, said: Sequence[str]) -> Sequence[int]:
        lines = [f"{number} {' '.join(text.split())[:LONGEST]}" for number, text in enumerate(said)]
        found = self._answer("filter", KEPT, question, "\n".join(lines)) if said else []
        if not isinstance(found, list):
            return range(len(said))
        there = [n for n in found if isinstance(n, int) and not isinstance(n, bool) and 0 <= n < len(said)]
        if said and not there:
            self._doubt("filter", question, "it chose nothing that was shown")
            return range(len(said))
        return there

    def follow_up(self, question: str, said: Sequence[str], step: int) -> str | None:
        data = "\n".join(" ".join(text.split())[:LONGEST] for text in said)
        found = self._answer(f"follow-up {step}", NEXT, question, data)
        if not isinstance(found, str):
            return follow_up(question, said, step)
        if not found.strip():
            return None
        if not self._is_told(found, question):
            self._doubt(f"follow-up {step}", question, "it names what neither the question nor the story does")
            return follow_up(question, said, step)
        return found.strip()

    def _answer(self, asked: str, prompt: Prompt, question: str, data: str) -> Any:
        """The model's answer; None where there is none to be had, and rules decide."""
        note = self._notes[asked, question] = _Note("claude")
        if self._failure is None:
            try:
                return self._planning.ask(prompt, question, data, self._story, self._slice.at)
            except FabulaError as error:
                self._failure = error.title
            except Unusable as error:
                self._failure = str(error)
            _logger.warning("rules plan in the place of the model", story=self._story, because=self._failure)
        note.by, note.because = "rules", self._failure
        return None

    def _doubt(self, asked: str, question: str, because: str) -> None:
        self._notes[asked, question] = _Note("rules", because)

    def _is_told(self, text: str, question: str) -> bool:
        """Whether a text asks something, at no great length, and each word that matters is in the question or in the slice."""
        known = set(content_terms(question))
        asked = content_terms(text)
        return (
            bool(asked)
            and len(text) <= LONGEST
            and all(term in known or len(self._slice.sentences.holders(term)) for term in asked)
        )

    def _names(self) -> list[str]:
        """The names of the slice's figures, those mentioned most first, ties in order of first mention."""
        cast = self._slice.cast
        often = sorted(cast.ordered, key=lambda figure: -len(figure.mentioned_in))[:NAMES]
        return [", ".join([cast.name(figure.id), *cast.aliases(figure)]) for figure in often]


def _said(reply: Reply, prompt: Prompt) -> Any:
    if reply.ending != "complete":
        raise Unusable(f"its reply was {reply.ending}")
    try:
        found = json.loads(reply.text)
    except ValueError:
        raise Unusable("its reply is no JSON") from None
    if not isinstance(found, dict) or not isinstance(found.get(prompt.field), list if prompt.field != "next" else str):
        raise Unusable("its reply is not of the form that was asked for")
    return found[prompt.field]
