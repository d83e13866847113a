"""The demonstration, told to a newcomer: a serial comes in, a chapter is rewritten, and everything can be traced.

Run again over the same data it publishes nothing and says the same: what was believed before the edits is still there.
"""

from __future__ import annotations

import shlex
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final

from services.cli.fallen import describe, fallen
from services.cli.output import printable
from services.cli.rendering import columns, quotation
from services.demo.serial import STORY, TITLE, demo_chapters, demo_edits
from services.reading.causes import cause_chain, told

if TYPE_CHECKING:
    from rich.console import Console

    from services.composition import Application
    from services.publishing.importing.chapters import SourceChapter

KEY: Final = "owner(brass key)"
WORDING, GIFT = 2, 4
"""The chapters that are edited: one in its wording only, one in what happens."""


@dataclass(frozen=True, slots=True)
class Stage:
    """Where the demonstration is played: the application, the console, and the data it is about."""

    application: Application
    out: Console

    def heading(self, text: str) -> None:
        from rich.text import Text

        self.out.print()
        self.out.print(Text(text, style="bold"))

    def say(self, text: str) -> None:
        self.out.print(printable(text))

    def command(self, *arguments: str) -> None:
        """Show the command that gives the same answer."""
        from rich.text import Text

        self.out.print(Text(f"  $ fabula {shlex.join(arguments)}", style="dim"))


def perform(application: Application, out: Console) -> None:
    """Tell the whole demonstration. Raises what the services raise."""
    started = time.perf_counter()
    stage = Stage(application, out)
    stage.say(
        "Fabula remembers a serialized story: what holds after each chapter, who knows it, and the words that say so. When a "
        "chapter is edited, what rested on the old text falls, and what was believed before stays readable. Below each "
        "answer is the command that gives it."
    )
    _ingest(stage)
    _checkpoints(stage)
    _reveal(stage)
    _reworded(stage)
    _rewritten(stage)
    _beliefs(stage)
    _replayed(stage)
    _evidence(stage)
    stage.say(f"\nThat was the whole tour, in {time.perf_counter() - started:.0f} seconds.")


def _ingest(stage: Stage) -> None:
    stage.heading(f"1. A serial comes in: {TITLE}, ten chapters")
    known = _revisions(stage)
    fresh = [each for each in demo_chapters() if (each.number, 1) not in known]
    for each in fresh:
        _publish(stage, each)
    stage.application.settle()
    events = stage.application.reader.audit(STORY)["events"]
    asserted = sum(each["type"] == "RecordAsserted" and each["revision"] == 1 for each in events)
    new = f"{len(fresh)} chapters published" if fresh else "all ten chapters were there already"
    stage.say(
        f"{new}. Each came with what an annotator found in it: {asserted} records, every one with the words it rests on. "
        "What happened to them is a log of events that nothing ever overwrites."
    )
    stage.command("timeline", STORY)


def _checkpoints(stage: Stage) -> None:
    stage.heading("2. The state of the story depends on where the reader is")
    before = _before(stage)
    rows = []
    for at in (3, 9):
        found = stage.application.reader.state(STORY, at=at, as_recorded=before, key=KEY)["state"]
        rows += [(f"after chapter {at}", each["key"], each["value"], quotation(each["evidence"])) for each in found]
    columns(stage.out, ("reader", "key", "value", "because the text says"), rows, "Nothing.")
    stage.command("state", STORY, "--at", "3", "--key", KEY)


def _reveal(stage: Stage) -> None:
    stage.heading("3. Nobody learns early who the Grey Clerk is")
    for at in (6, 7):
        reply = stage.application.reader.entity(STORY, "the Grey Clerk", at=at)
        stage.say(
            f"after chapter {at}: {reply['name']}"
            + (f" (also {', '.join(reply['aliases'])})" if reply["aliases"] else "")
        )
    stage.say(
        "From chapter 7 on they are one, and what was recorded of either is of the one. Before it, nothing gives it away."
    )
    stage.command("entity", STORY, "the Grey Clerk", "--at", "6")


def _reworded(stage: Stage) -> None:
    stage.heading("4. The author rewords chapter 2")
    _edit(stage, WORDING)
    kinds = Counter(each["type"] for each in _of_edit(stage, WORDING))
    stage.say(
        f"{kinds['RecordCarried']} records found their words again in the new text, {kinds['RecordInvalidated']} fell, "
        f"{kinds['RecordAsserted']} are new. Nothing that later chapters rest on moved."
    )


def _rewritten(stage: Stage) -> None:
    stage.heading("5. The author rewrites chapter 4: the dying keeper gives the brass key to somebody else")
    _edit(stage, GIFT)
    for label, chapters in (("before", demo_chapters()), ("now", demo_edits())):
        stage.say(f"{label + ':':<7} “… {_about(chapters, GIFT, 'pressed the brass key')} …”")
    events = _of_edit(stage, GIFT)
    lost = fallen(events)
    reasons = Counter(each["reason"] for each in lost)
    counts = ", ".join(f"{count} ({reason.replace('_', ' ')})" for reason, count in sorted(reasons.items()))
    stage.say(
        f"{len(lost)} records no longer hold: {counts}. A revision is superseded where the new "
        "text does not say so any more; a dependency is withdrawn where what the record rests on fell; a precondition fails "
        "where what has to be true before it is not. In the chapters that nobody touched:"
    )
    words = _words()
    rows = [
        (each["record"], words.get(each["record"], ""), each["reason"].replace("_", " "))
        for each in lost
        if each["chapter"] != GIFT
    ]
    columns(stage.out, ("record", "what it said", "why it fell"), rows, "None.")
    last = lost[-1]
    stage.say(f"How the edit reached {last['record']} ({words.get(last['record'], '')}):")
    for step in cause_chain(last, stage.application.reader.audit(STORY)["events"]):
        stage.say(f"  {told(step)}")
    stage.command("audit", STORY, "--record", last["record"])


def _beliefs(stage: Stage) -> None:
    stage.heading("6. What we believe now, and what we believed before")
    edited = _revisions(stage)[(GIFT, 2)]
    before = edited - 1
    intervals = stage.application.reader.history(STORY, KEY)["intervals"]
    columns(
        stage.out,
        ("value", "from chapter", "to chapter", "believed"),
        (
            (each["value"], each["valid_from"], each["valid_to"], _when(each))
            for each in intervals
            if each["recorded_to"] is None or each["recorded_to"] >= edited
        ),
        "Nothing.",
    )
    for position, label in ((None, "now"), (before, f"at position {before}")):
        found = stage.application.reader.state(STORY, at=9, as_recorded=position, key=KEY)["state"]
        stage.say(f"after chapter 9, as believed {label}: {KEY} is {found[0]['value'] if found else 'nobody'}")
    stage.command("state", STORY, "--at", "9", "--as-recorded", str(before), "--key", KEY)


def _replayed(stage: Stage) -> None:
    from services.projecting.replaying import compare

    stage.heading("7. The log is the truth")
    application = stage.application
    found = compare(
        application.pool, application.ledger, application.runner, application.projections, STORY, None, lambda _: None
    )
    differ = len(found.differences)
    stage.say(
        f"Everything above was rebuilt from the log, beside what is in use: {len(found.checkpoints) - differ} of "
        f"{len(found.checkpoints)} checkpoints have the same digest. No model was called."
    )
    stage.command("replay", STORY, "--verify")


def _evidence(stage: Stage) -> None:
    question = "Who has the brass key?"
    stage.heading("8. Evidence for a question, blind to what comes later")
    reply = stage.application.asking().packet(STORY, question, at=4, method="nwm", budget=1_500)
    rows = [
        (each["chapter"], each["type"].replace("_", " "), shorten(each["text"], 160, placeholder=" …"))
        for each in reply["items"]
    ]
    stage.say(f"{question} As of chapter 4, within 1,500 characters:")
    columns(stage.out, ("chapter", "kind", "evidence"), rows, "Nothing was found.")
    stage.command("packet", STORY, question, "--at", "4", "--method", "nwm", "--budget", "1500")


def _edit(stage: Stage, chapter: int) -> None:
    """Publish the edit of a chapter, unless an earlier run did."""
    if (chapter, 2) not in _revisions(stage):
        _publish(stage, next(each for each in demo_edits() if each.number == chapter))
        stage.application.settle()


def _publish(stage: Stage, chapter: SourceChapter) -> None:
    stage.application.publisher.publish(
        STORY, chapter.number, chapter.text, title=chapter.title, records=chapter.records, wait=False
    )


def _revisions(stage: Stage) -> dict[tuple[int, int], int]:
    """Where in the log each revision of each chapter was published."""
    if STORY not in stage.application.ledger.stories():
        return {}
    events = stage.application.reading().audit(STORY)["events"]
    return {
        (each["chapter"], each["revision"]): each["position"] for each in events if each["type"] == "ChapterPublished"
    }


def _before(stage: Stage) -> int | None:
    """The position before the rewriting of the gift, or None where it has not been rewritten yet."""
    found = _revisions(stage).get((GIFT, 2))
    return None if found is None else found - 1


def _of_edit(stage: Stage, chapter: int) -> list[dict[str, Any]]:
    """The events that the edit of a chapter brought about."""
    events: list[dict[str, Any]] = stage.application.reader.audit(STORY)["events"]
    position = _revisions(stage)[(chapter, 2)]
    correlation = next(each["correlation"] for each in events if each["position"] == position)
    return [each for each in events if each["correlation"] == correlation]


def _words() -> dict[str, str]:
    """What each record of the serial says, by its name."""
    found: dict[str, str] = {}
    for chapter in demo_chapters():
        handed = chapter.records
        for record in handed["records"] if isinstance(handed, dict) else handed or ():
            found[f"{chapter.number}:{record['id']}"] = describe(record)
    return found


def _about(chapters: Iterable[SourceChapter], number: int, words: str) -> str:
    """The part of a chapter's text that begins with `words`, to the end of its clause."""
    text = next(each.text for each in chapters if each.number == number)
    start = text.index(words)
    return text[start : text.index(" with ", start)]


def _when(interval: dict[str, Any]) -> str:
    end = interval["recorded_to"]
    return "now" if end is None else f"until position {end} (the edit)"
