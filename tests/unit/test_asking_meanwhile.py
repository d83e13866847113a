"""An edit that comes in while a question is answered is for the next question."""

from __future__ import annotations

from projections.embedding import HashEmbedder
from services.answering.answering import Answering
from services.answering.readers.offline import OfflineReader
from services.retrieval.retriever import Retriever
from services.retrieval.slices import Slice
from services.retrieval.source import SliceKey
from tests.memory_slices import MemorySlices
from tests.storytelling import Telling, owns


class Edited(MemorySlices):
    """Slices during which a chapter is edited: right after the first was handed out."""

    def __init__(self, telling: Telling, embedder: HashEmbedder) -> None:
        super().__init__(telling, embedder)
        self._told = telling
        self._done = False

    def slice(self, key: SliceKey) -> Slice:
        found = super().slice(key)
        if not self._done:
            self._done = True
            text = "Ann gave the ring to Col. The bed was made."
            self._told.publish(1, text, [owns("o1", "ring", "Col", "Ann gave the ring to Col")])
        return found


def test_state_and_packet_of_a_reply_are_of_one_moment() -> None:
    telling, embedder = Telling(), HashEmbedder()
    text = "Ann gave the ring to Bea. The stair was dark."
    telling.publish(1, text, [owns("o1", "ring", "Bea", "Ann gave the ring to Bea")])
    answering = Answering(Retriever(None, embedder, slices=Edited(telling, embedder)), OfflineReader())
    reply = answering.ask(telling.story, "Who has the ring?")
    assert reply["answer"] == "Bea"
    told = " ".join(item["text"] for item in reply["packet"]["items"])
    assert "Bea" in told
    assert "Col" not in told
    after = answering.ask(telling.story, "Who has the ring?")
    assert after["answer"] == "Col"
    assert "Bea" not in " ".join(item["text"] for item in after["packet"]["items"])
