"""HippoRAG 2 (Gutiérrez et al. 2025, package `hipporag`): passages by personalised PageRank over triples, by its own defaults.

It cuts nothing itself, and is given our own passages. Its model is `reading_aloud`, whose statements stand for the predicates of triples;
the model's choice among the five nearest facts of a question falls on those that share a word with it. Its vectors are those of our own
methods. What it has indexed is built anew for each checkpoint: to an index that grows it adds the edges of all facts again, and what it
looks things up in stays as it was. Its package imports vLLM for a mode that is not used here, so that an empty module stands for it
where it is not installed.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import io
import json
import logging
import re
import sys
import tempfile
from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Any, Final

import numpy as np

from projections.embedding import Embedder
from projections.words.segmentation import windows
from services.evaluation.retrieval.matching import FUNCTION_WORDS, words
from services.evaluation.retrieval.peers.peer import TEXT, Evidence, installed
from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud
from services.evaluation.retrieval.questions import Story

Json = Any
NAME: Final = "hipporag"
_PARAGRAPH: Final = re.compile(r"Paragraph:\s*```\n(.*?)\n```\s*(\{.*\})", re.DOTALL)
_PLAIN: Final = str.maketrans("{}", "()")
_FILTERED: Final = re.compile(
    r"\[\[ ## question ## \]\]\n(.*?)\n\n\[\[ ## fact_before_filter ## \]\]\n(.*?)\n\nRespond", re.DOTALL
)


class HippoRag:
    """One story in HippoRAG, in a folder of its own that is gone when it is closed. Raises `InvalidInput` if it is not installed."""

    shares: Mapping[str, float] = {TEXT: 1.0}

    def __init__(self, story: Story, embedder: Embedder) -> None:
        check()
        if "vllm" not in sys.modules and importlib.util.find_spec("vllm") is None:
            sys.modules["vllm"] = _empty("vllm", "SamplingParams", "LLM")
        self._package: Any = importlib.import_module("hipporag.HippoRAG")
        self._config = importlib.import_module("hipporag.utils.config_utils").BaseConfig
        logging.getLogger("hipporag").setLevel(logging.ERROR)
        self._model = Model(ReadingAloud(story))
        self._vectors = Vectors(embedder)
        self._passages: dict[str, int] = {}
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._rag: Any = None

    def read(self, chapter: int, text: str) -> None:
        self._passages.update((text[window.start : window.end], chapter) for window in windows(text))
        self._rag = None

    def evidence(self, question: str) -> Sequence[Evidence]:
        with (
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):  # it tells every step
            if self._rag is None:
                self._rag = self._indexed()
            (found,) = self._rag.retrieve([question])
        return [Evidence(TEXT, self._passages[passage], passage) for passage in found.docs]

    def _indexed(self) -> Any:
        self.close()
        self._folder = tempfile.TemporaryDirectory(prefix="fabula-hipporag-")
        self._package._get_llm_class = lambda config: self._model
        self._package._get_embedding_model_class = lambda embedding_model_name: lambda **_: self._vectors
        rag = self._package.HippoRAG(global_config=self._config(save_dir=self._folder.name))
        rag.index(list(self._passages))
        return rag

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


class Model:
    """What HippoRAG asks of a model, answered in its forms: named entities, triples, and which facts bear on a question."""

    def __init__(self, told: ReadingAloud) -> None:
        self._told = told

    def infer(self, messages: Sequence[Mapping[str, str]], **_: Any) -> tuple[str, Json, bool]:
        """The answer, what it cost, and that it was not kept from before."""
        return self._answer(messages[-1]["content"]), {"finish_reason": "stop"}, False

    def _answer(self, prompt: str) -> str:
        if filtered := _FILTERED.search(prompt):
            asked = words(filtered.group(1)) - FUNCTION_WORDS
            near = [fact for fact in json.loads(filtered.group(2))["fact"] if asked & words(" ".join(fact))]
            return f"[[ ## fact_after_filter ## ]]\n{json.dumps({'fact': near})}\n\n[[ ## completed ## ]]"
        if paragraph := _PARAGRAPH.search(prompt):
            facts = self._told.facts(paragraph.group(1), json.loads(paragraph.group(2))["named_entities"])
            return _listed("triples", [[fact.source, fact.description, fact.target] for fact in facts])
        entities, _ = self._told.extract(prompt)
        return _listed("named_entities", [entity.name for entity in entities])


class Vectors:
    """Our embedder, asked as HippoRAG asks one. A text is embedded once, though its index is built anew."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._known: dict[str, Any] = {}

    def batch_encode(self, texts: str | list[str], **_: Any) -> Any:
        """Vectors of length 1, (texts, dimensions). What it says a text is for is left out: our embedder has no such wish."""
        wanted = [texts] if isinstance(texts, str) else texts
        new = [text for text in dict.fromkeys(wanted) if text not in self._known]
        if new:
            self._known.update(zip(new, np.asarray(self._embedder.embed(new), dtype=np.float32), strict=True))
        return np.stack([self._known[text] for text in wanted])


def check() -> None:
    """Raises `InvalidInput` where a package is not installed."""
    installed(NAME, {"hipporag": "hipporag", "torch": "torch", "igraph": "python-igraph"})


def _listed(what: str, found: Json) -> str:
    """As it reads an answer: there are no braces inside."""
    return f'{{"{what}": {json.dumps(found).translate(_PLAIN)}}}'


def _empty(name: str, *names: str) -> ModuleType:
    module = ModuleType(name)
    for each in names:
        setattr(module, each, None)
    return module
