"""A chapter and what a model might say of it, for the tests of the Claude extractor."""

from __future__ import annotations

from typing import Any

SHORT = (
    "Mara Voss shut the door of the Harbour Office behind her. The brass key lay warm in her palm.\n\n"
    "“Keep it,” she told Tomas Reed, and gave him the key. He promised to bring it back before the tide."
)

_FILLER = (
    "Mara walked along the quay and counted the boats, number {n}, as her father had taught her. "
    "The gulls above warehouse {n} were loud, and nobody answered when she called for Tomas.\n\n"
)


def long_chapter(paragraphs: int = 25) -> str:
    """A chapter of some 35 words a paragraph; from 20 paragraphs on it is long enough to have something in it."""
    return SHORT + "\n\n" + "".join(_FILLER.format(n=n) for n in range(1, paragraphs + 1))


def said(id_: str, kind: str, quote: str, **content: Any) -> dict[str, Any]:
    """A record as a reply has it."""
    return {
        "id": id_, "quotes": [quote], "scene": 1, "modality": "actual", "confidence": 0.9,
        "content": {"kind": kind, **content},
    }  # fmt: skip


MARA = said("e1", "entity", "Mara Voss shut the door", type="character", name="Mara Voss", aliases=["Mara"])
TOMAS = said("e2", "entity", "she told Tomas Reed", type="character", name="Tomas Reed", aliases=["Tomas"])
PRESENCE = said("p1", "presence", "shut the door of the Harbour Office", entity="Mara Voss", location="Harbour Office")
KEY = said("o1", "object_delta", "gave him the key", object="brass key", owner="Tomas Reed")
PROMISE = said(
    "t1", "thread", "He promised to bring it back before the tide", thread="return of the key",
    thread_kind="promise", status="opened",
)  # fmt: skip
ALL = (MARA, TOMAS, PRESENCE, KEY, PROMISE)
