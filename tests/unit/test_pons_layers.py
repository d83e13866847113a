"""The layers of `pons`: chunks, clusters, edges, each against cases counted by hand or a plainer way of making the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from events.errors import InvalidInput
from projections.embedding import HashEmbedder, Vectors
from services.retrieval.pons.bridge import bridge, rarities
from services.retrieval.pons.clusters import Assigned, Clusters, clusters
from services.retrieval.pons.index import Index, index_of
from services.retrieval.pons.options import ABLATIONS, Options, options
from services.retrieval.slices import Slice
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, told

SNOW = "Snow lay deep on the pass that winter. " * 60


def slice_of(telling: Telling, at: int) -> Slice:
    source = MemorySlices(telling, HashEmbedder())
    return source.slice(source.resolve(telling.story, at, None))


@pytest.fixture
def story() -> Slice:
    telling = Telling()
    telling.publish(1, f"Mara lit the lantern. {SNOW} Odran came.", [
        told("n1", "entity", "Mara", name="Mara", type="character", description="keeper of the lantern"),
        told("v1", "event", "Mara lit the lantern", summary="Mara lights the lantern", participants=["Mara"]),
        told("v2", "event", "Odran came", summary="Odran arrives over the pass", participants=["Odran"]),
    ])  # fmt: skip
    telling.publish(
        2, f"Mara slept. {SNOW}", [told("v1", "event", "Mara slept", summary="Mara sleeps", participants=["Mara"])]
    )
    return slice_of(telling, 2)


def test_a_figure_appears_where_a_record_mentions_it_and_where_its_name_stands(story: Slice) -> None:
    layer = Index(story).characters
    names = [story.cast.name(figure.id) for figure in story.cast.ordered]
    chunks = {name: layer.presence[[n]].indices.tolist() for n, name in enumerate(names)}
    first_of_two = next(i for i, p in enumerate(story.passages) if p.chapter == 2)
    assert chunks["Mara"] == [0, first_of_two]
    assert chunks["Odran"] == [i for i, p in enumerate(story.passages) if "Odran" in p.text]


def test_a_record_belongs_to_the_last_chunk_that_begins_before_it(story: Slice) -> None:
    plot = Index(story).plot
    for event, record in enumerate(plot.records.tolist()):
        row, chunk = story.records[record], story.passages[int(plot.chunk[event])]
        assert chunk.chapter == row.chapter
        assert chunk.start <= row.order[1] < chunk.end


def test_rarity_is_the_logarithm_of_chunks_over_one_more_than_those_with_the_figure(story: Slice) -> None:
    layer = Index(story).characters
    expected = [math.log(len(story.passages) / (1 + int(f))) for f in layer.frequency]
    assert rarities(layer, len(story.passages)).tolist() == pytest.approx(expected)


def test_an_edge_weighs_similarity_times_rarity_from_tau_on(story: Slice) -> None:
    index = Index(story)
    layer, plot = index.characters, index.plot
    vectors = np.concatenate([story.record_vectors[plot.records], story.passage_vectors])
    cosine = layer.vectors.astype(np.float64) @ vectors.T.astype(np.float64)
    similarity = 1 - 0.304 * (1 - cosine) / (1 - cosine.mean())
    for scheme, rarity in (("pons", rarities(layer, len(story.passages))[:, None]), ("semantic", 1.0)):
        expected = np.where(similarity >= 0.75, np.maximum(similarity * rarity, 0.0), 0.0)
        found = bridge(story, layer, plot, options("" if scheme == "pons" else scheme)).weights.toarray()
        assert found == pytest.approx(expected, abs=1e-5)


def test_by_mention_an_edge_joins_a_figure_with_what_happens_in_its_chunks(story: Slice) -> None:
    index = Index(story)
    found = bridge(story, index.characters, index.plot, Options(bridging="mention")).weights.toarray()
    assert (found == index.characters.presence.toarray()[:, index.plot.chunk]).all()


def test_each_node_shares_out_all_it_has(story: Slice) -> None:
    index = Index(story)
    edges = bridge(story, index.characters, index.plot, Options(tau=0.0))
    for outgoing in (edges.to_plot.toarray().sum(axis=0), edges.to_figures.toarray().sum(axis=0)):
        assert outgoing[outgoing > 0] == pytest.approx(1.0)


def test_an_index_goes_with_its_slice() -> None:
    telling = Telling()
    telling.publish(1, "Mara lit the lantern.")
    kept = slice_of(telling, 1)
    index = index_of(kept)
    assert index_of(kept) is index
    assert index_of(slice_of(telling, 1)) is not index


# --- clusters ---

Told = list[list[str]]
HAPPENINGS = ["snow falls", "snow falls hard", "a key is lost", "the key is lost", "Odran sings", "夜"]
STORIES = st.lists(st.lists(st.sampled_from(HAPPENINGS), min_size=1, max_size=5), min_size=1, max_size=6)


def clustered(story: Told, assigned: Assigned) -> Clusters:
    texts = [text for chapter in story for text in chapter]
    chapters = [number for number, chapter in enumerate(story) for _ in chapter]
    return clusters(HashEmbedder().embed(texts), chapters, [t.encode() for t in texts], assigned)


@given(STORIES, st.data())
def test_clusters_are_the_same_whatever_was_clustered_before(story: Told, data: st.DataObject) -> None:
    assigned = Assigned()
    for _ in range(3):
        other = data.draw(STORIES)
        clustered(story[: data.draw(st.integers(0, len(story)))] + other, assigned)
    found, fresh = clustered(story, assigned), clustered(story, Assigned())
    assert found.labels.tolist() == fresh.labels.tolist()
    assert found.vectors.tobytes() == fresh.vectors.tobytes()


@given(STORIES, STORIES)
def test_later_chapters_leave_the_clusters_of_earlier_events_as_they_are(story: Told, later: Told) -> None:
    before, after = clustered(story, Assigned()).labels, clustered(story + later, Assigned()).labels
    assert after[: len(before)].tolist() == before.tolist()


def test_events_that_mean_the_same_are_one_cluster_and_its_summary_its_middle() -> None:
    found = clustered([["the key is lost", "Odran sings"], ["the key is lost"], ["the key is lost again"]], Assigned())
    assert found.labels.tolist() == [0, 1, 0, 0]
    assert found.summaries[0].tolist()[:2] == [0, 2]
    assert found.summaries[1].tolist() == [1]


def test_without_events_there_are_no_clusters() -> None:
    empty: Vectors = np.zeros((0, 4), dtype=np.float32)
    found = clusters(empty, [], [], Assigned())
    assert (len(found.labels), len(found.summaries), found.vectors.shape) == (0, 0, (0, 4))


# --- options ---


def test_an_empty_variant_means_the_papers_settings() -> None:
    chosen = options("")
    assert (chosen.k1, chosen.k2, chosen.k3, chosen.k4) == (15, 15, 15, 30)
    assert (chosen.alpha, chosen.beta, chosen.gamma, chosen.tau) == (0.7, 0.2, 0.1, 0.75)


def test_ablations_and_settings_are_joined_by_a_plus() -> None:
    chosen = options("no-awaken+one-to-two+tau=0.5+k4=7")
    assert (chosen.awaken, chosen.degree, chosen.tau, chosen.k4) == (False, 2, 0.5, 7)


@pytest.mark.parametrize("name", sorted(ABLATIONS))
def test_every_ablation_changes_something(name: str) -> None:
    assert options(name) != Options()


@pytest.mark.parametrize(
    "name", ["no-such", "tau=2", "tau=nan", "tau=", "k1=0", "k1=1.5", "k1=١", "layers=char", "=", "k1=" + "9" * 99]
)
def test_an_unknown_variant_is_refused_with_those_that_exist(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"no-match|from 0 to 1|from 1 to|give a setting"):
        options(name)
