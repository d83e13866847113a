"""Runs the edits of every story through the check, with their records and as an extractor reads them, and counts."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any, Final

from events.names import PERSON, PLACE, THING, class_of
from events.story_index import StoryIndex
from services.auditing.checking import cues
from services.auditing.checking.case import Case
from services.auditing.checking.checking import Checked, check, check_read
from services.documents import Document
from services.evaluation.checking.casting import Cast
from services.evaluation.checking.edits import Edit, Paragraph, edited
from services.evaluation.checking.other_wordings import other_paragraphs
from services.evaluation.checking.seeds import KINDS, paragraphs
from services.evaluation.checking.stories import Chapter, Records, Serial, demo, recorded
from services.evaluation.extraction.intervals import Estimate, share
from services.extraction.extractors import Extractor

CHAPTERS: Final = 5
"""How many chapters of each story are edited: the last ones of so many equal parts."""
SEED: Final = 7


@dataclass(frozen=True, slots=True)
class Outcome:
    """An edit and the kinds that were found in its paragraph; `elsewhere` those found in the chapter itself."""

    edit: Edit
    found: frozenset[str]
    elsewhere: frozenset[str]


def measure(data: Path | None, extractor: Extractor | None, told: Callable[[str], None] = lambda _: None) -> Document:
    """Measures `check.recall` (the contradiction's own kind, in its paragraph) and `check.false_alarms` (any finding in a clean
    edit), the same by kind, and of the stories' own chapters; with an extractor also of what it reads. `other` are wordings that
    no check was mended on."""
    measures: list[Estimate] = []
    everything: list[Outcome] = []
    extracted: list[Outcome] = []
    for serial in [demo(), *(s for s in (recorded(data) if data else None,) if s)]:
        told(serial.name)
        outcomes, untouched = _given(serial)
        measures += list(_measures("check", _seeded(outcomes), f"/{serial.name}"))
        measures.append(share(f"check.false_alarms.published/{serial.name}", sum(untouched), len(untouched)))
        everything += outcomes
        if extractor is not None:
            read, cried = _extracted(serial, extractor, told)
            measures.append(share(f"check.extracted.false_alarms.published/{serial.name}", sum(cried), len(cried)))
            extracted += read
    measures = [
        *_measures("check", _seeded(everything), ""),
        *_measures("check.other", _other(everything), ""),
        *measures,
    ]
    if extractor is not None:
        measures += list(_measures("check.extracted", _seeded(extracted), ""))
        measures += list(_measures("check.extracted.other", _other(extracted), ""))
    return {
        "measures": [each.to_json() for each in measures],
        "missed": [_missed(o) for o in everything if not right(o)],
    }


def right(outcome: Outcome) -> bool:
    kind = outcome.edit.paragraph.kind
    return kind in outcome.found if kind else not outcome.found | outcome.elsewhere


def _seeded(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if not o.edit.is_other]


def _other(outcomes: Sequence[Outcome]) -> list[Outcome]:
    return [o for o in outcomes if o.edit.is_other]


def _measures(name: str, outcomes: Sequence[Outcome], suffix: str) -> Iterator[Estimate]:
    seeded = [o for o in outcomes if o.edit.paragraph.kind]
    clean = [o for o in outcomes if not o.edit.paragraph.kind]
    yield share(f"{name}.recall{suffix}", sum(map(right, seeded)), len(seeded))
    yield share(f"{name}.false_alarms{suffix}", sum(not right(o) for o in clean), len(clean))
    for kind in KINDS if not suffix else ():
        of = [o for o in seeded if o.edit.paragraph.kind == kind]
        near = [o for o in clean if o.edit.paragraph.near == kind]
        if of:
            yield share(f"{name}.recall.{kind}", sum(map(right, of)), len(of))
        if near:
            yield share(f"{name}.false_alarms.{kind}", sum(not right(o) for o in near), len(near))


def _missed(outcome: Outcome) -> Document:
    p = outcome.edit.paragraph
    found = sorted(outcome.found | outcome.elsewhere)
    return {"edit": outcome.edit.name, "kind": p.kind, "near": p.near, "found": found, "text": p.text}


def _given(serial: Serial) -> tuple[list[Outcome], list[bool]]:
    outcomes: list[Outcome] = []
    untouched: list[bool] = []
    chosen = _chosen(serial)
    for index, chapter in serial.indexed():
        before = check(index, chapter.text, chapter.records, chapter.number - 1)
        untouched.append(bool(before.findings))
        if chapter.number in chosen:
            for edit in edits(index, before.case, serial.name, chapter):
                outcomes.append(_outcome(edit, check(index, edit.text, edit.records, edit.after, edit.paragraph.due)))
    return outcomes, untouched


def _extracted(serial: Serial, extractor: Extractor, told: Callable[[str], None]) -> tuple[list[Outcome], list[bool]]:
    """The same edits as an extractor reads them, the paragraph alone, after a state that is given; and whether anything is found
    in each of the story's own chapters as it reads them."""
    outcomes: list[Outcome] = []
    cried: list[bool] = []
    chosen = _chosen(serial)
    for index, chapter in serial.indexed():
        told(f"{serial.name} {chapter.number}")
        read = _read(extractor, chapter.text, chapter.number)
        cried.append(bool(check_read(index, chapter.text, read, chapter.number - 1).findings))
        if chapter.number not in chosen:
            continue
        case = check(index, chapter.text, chapter.records, chapter.number - 1).case
        for edit in edits(index, case, serial.name, chapter):
            text = edit.paragraph.text
            found = _read(extractor, text, chapter.number)
            alone = replace(edit, text=text, records=found, start=0)
            outcomes.append(_outcome(alone, check_read(index, text, found, edit.after, edit.paragraph.due)))
    return outcomes, cried


def _read(extractor: Extractor, text: str, chapter: int) -> Records:
    return [
        {k: v for k, v in record.items() if k != "provenance"}
        for record in extractor.extract(text, chapter=chapter, language="en")
    ]


def edits(index: StoryIndex, case: Case, story: str, chapter: Chapter) -> list[Edit]:
    """Every edit of a chapter that the state before it has the material for, those in other wordings last."""
    cast = _cast(index, case)

    def made(wordings: Iterable[Paragraph], which: str, is_other: bool) -> Iterator[Edit]:
        for number, paragraph in enumerate(wordings):
            name = f"{story}/{chapter.number}/{which}{number}"
            yield replace(edited(name, chapter, paragraph), is_other=is_other)

    seed = f"{SEED}/{story}/{chapter.number}"
    return [
        *made(paragraphs(cast, Random(seed)), "", False),
        *made(other_paragraphs(cast, Random(f"{seed}/other")), "other-", True),
    ]


def _chosen(serial: Serial) -> frozenset[int]:
    numbers = [chapter.number for chapter in serial.chapters]
    return frozenset(numbers[len(numbers) * (part + 1) // CHAPTERS - 1] for part in range(CHAPTERS)) - {numbers[0]}


def _outcome(edit: Edit, checked: Checked) -> Outcome:
    own: set[str] = set()
    elsewhere: set[str] = set()
    for _, finding in checked.findings:
        inside = finding.said is None or finding.said.evidence[0][0] >= edit.start
        (own if inside else elsewhere).add(finding.kind)
    return Outcome(edit, frozenset(own), frozenset(elsewhere))


def _cast(index: StoryIndex, case: Case) -> Cast:
    """What the state before the draft has, under the names that hold there."""
    held: dict[str, list[Any]] = {}
    then = case.state_at_end()
    for key, each in case.state.items():  # what the chapter itself changes makes no contradiction
        if key in then and then[key].value.compared == each.value.compared:
            held.setdefault(each.setting.functor, []).append(each)
    dying = {
        case.name(h.setting.args[0].key)
        for h in then.values()
        if h.setting.functor == "character" and h.setting.args[1].key == "status" and cues.is_dead(h.value.text)
    }
    named = {
        case.before(e.entity("name") or ""): e
        for c in index.chapters if c <= case.after
        for e in (index.current(c) or _NOTHING).entries if e.live and e.kind == "entity"
    }  # fmt: skip
    people = [
        case.name(e) for e, entry in named.items() if class_of(e) == PERSON and entry.payload["type"] == "character"
    ]
    dead = [
        case.name(h.setting.args[0].key)
        for h in held.get("character", ())
        if h.setting.args[1].key == "status" and cues.is_dead(h.value.text)
    ]
    gone = {h.setting.args[0].key for h in held.get("object_state", ()) if cues.DESTROYED.search(h.value.text)}

    def things(functor: str) -> tuple[tuple[str, str], ...]:
        of = [
            h
            for h in held.get(functor, ())
            if class_of(h.setting.args[0].key) == THING and h.setting.args[0].key not in gone
        ]
        plain = [(case.name(h.setting.args[0].key).removeprefix("the "), case.value(h)) for h in of]
        return tuple(sorted((thing, value) for thing, value in plain if "'" not in thing and "’" not in thing))

    return Cast(
        people=tuple(sorted({p for p in people if p not in _OWN and p not in dying})),
        dead=tuple(sorted(dead)),
        owned=things("owner"),
        lying=things("location"),
        places=tuple(sorted(case.name(e) for e in named if class_of(e) == PLACE)),
        known=_secrets(case, [h for h in then.values() if h.setting.functor == "knowledge"]),
        ties=tuple(
            sorted(
                (case.name(h.setting.args[0].key), case.name(h.setting.args[1].key), float(h.last.payload["polarity"]))
                for h in held.get("relationship", ())
                if not h.setting.arrow and abs(h.last.payload.get("polarity") or 0) >= 0.3
            )
        ),
        closed=_threads(held.get("thread", []), ("paid_off", "abandoned")),
        open=_threads(held.get("thread", []), ("opened", "advanced")),
        chapter=case.chapter,
    )


_OWN: Final = frozenset({"the Ragman", "Corvin Hale", "the hooded lodger", "Silas Thorne", "the widow Brand"})


class _Nothing:
    entries: tuple[Any, ...] = ()


_NOTHING: Final = _Nothing()


def _threads(held: Sequence[Any], statuses: Sequence[str]) -> tuple[str, ...]:
    return tuple(sorted(h.setting.args[0].text for h in held if h.value.key in statuses))


def _secrets(case: Case, held: Sequence[Any]) -> tuple[tuple[str, str], ...]:
    """Facts that exactly one person is recorded as knowing."""
    by_fact: dict[str, list[Any]] = {}
    for each in held:
        by_fact.setdefault(each.setting.args[1].key, []).append(each)
    alone = [
        of[0]
        for of in by_fact.values()
        if len(of) == 1 and of[0].since < case.chapter and of[0].value.key == "knows" and of[0].setting.args[0].entity
    ]
    return tuple(
        sorted(
            (h.last.payload["fact"], case.name(h.setting.args[0].key))
            for h in alone
            if ":" not in h.last.payload["fact"]
        )
    )
