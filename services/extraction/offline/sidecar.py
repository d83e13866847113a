"""The sidecar records of a chapter, built from what the rules found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from services.extraction.offline.deltas.change import Change
from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import ANSWERING, ASKING
from services.extraction.offline.mentions import Mention, figure_key
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.plot import Arrival, Deed, shortened
from services.extraction.offline.speakers import Utterance

Record = dict[str, Any]

_SPANS_AN_ENTITY = 5
_SPANS_AN_UTTERANCE = 3
_PARTICIPANTS_A_SCENE = 40
_LONGEST_QUOTE = 400
_LONGEST_SPEECH = 100
_LETTERS = {
    "object_delta": "o",
    "character_delta": "c",
    "relationship_delta": "r",
    "knowledge": "k",
    "thread": "t",
    "presence": "p",
}


class Sidecar:
    """Collects records; each gets an id of its kind's letter and a number, and evidence that is checked on the way in."""

    def __init__(self, text: str, scenes: Sequence[Span]) -> None:
        self.records: list[Record] = []
        self._text = text
        self._scenes = scenes
        self._counts: Counter[str] = Counter()

    def entity(self, figure: Figure, mentions: Sequence[Mention]) -> None:
        spans = _first_of_each_spelling(self._text, mentions)
        fields: Record = {"type": figure.type, "name": figure.name}
        if figure.aliases:
            fields["aliases"] = figure.aliases
        self._add("e", "entity", fields, spans, figure.confidence)

    def situation(
        self, number: int, opening: Span, present: Sequence[tuple[int, Figure]], place: Figure | None
    ) -> None:
        """A scene by its `opening` paragraph, with whoever acts or speaks in it, the busiest first."""
        first = {figure_key(figure): (offset, figure) for offset, figure in reversed(present)}
        counts = Counter(figure_key(figure) for _, figure in present)
        ranked = sorted(first, key=lambda key: (-counts[key], first[key][0]))[:_PARTICIPANTS_A_SCENE]
        names = [first[key][1].name for key in ranked]
        opening = Span(opening.start, min(opening.end, opening.start + _LONGEST_QUOTE))
        summary = shortened(self._text[opening.start : opening.end], 160)
        if names:
            summary = f"{', '.join(names[:4])}{' and others' if len(names) > 4 else ''}: {summary}"
        fields: Record = {"summary": summary}
        if names:
            fields["participants"] = names
        if place is not None:
            fields["location"] = place.name
        self._add("s", "situation", fields, [opening], 0.7 if names else 0.5, scene=number)

    def presence(self, arrival: Arrival) -> None:
        fields = {"entity": arrival.figure.name, "location": arrival.place.name}
        self._add("p", "presence", fields, [arrival.span], arrival.confidence)

    def deed(self, deed: Deed) -> None:
        fields: Record = {"summary": deed.summary}
        if deed.participants:
            fields["participants"] = [{"entity": p.figure.name, "role": p.role} for p in deed.participants]
        if deed.location is not None:
            fields["location"] = deed.location.name
        if deed.earlier:
            fields["modality"] = "past"
        self._add("v", "event", fields, [deed.span], deed.confidence)

    def utterance(self, utterance: Utterance) -> None:
        """An interaction where the hearer is known, else the event that someone spoke."""
        speaker = utterance.speaker.figure.name
        first = utterance.quotes[0]
        speech = shortened(self._text[first.start : first.end].strip("“”\"‘’'«»„「」『』 "), _LONGEST_SPEECH)
        spans = list(utterance.quotes[:_SPANS_AN_UTTERANCE])
        kind = _kind_of_speech(utterance.verb)
        if utterance.hearer is None:
            fields: Record = {
                "summary": f"{speaker} {kind.split()[0]}: “{speech}”",
                "participants": [{"entity": speaker, "role": "speaker"}],
            }
            self._add("v", "event", fields, spans, utterance.speaker.confidence)
            return
        hearer = utterance.hearer.figure.name
        summary = f"{speaker} {kind} {hearer}: “{speech}”"
        fields = {"source": speaker, "target": hearer, "type": kind, "summary": summary}
        confidence = min(utterance.speaker.confidence, utterance.hearer.confidence)
        self._add("i", "interaction", fields, spans, confidence)

    def change(self, change: Change) -> None:
        self._add(_LETTERS[change.kind], change.kind, dict(change.fields), [change.span], change.confidence)

    def _add(
        self, letter: str, kind: str, fields: Record, spans: Iterable[Span], confidence: float, scene: int | None = None
    ) -> None:
        evidence = [self._evidence(span) for span in spans if self._text[span.start : span.end].strip()]
        if not evidence:
            return
        number = scene if scene is not None else self._scene_of(evidence[0]["start"])
        self._counts[letter] += 1
        record: Record = {"id": f"{letter}{self._counts[letter]}", "kind": kind, **fields, "evidence": evidence}
        if number is not None and kind != "entity":
            record["scene"] = number
        record["confidence"] = round(min(0.95, confidence), 2)
        self.records.append(record)

    def _evidence(self, span: Span) -> Record:
        end = min(span.end, span.start + _LONGEST_QUOTE)
        return {"start": span.start, "end": end, "quote": self._text[span.start : end]}

    def _scene_of(self, offset: int) -> int | None:
        for number, scene in enumerate(self._scenes, start=1):
            if scene.start <= offset < scene.end:
                return number
        return None


def _first_of_each_spelling(text: str, mentions: Sequence[Mention]) -> list[Span]:
    first: dict[str, Span] = {}
    for mention in sorted(mentions, key=lambda m: (not m.narrated, m.span)):
        first.setdefault(text[mention.span.start : mention.span.end], mention.span)
    return list(first.values())[:_SPANS_AN_ENTITY]


def _kind_of_speech(verb: str) -> str:
    if verb in ASKING:
        return "asks"
    if verb in ANSWERING:
        return "answers"
    return "tells" if verb == "tell" else "speaks to"


def place_of(scene: Span, arrivals: Sequence[Arrival]) -> Figure | None:
    """Where a scene plays: the one place that all arrivals in it name."""
    places = {figure_key(a.place): a.place for a in arrivals if scene.start <= a.span.start < scene.end}
    return next(iter(places.values())) if len(places) == 1 else None
