"""The interactions matrix (NKW): who acts upon whom, how often, how, and in which chapters."""

from __future__ import annotations

from collections import Counter
from typing import Final

from events.domain_events import Json
from projections.story_state.found import RecordRow
from services.auditing.material import Material

KINDS: Final = ("interaction",)


def interactions(material: Material) -> Json:
    """`{"people", "matrix", "pairs"}`: `matrix[i][j]` counts what `people[i]` does to `people[j]`; the busiest come first.

    `polarity` of a pair is the mean of those given, from -1 to 1. Only what actually happens counts.
    """
    by_pair: dict[tuple[str, str], list[RecordRow]] = {}
    busy: Counter[str] = Counter()
    for row in material.actual:
        for source in material.who(row, "source"):
            for target in material.who(row, "target"):
                by_pair.setdefault((source, target), []).append(row)
                busy.update({source, target})
    people = sorted(busy, key=lambda head: (-busy[head], material.naming.name(head), head))
    pairs = sorted(by_pair, key=lambda pair: (-len(by_pair[pair]), people.index(pair[0]), people.index(pair[1])))
    return {
        "people": [{"id": head, "name": material.naming.name(head)} for head in people],
        "matrix": [[len(by_pair.get((source, target), ())) for target in people] for source in people],
        "pairs": [_pair(material, pair, by_pair[pair]) for pair in pairs],
    }


def _pair(material: Material, pair: tuple[str, str], rows: list[RecordRow]) -> Json:
    polarities = [float(row.payload["polarity"]) for row in rows if row.payload.get("polarity") is not None]
    return {
        "source": material.naming.name(pair[0]),
        "target": material.naming.name(pair[1]),
        "count": len(rows),
        "chapters": sorted({row.chapter for row in rows}),
        "types": dict(
            sorted(Counter(str(row.payload["type"]) for row in rows).items(), key=lambda of: (-of[1], of[0]))
        ),
        "polarity": round(sum(polarities) / len(polarities), 3) if polarities else None,
        "records": [row.name for row in rows],
        "evidence": material.evidence(*rows),
    }
