"""What may be published. Everything is checked here before anything is written."""

from __future__ import annotations

import re
import unicodedata
from typing import Any, Final

from events.chapters import MAX_TEXT
from events.domain_events import Json
from events.errors import InvalidChapter, InvalidInput, InvalidName
from events.evidence import clean_text
from events.ids import MAX_CHAPTER
from events.names import MAX_NAME, is_invisible
from events.sidecar import validate

MAX_STORY: Final = 100
MAX_TITLE: Final = 500
MAX_CHECKPOINT: Final = 100
_LANGUAGE: Final = re.compile(r"[A-Za-z]{2,8}(?:-[A-Za-z0-9]{1,8}){0,4}")
_READS_AS_A_NUMBER: Final = re.compile(r"[+-]?\d*\.?\d+(?:e[+-]?\d+)?|[+-]?(?:nan|inf|infinity)", re.IGNORECASE)
_STORY_RULE: Final = f"1 to {MAX_STORY} letters, digits, dots, underscores or hyphens"


def story_id(story: Any) -> str:
    """A story id: letters and digits of any script, `.`, `_`, `-`; in normal form C. Raises `InvalidName`."""
    if not isinstance(story, str) or not 1 <= len(story) <= MAX_STORY or not all(map(_may_name_a_story, story)):
        raise InvalidName(f"{_shown(story)} cannot name a story; use {_STORY_RULE}.")
    if not story.strip(".") or unicodedata.category(story[0]).startswith("M"):
        raise InvalidName(f"{_shown(story)} cannot name a story; use {_STORY_RULE}, with a letter or digit among them.")
    if unicodedata.normalize("NFC", story) != story:
        raise InvalidName(f"{_shown(story)} cannot name a story; write it in Unicode normal form C.")
    return story


def _may_name_a_story(character: str) -> bool:
    return character in "._-" or unicodedata.category(character)[0] in "LM" or character.isdecimal()


def chapter_number(chapter: Any) -> int:
    """A whole number from 1. Raises `InvalidChapter`."""
    if isinstance(chapter, bool) or not isinstance(chapter, int) or not 1 <= chapter <= MAX_CHAPTER:
        raise InvalidChapter(f"{_shown(chapter)} is no chapter; a chapter is a whole number from 1 to {MAX_CHAPTER}.")
    return chapter


def chapter_text(text: Any) -> str:
    """The text as it is kept (see `events.evidence.clean_text`): 1 to 2,000,000 characters. Raises `InvalidChapter`.

    White space is a text in which nothing happens, and so are joiners, marks of direction and the like alone.
    """
    if not isinstance(text, str):
        raise InvalidChapter("A chapter needs a `text`, which is a string.")
    if len(text) > 4 * MAX_TEXT:
        raise InvalidChapter(_too_long(len(text)))
    cleaned = clean_text(text)
    if not cleaned:
        raise InvalidChapter("The text is empty; a chapter has at least one character. To withdraw one, retract it.")
    if len(cleaned) > MAX_TEXT:
        raise InvalidChapter(_too_long(len(cleaned)))
    return cleaned


def _too_long(length: int) -> str:
    return f"The text has {length} characters; a chapter has at most {MAX_TEXT}. Publish it as several chapters."


def chapter_title(title: Any) -> str | None:
    """A title of at most 500 characters, or None; one of which nothing can be seen is none. Raises `InvalidChapter`."""
    if title is None:
        return None
    if not isinstance(title, str):
        raise InvalidChapter("A `title` is a string.")
    cleaned = clean_text(title).strip()
    if len(cleaned) > MAX_TITLE:
        raise InvalidChapter(f"The title has {len(cleaned)} characters; at most {MAX_TITLE} are kept.")
    return None if is_invisible(cleaned) else cleaned


def language_tag(language: Any) -> str:
    """A language tag such as `en` or `pt-BR`. Raises `InvalidChapter`."""
    if not isinstance(language, str) or not _LANGUAGE.fullmatch(language):
        raise InvalidChapter(f"{_shown(language)} is no language tag; write one such as `en` or `pt-BR`.")
    return language


def chapter_records(records: Json, chapter: int) -> list[Json] | None:
    """The records handed in beside a chapter as plain data, or None where there are none. Raises `InvalidRecords`."""
    return None if records is None else list(validate(records, chapter=chapter))


def entity_name(name: Any) -> str:
    """A name or alias, as an editor types it. Raises `InvalidName`."""
    return _name(name, "an entity", MAX_NAME)


def checkpoint_name(name: Any) -> str:
    """The name of a checkpoint, which must not look like a chapter. Raises `InvalidName`."""
    cleaned = _name(name, "a checkpoint", MAX_CHECKPOINT)
    if _READS_AS_A_NUMBER.fullmatch(cleaned):
        raise InvalidName(f"{_shown(name)} cannot name a checkpoint, since it reads as a chapter; write it in words.")
    return cleaned


def thread_name(name: Any) -> str:
    """The name of a thread, as an editor types it. Raises `InvalidName`."""
    return _name(name, "a thread", MAX_NAME)


def _name(name: Any, what: str, longest: int) -> str:
    cleaned = " ".join(clean_text(name).split()) if isinstance(name, str) else ""
    if is_invisible(cleaned) or len(cleaned) > longest:
        raise InvalidName(f"{_shown(name)} cannot name {what}; use 1 to {longest} characters that can be seen.")
    return cleaned


def whole_number(value: Any, what: str, lowest: int) -> int:
    """A whole number from `lowest` to the highest chapter. Raises `InvalidInput`, naming `what`."""
    if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= MAX_CHAPTER:
        raise InvalidInput(f"{_shown(value)} is no {what}; write a whole number from {lowest} to {MAX_CHAPTER}.")
    return value


def _shown(value: Any) -> str:
    shown = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return shown if len(shown) <= 80 else f"{shown[:77]}…"
