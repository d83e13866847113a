"""The benchmarks of the ledger and of what is built on it, one after the other in one run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from services.evaluation.bench import appending, chapters, editing, importing, packets, projecting, reading
from services.evaluation.bench.measures import Measure
from services.evaluation.bench.place import Place, place
from services.evaluation.bench.sizes import Sizes

Taking = Callable[[Place, Sizes], Sequence[Measure]]


def ledger(
    sizes: Sizes,
    *,
    novel: Path | None = None,
    only: Sequence[str] = (),
    told: Callable[[str], None] = lambda _: None,
) -> list[Measure]:
    """Every measure (or those of the groups in `only`). `novel` is a folder of chapters to import; `told` hears what is next."""
    groups: dict[str, Taking] = {
        "append": appending.measure,
        "projections": projecting.follow,
        "rebuild": projecting.rebuild,
        "publish": reading.publish_until_visible,
        "state": reading.state,
        "packet": packets.measure,
        "curve": editing.curve,
        "edit": editing.edits,
        "long-chapter": chapters.measure,
        "import": lambda where, _: importing.measure(where, novel),
    }
    found: list[Measure] = []
    with place() as where:
        for name, take in groups.items():
            if not only or name in only:
                told(name)
                found.extend(take(where, sizes))
    return found


GROUPS = ("append", "projections", "rebuild", "publish", "state", "packet", "curve", "edit", "long-chapter", "import")
