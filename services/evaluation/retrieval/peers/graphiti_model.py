"""What Graphiti asks of a model, answered in its forms from what `reading_aloud` says of an episode.

Graphiti gives each prompt a name and puts what it is about between tags. Of the facts that two figures share one is new unless it says the
same in the same words; one holds no more where the record of the new fact sets the same key otherwise.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final

from services.evaluation.retrieval.peers.reading_aloud import ReadingAloud

Json = Any
_SUMMARY: Final = 1_000
"""Characters of a summary: what its prompt asks for at most."""


class Model:
    """Graphiti's client of a model. Raises `NotImplementedError` for a prompt that it puts only to graphs of another make."""

    max_tokens = 16_384
    token_tracker = None

    def __init__(self, told: ReadingAloud) -> None:
        self._told = told
        self._answers: Mapping[str, Callable[[str], Json]] = {
            "extract_nodes.extract_text": self._entities,
            "dedupe_nodes.nodes": self._same_entities,
            "extract_edges.edge": self._facts,
            "dedupe_edges.resolve_edge": self._old_facts,
            "extract_edges.extract_timestamps": self._since,
            "extract_nodes.extract_summaries_batch": self._summaries,
        }

    def set_tracer(self, tracer: object) -> None:
        """Nothing is traced."""

    async def generate_response(self, messages: list[Any], *_: Any, prompt_name: str | None = None, **__: Any) -> Json:
        answer = self._answers.get(prompt_name or "")
        if answer is None:
            raise NotImplementedError(f"Graphiti asks {prompt_name}, for which no answer is known.")
        return answer(messages[-1].content)

    def _entities(self, prompt: str) -> Json:
        entities, _ = self._told.extract(part(prompt, "TEXT"))
        return {"extracted_entities": [{"name": entity.name, "entity_type_id": 0} for entity in entities]}

    def _same_entities(self, prompt: str) -> Json:
        bearers = [
            *self._told.one(part(prompt, "CURRENT MESSAGE")),
            *(names for episode in _episodes(prompt) for names in self._told.one(episode)),
        ]
        known = json.loads(part(prompt, "EXISTING ENTITIES"))

        def same(name: str) -> int:
            names = {name.casefold()}.union(*(bearer for bearer in bearers if name.casefold() in bearer))
            return next((each["candidate_id"] for each in known if each["name"].casefold() in names), -1)

        asked = json.loads(part(prompt, "ENTITIES"))
        return {
            "entity_resolutions": [
                {"id": each["id"], "name": each["name"], "duplicate_candidate_id": same(each["name"])} for each in asked
            ]
        }

    def _facts(self, prompt: str) -> Json:
        names = [entity["name"] for entity in json.loads(part(prompt, "ENTITIES"))]
        since = _moment(part(prompt, "REFERENCE_TIME").partition("#")[0])
        return {
            "edges": [
                {
                    "source_entity_name": fact.source,
                    "target_entity_name": fact.target,
                    "relation_type": fact.keywords.upper().replace(" ", "_"),
                    "fact": fact.description,
                    "valid_at": since,
                }
                for fact in self._told.facts(part(prompt, "CURRENT_MESSAGE"), names)
            ]
        }

    def _old_facts(self, prompt: str) -> Json:
        new = part(prompt, "NEW FACT")
        shared = ast.literal_eval(part(prompt, "EXISTING FACTS"))
        others = ast.literal_eval(part(prompt, "FACT INVALIDATION CANDIDATES"))
        return {
            "duplicate_facts": [each["idx"] for each in shared if each["fact"].casefold() == new.casefold()],
            "contradicted_facts": self._told.replaced(new, [each["fact"] for each in (*shared, *others)]),
        }

    def _since(self, prompt: str) -> Json:
        return {"valid_at": _moment(part(prompt, "REFERENCE TIME")), "invalid_at": None}

    def _summaries(self, prompt: str) -> Json:
        about = self._told.about(json.loads(part(prompt, "MESSAGES").rpartition("\n")[2]))
        found = []
        for entity in json.loads(part(prompt, "ENTITIES")):
            lines = [*entity["summary"].splitlines(), *about.get(entity["name"], ())]
            found.append({"name": entity["name"], "summary": _latest(list(dict.fromkeys(lines)))})
        return {"summaries": found}


def part(prompt: str, tag: str) -> str:
    """What stands between the first tags of this name. Raises ValueError where there are none."""
    found = re.search(rf"<{tag}>\n(.*?)\n</{tag}>", prompt, re.DOTALL)
    if found is None:
        raise ValueError(f"Graphiti's prompt has no part {tag}")
    return found.group(1)


def _episodes(prompt: str) -> list[str]:
    return [episode["content"] for episode in json.loads(part(prompt, "PREVIOUS MESSAGES"))]


def _moment(told: str) -> str:
    return told.strip().replace(" ", "T")


def _latest(lines: list[str]) -> str:
    """The last of the lines, as many as a summary holds."""
    while len(lines) > 1 and len("\n".join(lines)) > _SUMMARY:
        lines = lines[1:]
    return "\n".join(lines)[:_SUMMARY]
