"""Packets through PostgreSQL: the same as over slices in memory, before and after the story went on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson
import psycopg
import pytest
from psycopg_pool import ConnectionPool

from events.domain_events import Recorded
from events.errors import InvalidInput, ReadModelBehind, UnknownStory
from events.ids import MAX_CHAPTER
from projections.embedding import HashEmbedder
from projections.passages.projection import PassagesProjection
from projections.passages.vectors import Pool, VectorCache
from projections.runner import Runner
from services.retrieval.retriever import METHODS, Retriever
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns, told

QUESTION = "Who has the brass key, and where is Mara?"
METHOD_NAMES = sorted(METHODS)


class ToldLog:
    """The log of a telling, as read models read it."""

    def __init__(self, telling: Telling) -> None:
        self._telling = telling

    def events_after(self, position: int, limit: int) -> list[Recorded]:
        return [r for r in self._telling.log if r.position > position][:limit]

    def story_events(self, story: str, after_version: int = 0) -> Iterator[Recorded]:
        return (r for r in self._telling.log if r.event.version > after_version)

    def last_position(self) -> int:
        return self._telling.position

    def stories(self) -> list[str]:
        return [self._telling.story]


class Served:
    """A story with its read model in PostgreSQL and a retriever over it."""

    def __init__(self, pool: Pool, telling: Telling) -> None:
        embedder = HashEmbedder()
        self.pool, self.telling = pool, telling
        self.retriever = Retriever(pool, embedder)
        self.in_memory = Retriever(None, embedder, slices=MemorySlices(telling, embedder))
        self._runner = Runner(ToldLog(telling), pool, [PassagesProjection(telling, VectorCache(pool, embedder))])

    def catch_up(self) -> None:
        self._runner.catch_up()

    def ask(self, **asked: Any) -> bytes:
        return orjson.dumps(self.retriever.packet(self.telling.story, QUESTION, **asked))

    def ask_in_memory(self, **asked: Any) -> bytes:
        return orjson.dumps(self.in_memory.packet(self.telling.story, QUESTION, **asked))


@pytest.fixture
def pool(postgres_dsn: str) -> Iterator[Pool]:
    with ConnectionPool[psycopg.Connection[Any]](postgres_dsn, min_size=1, max_size=4) as pool:
        yield pool


@pytest.fixture
def served(pool: Pool) -> Served:
    telling = Telling()
    publish(telling, 1, "brass key", "Mara")
    publish(telling, 2, "lantern", "the stranger")
    publish(telling, 3, "brass key", "Tomas")
    telling.link("the stranger", "Mara", 3)
    publish(telling, 2, "letter", "the stranger")
    telling.withdraw(1, "c1")
    served = Served(pool, telling)
    served.catch_up()
    return served


def publish(telling: Telling, chapter: int, thing: str, owner: str) -> None:
    snow = " ".join(f"Snow fell on roof {chapter}-{i}." for i in range(200))
    records = [
        told("e1", "entity", owner, name=owner, type="character", aliases=[owner.upper()]),
        owns("o1", thing, owner, f"{owner} has the {thing}"),
        told("c1", "character_delta", "Snow", character=owner, attribute="mood", value=f"calm {chapter}"),
        told("v1", "event", "Snow fell", summary=f"{owner} finds the {thing}", participants=[owner, "Odran"]),
    ]
    telling.publish(chapter, f"{owner} has the {thing}. {snow}", records)


def go_on(telling: Telling) -> None:
    """A future of chapters after 3: new, edited and withdrawn ones, and a link."""
    publish(telling, 4, "brass key", "Odran")
    publish(telling, 5, "knife", "Mara")
    publish(telling, 4, "brass key", "Ilse")
    telling.link("Tomas", "Odran", 5)
    telling.retract(5)
    telling.checkpoint("end", 4)


@pytest.mark.parametrize("at", [1, 2, 3])
@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_packet_is_the_same_before_and_after_the_story_goes_on(served: Served, method: str, at: int) -> None:
    before = served.ask(at=at, method=method, budget=5_000)
    go_on(served.telling)
    served.catch_up()
    assert served.ask(at=at, method=method, budget=5_000) == before
    fresh = Served(served.pool, served.telling)
    assert fresh.ask(at=at, method=method, budget=5_000) == before


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_postgres_gives_the_packets_that_the_events_amount_to(served: Served, method: str) -> None:
    go_on(served.telling)
    served.catch_up()
    for at in (1, 2, 3, 4, 5, 9):
        assert served.ask(at=at, method=method, budget=20_000) == served.ask_in_memory(
            at=at, method=method, budget=20_000
        )


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_what_was_believed_is_still_answered_after_edits(served: Served, method: str) -> None:
    before, then = served.ask(method=method, at=3), served.telling.position
    publish(served.telling, 1, "nothing", "Nobody")
    served.catch_up()
    assert served.ask(method=method, at=3) != before
    assert served.ask(method=method, at=3, as_recorded=then) == before
    assert served.ask(method=method, at=3, as_recorded=then + 2) == before  # inside the publication: not yet


def test_a_moment_reads_like_the_position_it_means(served: Served) -> None:
    position = next(r.position for r in served.telling.log if r.event.chapter == 2) - 1
    assert served.ask(at=3, as_recorded="2026-01-01T01:30:00Z") == served.ask(at=3, as_recorded=position)


def test_a_belief_before_the_first_publication_gives_an_empty_packet(served: Served) -> None:
    packet = served.retriever.packet("lantern", QUESTION, as_recorded=0)
    assert (packet["items"], packet["at"]) == ([], 1)


@pytest.mark.parametrize("story", ["nothing", "a\0b", "\ud800", "'; DROP SCHEMA public; --", ""])
def test_a_story_of_no_such_name_is_unknown(served: Served, story: str) -> None:
    with pytest.raises(UnknownStory):
        served.retriever.packet(story, QUESTION)


def test_the_last_chapter_that_there_may_be_is_a_checkpoint_and_none_beyond_it(served: Served) -> None:
    assert served.retriever.packet("lantern", QUESTION, at=MAX_CHAPTER)["items"]
    with pytest.raises(InvalidInput, match=str(MAX_CHAPTER)):
        served.retriever.packet("lantern", QUESTION, at=MAX_CHAPTER + 1)


def test_without_a_read_model_the_retriever_says_what_to_start(pool: Pool) -> None:
    telling = Telling()
    telling.publish(1, "One.")
    Runner(ToldLog(telling), pool, []).prepare()
    with pytest.raises(ReadModelBehind, match="fabula project"):
        Retriever(pool, HashEmbedder()).packet("lantern", QUESTION)
