"""LightRAG (Guo et al. 2024, package `lightrag-hku`), mode `mix`: entities, relations and chunks by its own defaults.

Its model is `reading_aloud`, its vectors are those of our own methods, its tokens pieces of words of about four characters (its
own tokenizer is fetched from the network). A packet gives entities and relations the share of its default budgets (6,000 and 8,000 of
30,000 tokens); chunks have the rest. No reranker is at hand, so it is off.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import re
import tempfile
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import numpy as np

from projections.embedding import Embedder
from services.evaluation.retrieval.peers.peer import TEXT, Evidence, installed
from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud, keywords
from services.evaluation.retrieval.questions import Story

NAME: Final = "lightrag"
_FIELD, _END, _SEVERAL = "<|#|>", "<|COMPLETE|>", "<SEP>"
_FENCED: Final = re.compile(r"---Input Text---\s*```\n(.*?)\n```", re.DOTALL)
_DESCRIPTION: Final = re.compile(r'"(?:Description|description)":\s*("(?:[^"\\]|\\.)*")')
_MERGED: Final = 2_400
"""Characters of a merged description: its default asks for about 600 tokens."""

Model: TypeAlias = Callable[..., Awaitable[str]]


class LightRag:
    """One story in LightRAG, in a folder of its own that is gone when it is closed. Raises `InvalidInput` if it is not installed."""

    shares: Mapping[str, float] = {"entity": 0.2, "relation": 8 / 30, TEXT: 1.0}

    def __init__(self, story: Story, embedder: Embedder) -> None:
        check()
        lightrag = importlib.import_module("lightrag")
        utils = importlib.import_module("lightrag.utils")
        self._parameters = lightrag.QueryParam
        logging.getLogger("lightrag").setLevel(logging.WARNING)  # it tells every entity
        self._folder = tempfile.TemporaryDirectory(prefix="fabula-lightrag-")
        self._loop = asyncio.Runner()
        self._rag = lightrag.LightRAG(
            working_dir=self._folder.name,
            llm_model_func=model(ReadingAloud(story)),
            embedding_func=utils.EmbeddingFunc(
                embedding_dim=embedder.dimensions, max_token_size=8192, func=_vectors(embedder)
            ),
            tokenizer=utils.Tokenizer("pieces of words", Pieces()),
        )
        self._loop.run(self._rag.initialize_storages())

    def read(self, chapter: int, text: str) -> None:
        self._loop.run(self._rag.ainsert(text, ids=[f"chapter-{chapter}"], file_paths=[f"chapter-{chapter}.txt"]))

    def evidence(self, question: str) -> Sequence[Evidence]:
        parameters = self._parameters(mode="mix", enable_rerank=False)
        found = self._loop.run(self._rag.aquery_data(question, parameters)).get("data", {})
        return [
            *(_evidence("entity", e, f"{e['entity_name']}: {e['description']}") for e in found.get("entities", ())),
            *(
                _evidence("relation", r, f"{r['src_id']}, {r['tgt_id']}: {r['description']}")
                for r in found.get("relationships", ())
            ),
            *(_evidence(TEXT, chunk, chunk["content"]) for chunk in found.get("chunks", ())),
        ]

    def close(self) -> None:
        self._loop.run(self._rag.finalize_storages())
        self._loop.close()
        self._folder.cleanup()


def model(told: ReadingAloud) -> Model:
    """What LightRAG asks of a model, answered in its form. A function of its own, since LightRAG copies what it is given."""

    async def answer(prompt: str, system_prompt: str | None = None, **_: Any) -> str:
        if text := _FENCED.search(prompt):
            entities, relations = told.extract(text.group(1))
            rows = [("entity", e.name, e.type, e.description) for e in entities]
            related = [("relation", r.source, r.target, r.keywords, r.description) for r in relations]
            return "\n".join([*(_FIELD.join(row) for row in (*rows, *related)), _END])
        if "high_level_keywords" in prompt + (system_prompt or ""):
            question = prompt.rpartition("User Query:")[2].partition("---Output---")[0].strip()
            return json.dumps({"high_level_keywords": [question], "low_level_keywords": keywords(question)})
        descriptions = [json.loads(found) for found in _DESCRIPTION.findall(prompt)]
        # a second look finds no more; several descriptions of one thing are put behind each other
        return " ".join(dict.fromkeys(descriptions))[:_MERGED] if descriptions else _END

    return answer


def _vectors(embedder: Embedder) -> Callable[..., Awaitable[Any]]:
    async def embed(texts: list[str], **_: Any) -> Any:
        return np.asarray(embedder.embed(texts), dtype=np.float32)

    return embed


class Pieces:
    """A tokenizer without a vocabulary: words are cut into pieces of at most six characters, the space before them with them."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self._pieces: list[str] = []

    def encode(self, content: str) -> list[int]:
        found = []
        for piece in re.findall(r"\s*\S{1,6}|\s+", content):
            number = self._numbers.get(piece)
            if number is None:
                number = self._numbers.setdefault(piece, len(self._pieces))
                self._pieces.append(piece)
            found.append(number)
        return found

    def decode(self, tokens: Sequence[int]) -> str:
        return "".join(self._pieces[token] for token in tokens)


def check() -> None:
    """Raises `InvalidInput` where the package is not installed."""
    installed(NAME, {"lightrag": "lightrag-hku"})


def _evidence(kind: str, row: Mapping[str, Any], text: str) -> Evidence:
    paths = str(row.get("file_path", "")).split(_SEVERAL)
    chapters = [int(found) for path in paths for found in re.findall(r"chapter-(\d+)", path)]
    return Evidence(kind, max(chapters, default=1), text)
