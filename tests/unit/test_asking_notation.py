"""What the offline reader must not say: how a record is written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from services.answering.readers import Answer
from tests.asking import ask
from tests.storytelling import Telling, told


@pytest.fixture
def telling() -> Telling:
    telling = Telling()
    telling.publish(1, "Mara Voss robbed Tomas Hale. “Come,” said Mara Voss to Tomas Hale.", [
        *(told(f"n{n}", "entity", name, name=name, type="character", aliases=[]) for n, name in enumerate(("Mara Voss", "Tomas Hale"))),
        told("i1", "interaction", "said Mara Voss", source="Mara Voss", target="Tomas Hale", type="speaks to", summary="Come"),
    ])  # fmt: skip
    return telling


class Copying:
    """A reader that gives back how a record is written."""

    name = "copying"

    def answer(self, question: str, packet: Mapping[str, Any], *_: Any) -> Answer:
        return Answer("→ Tomas Hale", False, (packet["items"][0]["id"],))

    guided = answer


def test_the_arrow_of_a_record_is_no_answer(telling: Telling) -> None:
    reply = ask(telling, "Who is Mara Voss?", reader=Copying())
    assert reply["answer"] is None
    assert "how a record is written" in " ".join(each["why"] for each in reply["audit"]["constraints"])
