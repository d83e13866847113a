"""Prompts: versioned files, one a text. A change of wording is a new file with the next number, never an edit of an old one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from events.errors import Unknown


class UnknownPrompt(Unknown):
    """No prompt has that version."""

    title = "There is no such prompt"
    slug = "unknown-prompt"


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text. `version` is the file's name without its suffix, `digest` the beginning of the text's SHA-256."""

    version: str
    text: str

    @property
    def digest(self) -> str:
        return hashlib.sha256(self.text.encode()).hexdigest()[:12]


@cache
def prompt(version: str) -> Prompt:
    """The prompt of that version, such as `extract-1`. Raises `UnknownPrompt`."""
    if version not in versions():
        raise UnknownPrompt(f"There is no prompt {version!r}; there are {', '.join(versions())}.")
    text = (files("services.extraction.prompts") / f"{version}.md").read_text(encoding="utf-8")
    return Prompt(version, text.strip())


@cache
def versions(purpose: str = "") -> list[str]:
    """The versions there are, of every purpose or of one (`extract`, `follow-up`), in order."""
    names = [each.name.removesuffix(".md") for each in files("services.extraction.prompts").iterdir()]
    numbered = [name.rpartition("-") for name in names]
    found = sorted((of, int(n)) for of, _, n in numbered if n.isdecimal() and purpose in ("", of))
    return [f"{of}-{n}" for of, n in found]
