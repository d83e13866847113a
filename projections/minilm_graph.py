"""The inference graph of all-MiniLM-L6-v2, written from the model's weights as 7-bit integers (22 MB instead of 91).

The graph reads one text a run and has no padding: activations are quantised with one scale a tensor, so texts that shared a
run would change each other's vectors. Weights keep 7 bits and a scale a column: with 8, the sums of two products overflow 16
bits on processors without VNNI, and results would differ between machines for no gain in quality.

Input `ids`: int64 (1, tokens), tokens <= 512. Output `mean`: float32 (1, 384), the mean over tokens, not normalised.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file

Weights = dict[str, npt.NDArray[np.float32]]

LAYERS = 6
HEADS = 12
WIDTH = 384
_EPSILON = 1e-12
_FUSED = "com.microsoft"


def write_graph(weights_file: Path, target: Path) -> None:
    """Reads the safetensors file and writes the ONNX model to `target`."""
    onnx.save(build_graph(load_file(str(weights_file))), str(target))


def build_graph(weights: Weights) -> onnx.ModelProto:
    graph = _Graph(weights)
    hidden = _embeddings(graph)
    for layer in range(LAYERS):
        hidden = _encoder_layer(graph, hidden, f"encoder.layer.{layer}.")
    graph.node("ReduceMean", hidden, graph.constant(np.array([1])), output="mean", keepdims=0)
    return graph.model()


class _Graph:
    """Collects nodes and constants; every method returns the name of the tensor it makes."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self._nodes: list[onnx.NodeProto] = []
        self._constants: list[onnx.TensorProto] = []

    def constant(self, values: npt.NDArray[np.generic]) -> str:
        name = f"constant_{len(self._constants)}"
        self._constants.append(numpy_helper.from_array(np.ascontiguousarray(values), name))
        return name

    def node(self, op: str, *inputs: str, output: str = "", domain: str = "", **attributes: float) -> str:
        name = output or f"tensor_{len(self._nodes)}"
        node = helper.make_node(op, list(inputs), [name], domain=domain)
        node.attribute.extend(helper.make_attribute(key, value) for key, value in attributes.items())
        self._nodes.append(node)
        return name

    def thirds(self, tensor: str) -> list[str]:
        names = [f"tensor_{len(self._nodes)}_{third}" for third in range(3)]
        self._nodes.append(helper.make_node("Split", [tensor], names, axis=-1, num_outputs=3))
        return names

    def linear(self, tensor: str, matrix: npt.NDArray[np.float32], bias: npt.NDArray[np.float32]) -> str:
        """tensor @ matrix + bias, computed in integers; `matrix` is (inputs, outputs)."""
        integers, scales = _quantised(matrix, bits=7)
        zero = np.zeros(scales.shape, dtype=np.int8)
        parts = [self.constant(part) for part in (integers, scales, zero, bias)]
        return self.node("DynamicQuantizeMatMul", tensor, *parts, domain=_FUSED)

    def dense(self, tensor: str, prefix: str) -> str:
        return self.linear(tensor, self.weights[prefix + ".weight"].T, self.weights[prefix + ".bias"])

    def normalised(self, tensor: str, prefix: str) -> str:
        gain, shift = (self.constant(self.weights[prefix + part]) for part in (".weight", ".bias"))
        return self.node("LayerNormalization", tensor, gain, shift, axis=-1, epsilon=_EPSILON)

    def model(self) -> onnx.ModelProto:
        ids = helper.make_tensor_value_info("ids", TensorProto.INT64, [1, "tokens"])
        mean = helper.make_tensor_value_info("mean", TensorProto.FLOAT, [1, WIDTH])
        graph = helper.make_graph(self._nodes, "all-MiniLM-L6-v2", [ids], [mean], self._constants)
        opsets = [helper.make_opsetid("", 20), helper.make_opsetid(_FUSED, 1)]
        return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def _embeddings(graph: _Graph) -> str:
    words, positions, types = (
        graph.weights[f"embeddings.{part}_embeddings.weight"] for part in ("word", "position", "token_type")
    )
    integers, scales = _quantised(words.T, bits=8)
    rows = graph.node("Cast", graph.node("Gather", graph.constant(integers.T), "ids"), to=TensorProto.FLOAT)
    word = graph.node("Mul", rows, graph.node("Gather", graph.constant(scales[:, None]), "ids"))
    tokens = graph.node("Shape", "ids", start=1, end=2)
    zero = graph.constant(np.array([0]))
    place = graph.node("Slice", graph.constant(positions + types[0]), zero, tokens, zero)
    return graph.normalised(graph.node("Add", word, place), "embeddings.LayerNorm")


def _encoder_layer(graph: _Graph, hidden: str, prefix: str) -> str:
    attended = graph.dense(_attention(graph, hidden, prefix), prefix + "attention.output.dense")
    hidden = graph.normalised(graph.node("Add", hidden, attended), prefix + "attention.output.LayerNorm")
    inner = graph.node("Gelu", graph.dense(hidden, prefix + "intermediate.dense"))
    outer = graph.dense(inner, prefix + "output.dense")
    return graph.normalised(graph.node("Add", hidden, outer), prefix + "output.LayerNorm")


def _attention(graph: _Graph, hidden: str, prefix: str) -> str:
    """Query, key and value in one product, the query's 1/sqrt(32) folded into its weights."""
    names = [f"{prefix}attention.self.{part}." for part in ("query", "key", "value")]
    factors = [np.float32((WIDTH // HEADS) ** -0.5), np.float32(1), np.float32(1)]
    matrix = np.concatenate([graph.weights[n + "weight"] * f for n, f in zip(names, factors, strict=True)])
    bias = np.concatenate([graph.weights[n + "bias"] * f for n, f in zip(names, factors, strict=True)])
    query, key, value = graph.thirds(graph.linear(hidden, matrix.T, bias))
    return graph.node("MultiHeadAttention", query, key, value, domain=_FUSED, num_heads=HEADS, scale=1.0)


def _quantised(matrix: npt.NDArray[np.float32], bits: int) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """Symmetric integers and one scale a column: matrix ≈ integers * scales."""
    top = 2 ** (bits - 1) - 1
    scales = np.maximum(np.abs(matrix).max(axis=0), np.float32(1e-12)) / np.float32(top)
    return np.clip(np.rint(matrix / scales), -top, top).astype(np.int8), scales.astype(np.float32)
