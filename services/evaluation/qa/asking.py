"""Questions put to `ask` itself, as a user has it: packet, sub-questions, skills, audit and all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import orjson

from services.answering.readers import Answer
from services.evaluation.qa.running import Read, known_answers
from services.evaluation.retrieval.ingesting import library
from services.evaluation.retrieval.questions import Suite
from services.evaluation.retrieval.saved import Saved, SavedPacket
from services.retrieval.retriever import METHODS
from services.settings import Settings

NAME: Final = "ask"


def ask_all(
    saved: Saved, suites: Sequence[Suite], settings: Settings, directory: Path, told: Callable[[str], None]
) -> list[Read]:
    """What `ask` answers with each method and budget that packets are saved of; controls are no method and are left out."""
    file = directory / f"answers-{NAME}.jsonl"
    known = known_answers(file)
    found: list[Read] = []
    with library(settings, told=told) as stories, file.open("ab") as out:
        for suite in suites:
            for name, story in suite.stories.items():
                packets = [p for p in saved.packets if p.suite == suite.name and _is_asked(saved, p, name)]
                told(f"asking {suite.name}/{name}: {len(packets)} questions and methods")
                with stories.opened(story) as (application, _):
                    for packet in packets:
                        question = saved.questions[packet.suite, packet.question]
                        key = f"{packet.suite}/{packet.question}/{packet.method}@{packet.budget}"
                        if key not in known:
                            reply = application.answers().ask(
                                name, question.text, at=question.checkpoint, method=packet.method, budget=packet.budget,
                                options=question.options or None,
                            )  # fmt: skip
                            known[key] = Answer(reply["answer"] or "", reply["abstained"], tuple(reply["evidence_ids"]))
                            line = {"key": key, "text": known[key].text, "abstained": known[key].abstained}
                            out.write(orjson.dumps({**line, "evidence_ids": known[key].evidence_ids}) + b"\n")
                            out.flush()
                        found.append(Read(question, packet, known[key]))
    return found


def _is_asked(saved: Saved, packet: SavedPacket, story: str) -> bool:
    return (
        packet.method.partition(":")[0] in METHODS
        and bool(packet.budget)
        and saved.questions[packet.suite, packet.question].story == story
    )
