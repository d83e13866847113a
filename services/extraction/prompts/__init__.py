"""Prompts: versioned files, one a text. A change of wording is a new file with the next number, never an edit of an old one."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


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
    """The prompt of that version, such as `extract-1`. Raises FileNotFoundError."""
    text = (files("services.extraction.prompts") / f"{version}.md").read_text(encoding="utf-8")
    return Prompt(version, text.strip())
