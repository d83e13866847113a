"""The longest chapter there may be."""

from __future__ import annotations

from typing import Any

from events.ledger import Ledger
from services.evaluation.bench.child import measured
from services.evaluation.bench.measures import Measure
from services.evaluation.bench.place import Place
from services.evaluation.bench.serial import prose
from services.evaluation.bench.sizes import Sizes
from services.extraction.extractors import extractor
from services.extraction.handling import Handler
from services.publishing.gateway import Publisher
from services.publishing.transport import Embedded


def measure(place: Place, sizes: Sizes) -> list[Measure]:
    """Publishing the longest chapter, read by the offline extractor and with an empty sidecar, without read models."""
    found = []
    for name, sidecar in (("offline extractor", False), ("empty sidecar", True)):
        dsn = place.database("long_" + ("sidecar" if sidecar else "extracted"))
        took = measured(
            "services.evaluation.bench.chapters:publish_here",
            dsn=dsn, characters=sizes.long_characters, sidecar=sidecar,
        )  # fmt: skip
        found.append(
            Measure(
                name=f"a chapter of {sizes.long_characters:,} characters, {name}",
                value=round(took["seconds"], 2),
                unit="s",
                n=1,
                detail={
                    "peak_rss_mb": round(took["peak_rss_mb"]),
                    "cpu_seconds": round(took["cpu_seconds"], 2),
                    "words": took["words"],
                    "records": took["records"],
                    "words_per_second": round(took["words"] / took["seconds"]),
                },
            )
        )
    return found


def publish_here(dsn: str, characters: int, sidecar: bool) -> dict[str, Any]:
    """Publish a chapter of so many characters from this process."""
    text = prose(characters)
    with Ledger(dsn) as ledger:
        publisher = Publisher(ledger, Embedded(Handler(ledger, extractor("offline"))))
        publisher.publish("serial", 1, text, records=[] if sidecar else None)
        row = ledger.publication("serial", 1)
    assert row is not None
    return {"words": len(text.split()), "records": row.events - 1}
