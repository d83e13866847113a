"""Packets for questions. The one entry point: everything else in this package is a part of it."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import replace
from threading import Lock
from typing import Any, Final, TypeAlias

from events.errors import InvalidInput
from projections.embedding import Embedder, Vectors
from projections.passages.projection import read_model
from projections.passages.vectors import Pool
from services.retrieval import questions
from services.retrieval.candidates import CandidateSource, SliceCandidates
from services.retrieval.nwm import nwm, variant
from services.retrieval.packing import Item, render, used
from services.retrieval.passages import Asked, Trace, bm25, dense, hybrid
from services.retrieval.planning.advice import Planning
from services.retrieval.pons.method import Pons
from services.retrieval.pons.options import options as pons_options
from services.retrieval.slices import Slice
from services.retrieval.source import PostgresSlices, SliceSource
from services.retrieval.state import state
from services.retrieval.tokens import TOKENIZER, tokens, within
from services.retrieval.weave.method import weave

Method: TypeAlias = Callable[[Asked, int, Trace], list[Item]]

METHODS: Final[Mapping[str, Method]] = {
    "bm25": bm25,
    "dense": dense,
    "hybrid": hybrid,
    "state": state,
    "nwm": nwm,
    "pons": Pons(pons_options("")),
    "weave": weave,
}
VARIANTS: Final[Mapping[str, Callable[[str], Method]]] = {"pons": lambda name: Pons(pons_options(name)), "nwm": variant}
"""Methods that have variants, such as `pons:no-match`: each gives the one called by what comes after the colon."""
DEFAULT: Final = "weave"
_VECTORS_KEPT: Final = 256


def method_called(name: str) -> Method:
    """The method, or the variant of one, that `name` means. Raises `InvalidInput`."""
    base, _, variant = name.partition(":")
    if base in METHODS and variant and base in VARIANTS:
        return VARIANTS[base](variant)
    if name not in METHODS:
        raise InvalidInput(
            f"There is no method {name[:40]!r}; use one of {', '.join(questions.METHODS)} (variants: {', '.join(VARIANTS)}:…)."
        )
    return METHODS[name]


class Retriever:
    """Answers with packets. `slices` replaces PostgreSQL as the source; `candidates` an index that finds matching passages;
    `planning` is asked where a method leaves something to a model."""

    def __init__(
        self,
        pool: Pool | None,
        embedder: Embedder,
        *,
        slices: SliceSource | None = None,
        candidates: CandidateSource | None = None,
        planning: Planning | None = None,
    ) -> None:
        if slices is None:
            if pool is None:
                raise ValueError("a retriever needs a pool, or slices from elsewhere")
            slices = PostgresSlices(pool, read_model(embedder.name))
        self._slices = slices
        self._candidates = candidates or SliceCandidates()
        self._planning = planning
        self._embedder = embedder
        self._vectors: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    def packet(
        self,
        story: str,
        question: str,
        *,
        at: int | str | None = None,
        method: str = DEFAULT,
        budget: int = 12_000,
        budget_tokens: int | None = None,
        as_recorded: int | str | None = None,
    ) -> dict[str, Any]:
        """The evidence for a question as of chapter `at` (default: the last), as believed at `as_recorded` (default: now).

        The packet is the same, byte for byte, whatever comes after that chapter. `used` counts the characters of
        `packing.rendered_packet` and never exceeds `budget`. With `budget_tokens` the packet has at most so many tokens
        instead (`tokens.TOKENIZER` says whose), and `budget` is what that came to in characters. A checkpoint before the
        first chapter gives an empty packet.
        Raises `InvalidInput`, `UnknownStory`, `UnknownCheckpoint`, `ReadModelBehind`.
        """
        asked = questions.question(question, method, budget)
        answering = method_called(asked.method)
        key = self._slices.resolve(story, questions.checkpoint(at), questions.moment(as_recorded))
        slice_ = self._slices.slice(key)
        trace: Trace = [{"step": "slice", "passages": len(slice_.passages)}]
        finder = self._candidates.finder(key, trace)
        advice = self._planning.advice(story, slice_) if self._planning else None
        given = Asked(asked.text, slice_, self._vector, finder, advice)
        limit = questions.tokens(budget_tokens)
        if limit is None:
            items, counted = answering(given, asked.budget, trace), {}
        else:
            items, characters = within(limit, lambda budget: _afresh(answering, given, budget, trace))
            counted = {"budget_tokens": limit, "used_tokens": tokens(render(items)), "tokenizer": TOKENIZER}
            asked = replace(asked, budget=characters)
        trace.extend(advice.notes if advice else ())
        return {
            "question": asked.text,
            "at": key.at,
            "method": asked.method,
            "budget": asked.budget,
            "used": used(items),
            **counted,
            "items": [item.to_json() for item in items],
            "trace": trace,
        }

    def standing(
        self, story: str, *, at: int | str | None = None, as_recorded: int | str | None = None
    ) -> tuple[Slice, int]:
        """What packets as of chapter `at` are made from: live records, state and passages, and the position that it is of.

        A packet asked for `as_recorded` at that position is made from the same slice, whatever is published meanwhile.
        Raises as `packet` does.
        """
        key = self._slices.resolve(story, questions.checkpoint(at), questions.moment(as_recorded))
        return self._slices.slice(key), key.position

    def forget(self) -> None:
        """Drop every text from memory, as when one is erased."""
        self._slices.forget()
        with self._lock:
            self._vectors.clear()

    def _vector(self, text: str) -> Vectors:
        with self._lock:
            found = self._vectors.get(text)
            if found is not None:
                self._vectors.move_to_end(text)
                return found
        vector: Vectors = self._embedder.embed([text])[0]
        with self._lock:
            self._vectors[text] = vector
            if len(self._vectors) > _VECTORS_KEPT:
                self._vectors.popitem(last=False)
        return vector


def _afresh(answering: Method, asked: Asked, budget: int, trace: Trace) -> list[Item]:
    """The items for a budget; the trace keeps the steps of the last try only."""
    steps: Trace = []
    items = answering(asked, budget, steps)
    del trace[1:]
    trace.extend(steps)
    return items
