"""Old versions of stored events are brought up to date when they are read; the store is never touched.

An upcaster takes the state of version n of a topic and gives that of version n + 1; a chain of them leads to the version
that the code knows.

History of `fabula.record-asserted` and `fabula.record-carried`:

* version 1 had `evidence` as objects `{"start", "end"}` and no `order.scene`; it was written by 0.0.x.
* version 2 has evidence as pairs and the full order.
* version 3 has `provenance`; of older ones nobody noted it.

History of `fabula.chapter-published`:

* version 2 has `rereads`; before it nothing was read anew.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

State = dict[str, Any]
Upcaster = Callable[[State], State]


def _record_stated_1_to_2(state: State) -> State:
    spans = [[span["start"], span["end"]] for span in state["evidence"]]
    order = state["order"]
    scene = order[0] if len(order) == 3 else state["payload"].get("scene") or 0
    return {**state, "evidence": spans, "order": [scene, *order[-2:]]}


def _record_stated_2_to_3(state: State) -> State:
    return {**state, "provenance": None}


def _chapter_published_1_to_2(state: State) -> State:
    return {**state, "rereads": None}


UPCASTERS: Final[dict[str, dict[int, Upcaster]]] = {
    "fabula.chapter-published": {1: _chapter_published_1_to_2},
    "fabula.record-asserted": {1: _record_stated_1_to_2, 2: _record_stated_2_to_3},
    "fabula.record-carried": {1: _record_stated_1_to_2, 2: _record_stated_2_to_3},
}


def upcast(topic: str, version: int, state: State, to: int) -> State:
    """The state as version `to` of the topic has it. Raises `LookupError` if a step is missing."""
    for step in range(version, to):
        state = UPCASTERS.get(topic, {})[step](state)
    return state
