"""Questions put to `ask` itself, as a user has it: packet, sub-questions, skills, audit and all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Final

import orjson

from services.answering.readers import Answer
from services.evaluation.qa.running import Read
from services.evaluation.retrieval.ingesting import library
from services.evaluation.retrieval.questions import Suite
from services.evaluation.retrieval.saved import Saved, SavedPacket
from services.retrieval.retriever import METHODS
from services.settings import Settings

NAME: Final = "ask"


def ask_all(
    saved: Saved, suites: Sequence[Suite], settings: Settings, directory: Path, told: Callable[[str], None]
) -> list[Read]:
    """What `ask` answers with each method and budget that packets are saved of; controls are no method and are left out.

    Everything is asked anew: an answer depends on the product's code and the story, which no key of a file would tell.
    """
    found: list[Read] = []
    with library(settings, told=told) as stories, (directory / f"answers-{NAME}.jsonl").open("wb") as out:
        for suite in suites:
            for name, story in suite.stories.items():
                packets = [p for p in saved.packets if p.suite == suite.name and _is_asked(saved, p, name)]
                told(f"asking {suite.name}/{name}: {len(packets)} questions and methods")
                with stories.opened(story) as (application, _):
                    for packet in packets:
                        question = saved.questions[packet.suite, packet.question]
                        reply = application.answers().ask(
                            name, question.text, at=question.checkpoint, method=packet.method, budget=packet.budget,
                            options=question.options or None,
                        )  # fmt: skip
                        answer = Answer(reply["answer"] or "", reply["abstained"], tuple(reply["evidence_ids"]))
                        key = f"{packet.suite}/{packet.question}/{packet.method}@{packet.budget}"
                        out.write(orjson.dumps({"key": key, **asdict(answer)}) + b"\n")
                        found.append(Read(question, packet, answer))
    return found


def _is_asked(saved: Saved, packet: SavedPacket, story: str) -> bool:
    return (
        packet.method.partition(":")[0] in METHODS
        and bool(packet.budget)
        and saved.questions[packet.suite, packet.question].story == story
    )
