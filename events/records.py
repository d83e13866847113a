"""The kinds of records: one strict model each. They generate the extractor's output schema and check every sidecar."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final, Literal, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from events.domain_events import Json
from events.names import MAX_NAME, is_invisible, name_key

MAX_TEXT: Final = 20_000
"""The longest text of a field (a summary, a description, a fact), in characters."""

MAX_NUMBER: Final = 2**53
"""The largest number of a field: beyond it JSON readers do not agree on numbers."""

Modality = Literal["actual", "reported", "believed", "hypothetical", "planned", "dream", "past"]


def _seen(name: str) -> str:
    if is_invisible(name):
        raise PydanticCustomError("invisible", "It has no character that can be seen")
    return name


Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME, pattern=r"\S"), AfterValidator(_seen)]
Text = Annotated[str, Field(min_length=1, max_length=MAX_TEXT, pattern=r"\S"), AfterValidator(_seen)]
Note = Annotated[str, Field(max_length=MAX_TEXT)]
Offset = Annotated[int, Field(ge=0, le=MAX_NUMBER)]
Polarity = Annotated[float, Field(ge=-1, le=1, allow_inf_nan=False)]


class Model(BaseModel):
    model_config = ConfigDict(strict=True, extra="forbid", populate_by_name=True)


class EvidenceSpan(Model):
    """A span of the chapter's own text: a quote, code point offsets [start, end), or both."""

    quote: str | None = Field(default=None, max_length=MAX_TEXT)
    start: Offset | None = None
    end: Offset | None = None


class StoryTime(Model):
    """When it happens in the story, as opposed to when it is told."""

    label: Note | None = None
    order: float | None = Field(default=None, ge=-MAX_NUMBER, le=MAX_NUMBER, allow_inf_nan=False)


class Requirement(Model):
    """State that must hold just before the record; a null value: the key must not hold."""

    key: Text
    value: Note | bool | None


class Record(Model):
    """The fields every kind shares."""

    id: Annotated[str, Field(min_length=1, max_length=100, pattern=r"^[^\s:]+$")]
    evidence: Annotated[list[EvidenceSpan], Field(max_length=100)]
    confidence: float = Field(default=1.0, ge=0, le=1, allow_inf_nan=False)
    scene: Annotated[int, Field(ge=1, le=100_000)] | None = None
    focalizer: Name | None = None
    modality: Modality = "actual"
    story_time: StoryTime | None = None
    depends_on: Annotated[list[Name], Field(max_length=200)] = []
    requires: Annotated[list[Requirement], Field(max_length=50)] = []


class Participant(Model):
    entity: Name
    role: Note | None = None


Participants = Annotated[list[Name | Participant], Field(max_length=500)]
Knowers = Name | Annotated[list[Name], Field(max_length=500)]


class Entity(Record):
    kind: Literal["entity"]
    type: Literal["character", "location", "object", "group", "creature", "concept", "unknown"]
    name: Name
    aliases: Annotated[list[Name], Field(max_length=200)] = []
    description: Note | None = None


class Identity(Record):
    kind: Literal["identity"]
    a: Name
    b: Name
    known_to: Knowers | None = None

    @model_validator(mode="after")
    def _of_two(self) -> Self:
        if name_key(self.a) == name_key(self.b):
            raise PydanticCustomError("one_name", "`a` and `b` are one name; name the guise and who it turns out to be")
        return self


class Situation(Record):
    kind: Literal["situation"]
    summary: Text
    participants: Participants = []
    location: Name | None = None
    function: Note | None = None


class Event(Record):
    kind: Literal["event"]
    summary: Text
    participants: Participants = []
    location: Name | None = None
    causes: Annotated[list[Name], Field(max_length=200)] = []


class Interaction(Record):
    kind: Literal["interaction"]
    source: Name
    target: Name
    type: Name
    summary: Note | None = None
    polarity: Polarity | None = None


class Presence(Record):
    kind: Literal["presence"]
    entity: Name
    location: Name


class CharacterDelta(Record):
    kind: Literal["character_delta"]
    character: Name
    attribute: Name
    value: Text
    op: Literal["set", "add", "remove"] = "set"


class RelationshipDelta(Record):
    kind: Literal["relationship_delta"]
    source: Name
    target: Name
    relation: Text
    polarity: Polarity | None = None
    description: Note | None = None
    symmetric: bool = True


class ObjectDelta(Record):
    kind: Literal["object_delta"]
    object: Name
    owner: Name | None = None
    location: Name | None = None
    state: Text | None = None


class Knowledge(Record):
    kind: Literal["knowledge"]
    knower: Name
    fact: Text
    stance: Literal["knows", "believes", "suspects", "doubts", "unaware", "mistaken"] = "knows"
    learned_via: Note | None = None


class Revelation(Record):
    kind: Literal["revelation"]
    fact: Text
    revealed_to: Knowers | None = None
    event: Name | None = None
    event_chapter: Annotated[int, Field(ge=1, le=MAX_NUMBER)] | None = None


class Thread(Record):
    kind: Literal["thread"]
    thread: Name
    thread_kind: Literal["promise", "mystery", "goal", "threat", "setup"] | None = None
    status: Literal["opened", "advanced", "paid_off", "abandoned"]
    description: Note | None = None


class ArcDelta(Record):
    kind: Literal["arc_delta"]
    subject: Name
    arc: Name
    stage: Text
    function: Note | None = None
    from_: Note | None = Field(default=None, alias="from")


class Fact(Record):
    kind: Literal["fact"]
    subject: Name
    predicate: Name
    object: Text
    negated: bool = False


class WorldRule(Record):
    kind: Literal["world_rule"]
    rule: Name
    statement: Text


AnyRecord = Annotated[
    Entity
    | Identity
    | Situation
    | Event
    | Interaction
    | Presence
    | CharacterDelta
    | RelationshipDelta
    | ObjectDelta
    | Knowledge
    | Revelation
    | Thread
    | ArcDelta
    | Fact
    | WorldRule,
    Field(discriminator="kind"),
]

KINDS: Final = (
    "entity", "identity", "situation", "event", "interaction", "presence", "character_delta", "relationship_delta",
    "object_delta", "knowledge", "revelation", "thread", "arc_delta", "fact", "world_rule",
)  # fmt: skip


def _defaults(model: type[Record]) -> dict[str, object]:
    fields = model.model_fields.items()
    return {field.alias or name: field.get_default() for name, field in fields if not field.is_required()}


_DEFAULTS: Final = {kind: _defaults(model) for kind, model in zip(KINDS, get_args(get_args(AnyRecord)[0]), strict=True)}


def plainly(payload: Mapping[str, Json]) -> dict[str, Json]:
    """What a record says, however it was written: without fields that say what their absence says, 1 as 1.0."""
    defaults = _DEFAULTS.get(payload["kind"], {})
    said = {field: value for field, value in payload.items() if field not in defaults or value != defaults[field]}
    return {field: _plain(value) for field, value in said.items()}


def _plain(value: Json) -> Json:
    if isinstance(value, dict):
        return {field: _plain(each) for field, each in value.items()}
    if isinstance(value, list):
        return [_plain(each) for each in value]
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
