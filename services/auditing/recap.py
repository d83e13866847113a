"""The story so far, at a length given: from live records only, every sentence with the records and spans it comes from.

What is told is what matters after the moment's chapter: what is open, what changed lately, who the story is about. State that
has passed is left out; what happened stays told.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Final

from events.domain_events import Json
from events.errors import InvalidInput
from events.names import fact_key
from events.records import KINDS as ALL_KINDS
from projections.story_state.found import RecordRow
from services.auditing.clauses import stands_alone
from services.auditing.material import Material
from services.auditing.promises import by_thread
from services.auditing.prose import Written, written
from services.auditing.sentences import OPEN as OPEN_AT_ALL
from services.auditing.sentences import STANDS_OPEN, sentence
from services.auditing.told import OCCURRENCES, Told
from services.auditing.worth import Audience, Weighing, first_name, is_clause
from services.reading.slices import StateSlice
from services.reading.threads import OPEN

KINDS: Final = ALL_KINDS
LENGTH: Final = 1_200
"""Characters of a recap where nothing is said."""
SHORTEST, LONGEST = 80, 20_000

_ALIKE: Final = 0.6
_SAME: Final = 0.75
"""The share of the words of the shorter of two from which they are alike, and the same whoever they are of."""
_TELLING: Final = 6
"""Words of a clause that is worth a sentence."""
# fmt: off
_FRAME: Final = frozenset((
    "it", "comes", "to", "light", "that", "is", "are", "has", "been", "was", "were", "of", "in", "on", "at", "and", "by",
))
# fmt: on
"""Words in which two sentences are not alike."""
_ROOMS: Final = (1.4, 1.25, 1.15, 1.07, 1.0)
"""How much is chosen for a length, in lengths, before it is drawn together."""
_CROWDED: Final = 0.9
"""What another sentence of a chapter is worth, for each that there is."""


def checked_length(length: int) -> int:
    if not SHORTEST <= length <= LONGEST:
        raise InvalidInput(f"A recap has {SHORTEST} to {LONGEST:,} characters; {length} is outside.")
    return length


def checked_audience(audience: str) -> Audience:
    if audience == "reader":
        return "reader"
    if audience == "writer":
        return "writer"
    raise InvalidInput(f"{audience[:40]!r} is nobody to recap for; say reader or writer.")


def candidates(material: Material, known: StateSlice, audience: Audience, since: int | None) -> list[Told]:
    """Every sentence that could be told, those that matter most first."""
    weigh = Weighing(material, audience, since)
    current = {entry.shown["record"] for entry in known.entries}
    open_threads = {rows[-1].uid: rows for rows in by_thread(material).values() if rows[-1].payload["status"] in OPEN}
    found = []
    first: dict[tuple[int, int], int] = {}
    for number, row in enumerate(material.rows):
        # of what the same words say, what happens is told before what is so afterwards
        place = (first.setdefault((row.chapter, row.evidence[0][0]), number), row.kind not in OCCURRENCES, number)
        if not _is_told(row, current, open_threads, audience) or (is_clause(row) and material.is_cut_off(row)):
            continue
        text = sentence(material, row)
        if text:
            rows = tuple(open_threads.get(row.uid, (row,)))
            about = frozenset(material.naming.head(m.entity) for m in row.mentions)
            parts = _parted(material, row, text)
            found.append(Told(text, rows, weigh.worth(row), place, row.uid in open_threads, about, *parts))
    return sorted(found, key=lambda told: (-told.worth, told.place))


def _parted(material: Material, row: RecordRow, text: str) -> tuple[str, str, str]:
    """Who or what a sentence begins with, as it is called there, and the rest of it."""
    bare = text.removesuffix(".")
    frames = (f"{frame}: " for frame in (*STANDS_OPEN.values(), OPEN_AT_ALL)) if row.kind == "thread" else ()
    for frame in frames:
        if bare.startswith(frame):
            said = frame.strip(" :")
            return said, said, bare.removeprefix(frame)
    for mention in row.mentions:
        for name in (material.naming.name(material.naming.head(mention.entity)), mention.surface):
            called = name[:1].upper() + name[1:]
            rest = bare.removeprefix(f"{called} ")
            if rest != bare and rest[:1].islower() and rest.partition(" ")[0] not in ("and", "or", "of"):
                return str(material.naming.head(mention.entity)), called, rest
    return "", "", ""


def recap(material: Material, told: Sequence[Told], length: int) -> Json:
    """`{"used", "text", "sentences", "left_out"}`: as much as fits, in telling order, what is open at the end."""
    chosen: list[Told] = []
    paragraphs: list[list[Written]] = []
    for room in _ROOMS:  # what is drawn together takes less room than what it was drawn from
        chosen = choose(told, int(length * room))
        paragraphs = written(chosen)
        if len(_text(paragraphs)) <= length:
            break
    return shown(material, paragraphs, len(told) - len(chosen))


def choose(told: Sequence[Told], length: int) -> list[Told]:
    """The sentences that fit, the most important first in their claim to room; one that says what another says is left out.

    The more a chapter has of them, the less another of that chapter is worth.
    """
    chosen: list[Told] = []
    used = 0
    per_chapter: Counter[int] = Counter()
    waiting = [(-each.worth, n) for n, each in enumerate(told)]
    heapify(waiting)
    while waiting:
        worth, n = heappop(waiting)
        each = told[n]
        now = -each.worth * _CROWDED ** (0 if each.is_open else per_chapter[each.chapter])
        if now > worth:  # its chapter has more by now than when it was weighed
            heappush(waiting, (now, n))
            continue
        if used + len(each.text) > length or any(_alike(each, other) for other in chosen):
            continue
        chosen.append(each)
        per_chapter[each.chapter] += not each.is_open
        used += len(each.text) + 2  # a blank, or the two line feeds between paragraphs
    return sorted(chosen, key=lambda each: (each.is_open, each.place))


def shown(material: Material, paragraphs: Sequence[Sequence[Written]], left_out: int) -> dict[str, Json]:
    text = _text(paragraphs)
    return {
        "used": len(text),
        "text": text,
        "sentences": [
            {
                "text": each.text,
                "chapter": each.rows[-1].chapter,
                "records": [row.name for row in each.rows],
                "evidence": material.evidence(*each.rows),
            }
            for paragraph in paragraphs
            for each in paragraph
        ],
        "left_out": left_out,
    }


def _text(paragraphs: Sequence[Sequence[Written]]) -> str:
    return "\n\n".join(" ".join(each.text for each in paragraph) for paragraph in paragraphs if paragraph)


def _is_told(row: RecordRow, current: set[Json], open_threads: dict[str, list[RecordRow]], audience: Audience) -> bool:
    payload = row.payload
    if payload.get("modality", "actual") != "actual":
        return False
    if row.kind == "thread":
        if row.uid in open_threads:
            # what was laid quietly is the writer's to remember
            return audience == "writer" or payload.get("thread_kind") != "setup"
        return bool(payload["status"] == "paid_off" and payload.get("description"))
    if is_clause(row):
        # of clauses that rules read, one of a few words ("Alice fancied") tells nothing, nor one that leans on what goes before
        summary = str(payload.get("summary") or "")
        return len(fact_key(summary).split()) >= _TELLING and stands_alone(summary, first_name(row))
    if row.kind == "world_rule":
        return audience == "writer" and row.name in current
    if row.kind == "situation" and payload.get("confidence", 1.0) < 1.0:
        return False  # the first words of a scene, by rules: they are no summary
    return row.kind in OCCURRENCES or row.name in current


def _alike(one: Told, other: Told) -> bool:
    """Whether two sentences say much the same of the same entities: that two have died is no repetition."""
    if _shared(one, other) >= _SAME:
        return True
    if not (one.about <= other.about or other.about <= one.about):
        return False
    return _shared(one, other) >= _ALIKE


def _shared(one: Told, other: Told) -> float:
    words, others = (set(fact_key(each.text).split()) - _FRAME for each in (one, other))
    return len(words & others) / max(1, min(len(words), len(others)))
