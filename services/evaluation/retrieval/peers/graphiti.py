"""Graphiti (Rasmussen et al. 2025, package `graphiti-core`) on its embedded Kuzu: facts, entities and episodes by its own defaults.

A chapter is an episode, whole, as it cuts nothing itself; the n-th is told on the n-th day. Its model is `graphiti_model`, its vectors
are those of our own methods, its search the recipe for all that its graph has by reciprocal rank, since no cross-encoder is at hand:
ten facts, ten entities with their summaries, ten episodes. It names no shares of a budget, so that each of the three kinds has a third of a
packet, and episodes what the others leave. A fact that holds no more says until when, as the context does that it writes for a model.
"""

from __future__ import annotations

import asyncio
import importlib
import logging
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from projections.embedding import Embedder
from services.evaluation.retrieval.peers.graphiti_model import Model
from services.evaluation.retrieval.peers.peer import TEXT, Evidence, installed
from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud
from services.evaluation.retrieval.questions import Story

NAME: Final = "graphiti"
_BEGINS: Final = datetime(2000, 1, 1, tzinfo=UTC)


class Graphiti:
    """One story in Graphiti, in memory. Raises `InvalidInput` if it is not installed."""

    shares: Mapping[str, float] = {"relation": 1 / 3, "entity": 1 / 3, TEXT: 1.0}

    def __init__(self, story: Story, embedder: Embedder) -> None:
        check()
        os.environ.setdefault("GRAPHITI_TELEMETRY_ENABLED", "false")
        logging.getLogger("graphiti_core").setLevel(logging.ERROR)  # it warns of every name that only a fact has
        recipes = importlib.import_module("graphiti_core.search.search_config_recipes")
        self._recipe = recipes.COMBINED_HYBRID_SEARCH_RRF
        self._text = importlib.import_module("graphiti_core.nodes").EpisodeType.text
        self._chapters: dict[str, int] = {}
        self._latest: dict[str, int] = {}
        self._loop = asyncio.Runner()
        self._graph = self._loop.run(_opened(Model(ReadingAloud(story)), Vectors(embedder), Unranked()))

    def read(self, chapter: int, text: str) -> None:
        told = {"source": self._text, "source_description": "a chapter", "reference_time": _day(chapter)}
        done = self._loop.run(self._graph.add_episode(name=f"chapter-{chapter}", episode_body=text, **told))
        self._chapters[done.episode.uuid] = chapter
        self._latest.update((node.uuid, chapter) for node in done.nodes)

    def evidence(self, question: str) -> Sequence[Evidence]:
        found = self._loop.run(self._graph.search_(question, config=self._recipe))
        return [
            *(self._fact(edge) for edge in found.edges),
            *(Evidence("entity", self._latest[n.uuid], f"{n.name}: {n.summary}") for n in found.nodes),
            *(Evidence(TEXT, self._chapters[episode.uuid], episode.content) for episode in found.episodes),
        ]

    def _fact(self, edge: Any) -> Evidence:
        chapters = [self._chapters[episode] for episode in edge.episodes]
        if edge.invalid_at is None:
            return Evidence("relation", max(chapters), edge.fact)
        ended = (edge.invalid_at.replace(tzinfo=UTC) - _BEGINS).days  # Kuzu gives times without a zone
        return Evidence("relation", max(*chapters, ended), f"{edge.fact} (until chapter {ended})")

    def close(self) -> None:
        self._loop.run(self._graph.close())
        self._loop.close()


async def _opened(model: Model, vectors: Vectors, ranking: Unranked) -> Any:
    """Graphiti in a database in memory. What it asks its clients to be are classes of its own, as which ours are registered."""
    core = importlib.import_module("graphiti_core")
    for module, client, ours in (
        ("llm_client", "LLMClient", Model),
        ("embedder", "EmbedderClient", Vectors),
        ("cross_encoder", "CrossEncoderClient", Unranked),
    ):
        getattr(importlib.import_module(f"graphiti_core.{module}"), client).register(ours)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Kuzu, for want of another that needs no server
        driver = importlib.import_module("graphiti_core.driver.kuzu_driver").KuzuDriver()
    # the driver's own method makes no index for words, and every search fails without
    await driver.graph_ops.build_indices_and_constraints(driver)
    return core.Graphiti(graph_driver=driver, llm_client=model, embedder=vectors, cross_encoder=ranking)


class Vectors:
    """Our embedder, asked as Graphiti asks one."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    async def create(self, input_data: str | list[str]) -> list[float]:
        return (await self.create_batch([input_data] if isinstance(input_data, str) else input_data[:1]))[0]

    async def create_batch(self, input_data_list: Iterable[str]) -> list[list[float]]:
        return [[float(x) for x in vector] for vector in self._embedder.embed(list(input_data_list))]


class Unranked:
    """In place of a cross-encoder: passages in the order in which they come."""

    async def rank(self, query: str, passages: list[str]) -> list[tuple[str, float]]:
        return [(passage, 1.0 / (1 + place)) for place, passage in enumerate(passages)]


def check() -> None:
    """Raises `InvalidInput` where a package is not installed."""
    installed(NAME, {"graphiti_core": "graphiti-core", "kuzu": "kuzu"})


def _day(chapter: int) -> datetime:
    return _BEGINS + timedelta(days=chapter)
