"""Publications: what happens to a chapter, or to the story as a whole, with its number in the story."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, Final, Literal

import orjson

from events.domain_events import Json
from events.errors import InvalidInput
from events.ids import PublicationId, publication_id

MAX_TEXT: Final = 2_000_000
MESSAGE_SCHEMA: Final = "fabula.publication/1"
Action = Literal["publish", "retract", "merge", "split", "checkpoint", "due", "exempt"]
ACTIONS: Final = ("publish", "retract", "merge", "split", "checkpoint", "due", "exempt")
ON_IDENTITY: Final = ("merge", "split")
"""Decisions that change who is who; the others have no consequences in the log."""
REEXTRACTION: Final = "reextraction"
"""What stands in a publication's `decision` where a text that is there already was read anew: see `Reextraction`."""
PROMOTION: Final = "promotion"
"""What stands there where the chapter comes from a branch: see `Promotion`."""


def text_hash(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def content_hash(action: str, chapter: int, content: Json) -> str:
    """Equal for publications of equal content: action, chapter, and the canonical JSON of what they carry."""
    canonical = orjson.dumps([action, chapter, content], option=orjson.OPT_SORT_KEYS)
    return "sha256:" + hashlib.sha256(canonical).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reextraction:
    """The chapter's text was read anew. `of` is the number of the publication that has the text and is the latest.

    `provenance` says by record id what read it (see `events.domain_events.RecordStated`).
    """

    of: int
    extractor: str
    provenance: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        return {"of": self.of, "extractor": self.extractor, "provenance": dict(self.provenance)}

    @classmethod
    def from_decision(cls, decision: Mapping[str, Json]) -> Reextraction | None:
        """What the decision of a publication says of it; None where nothing was read anew."""
        told = decision.get(REEXTRACTION)
        return None if told is None else cls(of=told["of"], extractor=told["extractor"], provenance=told["provenance"])


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    """The chapter comes from a branch, where it is the publication of this number.

    `extractor` is what read its records there, None where they were handed in; `provenance` as for `Reextraction`.
    """

    branch: str
    sequence: int
    extractor: str | None = None
    provenance: Mapping[str, Json] = field(default_factory=dict)

    def to_json(self) -> dict[str, Json]:
        told = {"branch": self.branch, "sequence": self.sequence, "extractor": self.extractor}
        return {**told, "provenance": dict(self.provenance)}

    @classmethod
    def from_decision(cls, decision: Mapping[str, Json]) -> Promotion | None:
        """What the decision of a publication says of it; None where it comes from no branch."""
        told = decision.get(PROMOTION)
        return None if told is None else cls(**told)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationRequest:
    """What somebody wants published. It has no number yet.

    `seen` is the number of the chapter's latest publication that was known when this was decided (0: it had none); where
    there is a later one, the request is refused. None: it stands whatever was published meanwhile.
    """

    story: str
    chapter: int
    action: Action
    text: str | None = None
    title: str | None = None
    language: str = "en"
    records: list[Json] | None = None
    decision: dict[str, Json] = field(default_factory=dict)
    seen: int | None = None

    @property
    def content_hash(self) -> str:
        """What makes two requests the same. Reading a text anew is no other content: publishing it again changes nothing.

        Nor is it another content that comes from a branch.
        """
        text = None if self.text is None else text_hash(self.text)
        promotion = Promotion.from_decision(self.decision)
        if REEXTRACTION in self.decision or (promotion is not None and promotion.extractor is not None):
            records, decision = None, {}
        else:
            records, decision = self.records, {} if promotion is not None else self.decision
        return content_hash(self.action, self.chapter, [text, self.title, self.language, records, decision])


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """A numbered publication. `records` None: the configured extractor reads the text. `decision`: an editor's, as data."""

    story: str
    sequence: int
    chapter: int
    revision: int
    action: Action
    content_hash: str
    text_hash: str | None
    title: str | None
    language: str
    records: list[Json] | None
    decision: dict[str, Json]
    published_at: datetime

    @property
    def id(self) -> PublicationId:
        return publication_id(self.story, self.sequence)

    @property
    def reextraction(self) -> Reextraction | None:
        return Reextraction.from_decision(self.decision)

    @property
    def promotion(self) -> Promotion | None:
        return Promotion.from_decision(self.decision)

    def to_json(self) -> dict[str, Json]:
        return {
            "schema": MESSAGE_SCHEMA,
            "story": self.story,
            "sequence": self.sequence,
            "chapter": self.chapter,
            "revision": self.revision,
            "action": self.action,
            "content_hash": self.content_hash,
            "text_hash": self.text_hash,
            "title": self.title,
            "language": self.language,
            "records": self.records,
            "decision": self.decision,
            "published_at": self.published_at.isoformat(),
        }

    @classmethod
    def from_json(cls, data: Json) -> Publication:
        """Raises `InvalidInput` for what is no publication message."""
        if not isinstance(data, dict) or data.get("schema") != MESSAGE_SCHEMA:
            raise InvalidInput(f"This is no message of schema {MESSAGE_SCHEMA}.")
        try:
            publication = cls(
                story=_typed(data, "story", str),
                sequence=_typed(data, "sequence", int),
                chapter=_typed(data, "chapter", int),
                revision=_typed(data, "revision", int),
                action=_typed(data, "action", str),
                content_hash=_typed(data, "content_hash", str),
                text_hash=data.get("text_hash"),
                title=data.get("title"),
                language=_typed(data, "language", str),
                records=data.get("records"),
                decision=data.get("decision") or {},
                published_at=datetime.fromisoformat(_typed(data, "published_at", str)),
            )
        except ValueError as error:
            raise InvalidInput(f"The publication message is malformed: {error}") from None
        if publication.action not in ACTIONS or publication.sequence < 1 or publication.chapter < 0:
            raise InvalidInput("The publication message is malformed: action, sequence or chapter is out of range.")
        return publication

    def without_records(self) -> Publication:
        return replace(self, records=None)


def _typed(data: dict[str, Json], name: str, kind: type) -> Any:
    value = data.get(name)
    if not isinstance(value, kind) or isinstance(value, bool):
        raise ValueError(f"{name} is not of type {kind.__name__}")
    return value
