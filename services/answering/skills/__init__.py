"""Reading skills (NKW, appendix, "Reading-skill selection and finalization"): how to weigh a packet for a sort of question.

Each is a file: what it is called, the wording it applies to, what it changes for a reader without a model, and the instruction
that a model gets. `kinds` are the kinds of records that are put before the reader first, `order` how the answer's sentences
stand (`revealed`: by chapter), `form` whether the answer is told in sentences or is the phrase that is asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Final

from services.answering.readers.reader import PLAIN, Manner

MOST: Final = 3
"""Skills for one question (NKW, ibid.)."""
_HEAD: Final = "---\n"


@dataclass(frozen=True, slots=True)
class Skill:
    """One file. `given`: what has to be there for it to apply, whatever the wording (`options`)."""

    name: str
    title: str
    applies: tuple[re.Pattern[str], ...]
    kinds: tuple[str, ...]
    instruction: str
    given: str = ""
    revealed: bool = False
    tells: bool = False
    strict: bool = False

    def fit(self, question: str, options: Sequence[str]) -> int:
        """How many of its patterns the question has; one more where options call for it."""
        called = self.given == "options" and bool(options)
        return sum(pattern.search(question) is not None for pattern in self.applies) + called


@cache
def every_skill() -> tuple[Skill, ...]:
    """All skills, by name."""
    found = [each for each in files("services.answering.skills").iterdir() if each.name.endswith(".md")]
    return tuple(sorted((read(each.name[:-3], each.read_text("utf-8")) for each in found), key=lambda s: s.name))


def read(name: str, text: str) -> Skill:
    """A file's skill. Raises ValueError for one that is not of the form, or is called otherwise than its file."""
    _, head, instruction = text.split(_HEAD, 2)
    given = list(_fields(head))
    fields = dict(given)
    if fields.get("name") != name or not instruction.strip():
        raise ValueError(f"the skill {name} needs its name and an instruction")
    return Skill(
        name=name,
        title=fields["title"],
        applies=tuple(re.compile(value, re.IGNORECASE) for field, value in given if field == "applies"),
        kinds=tuple(fields.get("kinds", "").split()),
        instruction=" ".join(instruction.split()),
        given=fields.get("given", ""),
        revealed=fields.get("order") == "revealed",
        tells=fields.get("form") == "sentences",
        strict=fields.get("options") == "strict",
    )


def chosen(question: str, options: Sequence[str] = (), skills: Sequence[Skill] | None = None) -> tuple[Skill, ...]:
    """At most three skills for a question by its wording, those first that fit best; equal ones in the order of their names."""
    known = every_skill() if skills is None else skills
    fits = [(-skill.fit(question, options), skill.name, skill) for skill in known]
    first = sorted((fit, name != "option-admission", name, skill) for fit, name, skill in fits if fit)
    return tuple(skill for *_, skill in first[:MOST])


def called(names: Sequence[str]) -> tuple[Skill, ...]:
    """The skills of these names, at most three, in the order given; names that nothing has are passed over."""
    known = {skill.name: skill for skill in every_skill()}
    return tuple(known[name] for name in dict.fromkeys(names) if name in known)[:MOST]


def manner(skills: Sequence[Skill]) -> Manner:
    """How a reader with these skills reads."""
    if not skills:
        return PLAIN
    return Manner(
        instructions=tuple(f"{skill.title}: {skill.instruction}" for skill in skills),
        tells=any(skill.tells for skill in skills),
        revealed=any(skill.revealed for skill in skills),
        strict=any(skill.strict for skill in skills),
    )


def _fields(head: str) -> Iterator[tuple[str, str]]:
    for line in head.splitlines():
        field, found, value = line.partition(":")
        if found:
            yield field.strip(), value.strip()
