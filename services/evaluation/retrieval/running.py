"""One run: every question of the suites put to every method under every budget, later chapters hidden."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

from events.errors import InvalidInput
from projections.embedding import Embedder
from services.evaluation.retrieval import controls, saved
from services.evaluation.retrieval.blindness import Blindness
from services.evaluation.retrieval.ingesting import Library
from services.evaluation.retrieval.peers import graphiti, hipporag, lightrag
from services.evaluation.retrieval.peers.peer import Peer, Reading
from services.evaluation.retrieval.questions import Question, Story, Suite
from services.evaluation.retrieval.saved import SavedPacket, Writer
from services.retrieval.retriever import METHODS, method_called

Json = Any
BUDGETS: Final = (1_500, 3_000, 4_000, 6_000, 12_000)
PEERS: Final[Mapping[str, Callable[[Story, Embedder], Peer]]] = {
    graphiti.NAME: graphiti.Graphiti,
    hipporag.NAME: hipporag.HippoRag,
    lightrag.NAME: lightrag.LightRag,
}
"""Systems of others, run where they are named and installed."""
_CHECKS: Final[Mapping[str, Callable[[], None]]] = {peer.NAME: peer.check for peer in (graphiti, hipporag, lightrag)}
GIVEN: Final = {**controls.CONTROLS, **controls.ASKED_FOR, **controls.REFERENCES}


class Packets(Protocol):
    """What answers with packets: the product's retriever."""

    def packet(
        self, story: str, question: str, *, at: int, method: str = ..., budget: int = ...
    ) -> Mapping[str, Json]: ...


def _checked(name: str) -> None:
    """Raises `InvalidInput` unless the product has the method, or the variant of one (`pons:no-match`), or a peer is installed."""
    if name in PEERS:
        _CHECKS[name]()
        return
    base = name.partition(":")[0]
    if base not in METHODS:
        raise InvalidInput(f"There is no method {name}; use some of {', '.join([*METHODS, *GIVEN, *PEERS])}.")
    method_called(name)


@dataclass(frozen=True, slots=True)
class Plan:
    """Which methods and budgets are run; the controls always are, the references where they are asked for."""

    methods: Sequence[str] = tuple(METHODS)
    budgets: Sequence[int] = BUDGETS
    told: Callable[[str], None] = field(default=lambda _: None)

    def __post_init__(self) -> None:
        if not self.methods:
            raise InvalidInput(f"There is no method (none given); use some of {', '.join([*METHODS, *GIVEN])}.")
        for name in self.methods:
            if name not in GIVEN:
                _checked(name)
        if not self.budgets or min(self.budgets) < 1:
            raise InvalidInput("Give budgets as numbers of characters from 1, separated by commas, such as 4000,12000.")

    @property
    def bounded(self) -> list[str]:
        """The methods that a budget binds, the controls first."""
        asked = [name for name in dict.fromkeys(self.methods) if name not in GIVEN or name in controls.ASKED_FOR]
        return [*controls.CONTROLS, *asked]

    @property
    def unbounded(self) -> list[str]:
        return [name for name in controls.REFERENCES if name in self.methods]


def run(suites: Sequence[Suite], library: Library, plan: Plan, directory: Path, note: Json = None) -> None:
    """Run the plan and save what came of it in the directory."""
    costs: dict[str, Json] = {}
    vectors: list[float] = []
    with saved.writing(directory, [q for suite in suites for q in suite.questions]) as writer:
        for suite in suites:
            for story, asked in _by_story(suite):
                with library.opened(story) as (application, cost):
                    costs[f"{suite.name}/{story.name}"] = {**asdict(cost), "seconds": cost.seconds}
                    plan.told(f"asking {suite.name}/{story.name}: {len(asked)} questions")
                    vectors += ask(application.asking(), story, asked, plan, writer, application.embedder)
    saved.save_run(
        directory,
        {
            "methods": [*plan.bounded, *plan.unbounded],
            "budgets": sorted(plan.budgets),
            "suites": {suite.name: len(suite.questions) for suite in suites},
            "index": costs,
            "vector_seconds": vectors,
            **(note or {}),
        },
    )


def ask(
    packets: Packets,
    story: Story,
    questions: Sequence[Question],
    plan: Plan,
    writer: Writer,
    embedder: Embedder | None = None,
) -> list[float]:
    """Put the questions, those of a checkpoint together; returns the seconds that each question's vector took.

    `embedder` is what peers embed with, where the plan has any.
    """
    with ExitStack() as stack:
        peers: dict[str, Reading] = {}
        for name in plan.bounded:
            if name in PEERS and embedder is not None:
                peers[name] = Reading(PEERS[name](story, embedder), story, name)
                stack.callback(peers[name].close)
        return _put(_Asked(packets, story, plan, writer, Blindness(story), peers), packets, story, questions, plan)


def _put(asked: _Asked, packets: Packets, story: Story, questions: Sequence[Question], plan: Plan) -> list[float]:
    seconds = []
    warm: set[int] = set()
    for question in sorted(questions, key=lambda q: q.checkpoint):
        if question.checkpoint not in warm:
            # reading a slice, and what a method derives from it, is the index's cost and not the question's
            for method in plan.bounded:
                asked.packet(question, method, min(plan.budgets))
            warm = {question.checkpoint}
        started = time.perf_counter()
        packets.packet(story.name, question.text, at=question.checkpoint, method="dense", budget=1)
        seconds.append(round(time.perf_counter() - started, 6))
        asked.put(question)
    return seconds


class _Asked:
    def __init__(
        self,
        packets: Packets,
        story: Story,
        plan: Plan,
        writer: Writer,
        blindness: Blindness,
        peers: Mapping[str, Reading],
    ) -> None:
        self._packets = packets
        self._story = story
        self._plan = plan
        self._writer = writer
        self._blindness = blindness
        self._peers = peers
        self._leaking: dict[tuple[str, int], bool] = {}

    def packet(self, question: Question, method: str, budget: int) -> Mapping[str, Json]:
        if method in GIVEN:
            return controls.packet(GIVEN[method](self._story, question, budget))
        if method in self._peers:
            return self._peers[method].packet(question, budget)
        return self._packets.packet(
            self._story.name, question.text, at=question.checkpoint, method=method, budget=budget
        )

    def put(self, question: Question) -> None:
        for method in self._plan.bounded:
            for budget in sorted(self._plan.budgets):
                self._save(question, method, budget)
        for method in self._plan.unbounded:
            self._save(question, method, controls.UNBOUNDED)

    def _save(self, question: Question, method: str, budget: int) -> None:
        started = time.perf_counter()
        packet = self.packet(question, method, budget)
        seconds = time.perf_counter() - started
        keys = {self._writer.key(item): item for item in packet["items"]}
        self._writer.add(
            SavedPacket(
                suite=question.suite,
                question=question.id,
                method=method,
                budget=budget,
                used=packet["used"],
                seconds=round(seconds, 6),
                items=tuple(keys),
                leaks=tuple(key for key, item in keys.items() if self._leaks(key, item, question.checkpoint)),
                # one trace a question and method is enough to see which tools were used
                trace=packet["trace"] if budget == max(self._plan.budgets) else None,
            )
        )

    def _leaks(self, key: str, item: Mapping[str, Json], checkpoint: int) -> bool:
        if (key, checkpoint) not in self._leaking:
            self._leaking[key, checkpoint] = self._blindness.leaks(item, checkpoint)
        return self._leaking[key, checkpoint]


def _by_story(suite: Suite) -> Iterator[tuple[Story, list[Question]]]:
    for name, story in suite.stories.items():
        yield story, [question for question in suite.questions if question.story == name]
