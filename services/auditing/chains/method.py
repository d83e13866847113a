"""From scenes to chains: proposed from candidates, audited one by one, and kept, split or dropped as the audit decides."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from events.domain_events import Json
from projections.embedding import Embedder
from services.auditing.asking import Adviser
from services.auditing.chains.advised import advised
from services.auditing.chains.audits import Audit, audit
from services.auditing.chains.candidates import Link, candidates, chained
from services.auditing.chains.scenes import Scene, scenes
from services.auditing.material import Material

Links = Mapping[tuple[int, int], Link]


def chains(material: Material, embedder: Embedder, adviser: Adviser | None) -> Json:
    """`{"scenes", "pairs", "candidates", "links", "chains", "proposed"}`.

    `proposed` are the chains before their audit, each with it; `chains` are those that stand after it was applied: a part of a
    split chain carries an audit of its own. `pairs` counts all pairs of scenes, `candidates` those that were compared.
    """
    told = scenes(material)
    found = candidates(told, embedder)
    links = {(link.before, link.after): link for link in found.links}
    standing: list[Json] = []
    proposed: list[Json] = []
    for chain in chained(found.links, len(told)):
        said, by = _audited(material, chain, told, links, adviser)
        parts = _applied(chain, said)
        proposed.append({"scenes": [told[n].name for n in chain], "auditor": by, "audit": said.to_json(told)})
        for part in parts:
            own, own_by = (said, by) if len(part) == len(chain) else (audit(part, told, links), "rules")
            standing.append(_shown(material, part, told, links, own, own_by))
    return {
        "scenes": len(told),
        "pairs": found.pairs,
        "candidates": found.filtered,
        "links": len(found.links),
        "chains": standing,
        "proposed": proposed,
    }


def _audited(
    material: Material, chain: Sequence[int], told: Sequence[Scene], links: Links, adviser: Adviser | None
) -> tuple[Audit, str]:
    said = None if adviser is None else advised(material, chain, told, adviser)
    return (audit(chain, told, links), "rules") if said is None else (said, "claude")


def _applied(chain: Sequence[int], said: Audit) -> list[tuple[int, ...]]:
    if said.decision == "keep":
        return [tuple(chain)]
    if said.decision == "drop":
        return []
    return [part for part in said.suggested_splits if len(part) > 1]


def _shown(
    material: Material, part: Sequence[int], told: Sequence[Scene], links: Links, said: Audit, by: str
) -> dict[str, Json]:
    edges = pairwise(part)
    return {
        "id": f"{told[part[0]].name}-{told[part[-1]].name}",
        "scenes": [told[number].shown(material) for number in part],
        "edges": [
            {
                "scenes": [told[a].name, told[b].name],
                "score": links[a, b].score,
                "places": sorted(material.names(links[a, b].places)),
                "people": sorted(material.names(links[a, b].people)),
                "objects": sorted(material.names(links[a, b].things)),
            }
            for a, b in edges
        ],
        "auditor": by,
        "audit": said.to_json(told),
    }
