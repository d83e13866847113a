"""Commands that look ahead: what an edit would do, and the questions it is tried on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from services import arguments
from services.cli import options, sources
from services.cli.output import emit, printable
from services.cli.rendering import columns, quotation

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@options.chapter
@click.option("--file", "-f", "file", metavar="FILE", help="The edited text, in UTF-8; `-` reads standard input.")
@click.option("--retract", is_flag=True, help="What withdrawing the chapter would do.")
@click.option("--records", metavar="R.json", help="What an annotator found in it; without it the extractor reads it.")
@click.option("--questions", metavar="F", help="Questions to try it on (JSON), in the place of those that are kept.")
@click.option("--title", help="The chapter's title, as it would be published.")
@click.option("--language", default="en", show_default=True, help="The language of the text.")
@options.as_json
def impact(
    story: str,
    chapter: int,
    file: str | None,
    retract: bool,
    records: str | None,
    questions: str | None,
    title: str | None,
    language: str,
    as_json: bool,
) -> None:
    """Show what publishing an edit of a chapter would do, and publish nothing.

    What it would invalidate, reinstate and change, with the words that say so: records, intervals of the state, threads,
    named checkpoints, and which questions would be answered differently.
    """
    if (file is None) != retract:
        raise click.UsageError("give the edited text with --file F, or --retract to withdraw the chapter")
    text = None if file is None else sources.text(file)
    handed = None if records is None else sources.value(records)
    asked = None
    if questions is not None:
        from services.auditing.questions import read

        asked = read(sources.value(questions))
    with options.application() as application:
        application.settle()
        reply = application.desk.impact(
            arguments.text("the story", story), chapter, text,
            records=handed, title=title, language=language, questions=asked,
        )  # fmt: skip
    emit(reply, as_json, _impact)


@click.command()
@options.story
@click.option(
    "--file", "-f", "file", required=True, metavar="FILE", help="The draft, in UTF-8; `-` reads standard input."
)
@click.option(
    "--after", metavar="N|NAME", help="The draft follows this chapter or checkpoint (default: the last chapter)."
)
@click.option("--records", metavar="R.json", help="What an annotator found in it; without it the extractor reads it.")
@click.option("--scaffold", metavar="F", help="Rank the constraints for this plan, in the place of the draft.")
@click.option("--language", default="en", show_default=True, help="The language of the draft.")
@options.as_json
def check(
    story: str,
    file: str,
    after: str | None,
    records: str | None,
    scaffold: str | None,
    language: str,
    as_json: bool,
) -> None:
    """Hold a draft of the next chapter against the state, and show what contradicts it.

    The dead who act, things in two hands or places, knowledge that nobody told, turns without a beat, threads reopened or
    overdue, broken rules and names not revealed. Nothing is published. What is meant so can be let stand: `fabula exempt`.
    """
    text = sources.text(file)
    handed = None if records is None else sources.value(records)
    plan = None if scaffold is None else sources.text(scaffold)
    with options.application() as application:
        application.settle()
        reply = application.desk.check(
            arguments.text("the story", story), text,
            after=arguments.checkpoint(after), records=handed, scaffold=plan, language=language,
        )  # fmt: skip
    emit(reply, as_json, _check)


@click.command()
@options.story
@options.at
@click.option("--scaffold", metavar="F", help="What you mean to write; the constraints are ranked for it.")
@options.as_json
def constraints(story: str, at: str | None, scaffold: str | None, as_json: bool) -> None:
    """List what the next chapter must respect."""
    plan = None if scaffold is None else sources.text(scaffold)
    with options.application() as application:
        reply = application.desk.constraints(
            arguments.text("the story", story), at=arguments.checkpoint(at), scaffold=plan
        )
    emit(reply, as_json, _constraints)


@click.command()
@options.story
@click.argument("finding", required=False)
@click.option("--reason", help="Why it stands.")
@options.as_json
def exempt(story: str, finding: str | None, reason: str | None, as_json: bool) -> None:
    """Let a FINDING of `fabula check` stand, with a reason; without one, list what stands.

    It stands as long as the records that decide it say the same.
    """
    if (finding is None) != (reason is None):
        raise click.UsageError("give a finding and its --reason, or neither")
    with options.application() as application:
        if finding is None or reason is None:
            emit(application.desk.exemptions(story), as_json, _exemptions)
            return
        reply = {**application.publisher.exempt(story, finding, reason), "finding": finding, "reason": reason}
        application.finish()
    emit(reply, as_json, lambda out, doc: out.print(printable(f"{doc['story']}: {doc['finding']} stands.")))


@click.group()
def questions() -> None:
    """Keep questions about a story, for `fabula impact` to try edits on."""


@questions.command()
@options.story
@click.argument("question")
@click.option("--at", type=int, help="After this chapter (default: the last one, whichever it is then).")
@options.as_json
def add(story: str, question: str, at: int | None, as_json: bool) -> None:
    """Keep a QUESTION."""
    with options.application() as application:
        kept = application.desk.questions.add(story, question, at)
    reply = {"story": story, "number": kept.number, "question": kept.question, "at": kept.at}
    emit(reply, as_json, lambda out, doc: out.print(printable(f"{doc['story']}: question {doc['number']} is kept.")))


@questions.command(name="list")
@options.story
@options.as_json
def listed(story: str, as_json: bool) -> None:
    """List the questions that are kept."""
    from services.auditing.questions import shown

    with options.application() as application:
        reply = {"story": story, "questions": shown(application.desk.questions.of(story))}
    rows = [(q["number"], q["at"], q["question"]) for q in reply["questions"]]
    emit(reply, as_json, lambda out, _: columns(out, ("number", "after chapter", "question"), rows, "None is kept."))


@questions.command()
@options.story
@click.argument("number", type=int)
@options.as_json
def remove(story: str, number: int, as_json: bool) -> None:
    """Forget the question with this NUMBER."""
    with options.application() as application:
        application.desk.questions.remove(story, number)
    emit({"story": story, "removed": number}, as_json, lambda out, _: out.print(f"Question {number} is forgotten."))


def _impact(out: Console, reply: Document) -> None:
    what = "Withdrawing" if reply["action"] == "retract" else "Publishing"
    out.print(printable(f"{what} this as {reply['story']} {reply['chapter']} (revision {reply['revision']}):"))
    if reply["unchanged"]:
        out.print("It is there already, to the letter; nothing would change.")
        return
    for each in reply["rejected"]:
        out.print(printable(f"  rejected {each['record']}: {each['reason']}"))
    for warning in reply["warnings"]:
        out.print(printable(f"  note: {warning}"), soft_wrap=True)
    records = reply["records"]
    for title, listed_ in (
        ("would fall", records["invalidated"]),
        ("would hold again", records["reinstated"]),
        ("would be new", records["asserted"]),
    ):
        out.print(f"\n{len(listed_)} records {title}" + (":" if listed_ else "."))
        columns_of(out, listed_)
    out.print(f"{records['kept']} records would be kept.")
    _state(out, reply)
    _questions(out, reply["questions"])
    out.print("\nNothing was published.")


def columns_of(out: Console, records: list[Any]) -> None:
    if records:
        rows = [
            (each["record"], each["says"], (each.get("reason") or "").replace("_", " "), quotation(each["evidence"]))
            for each in records
        ]
        columns(out, ("record", "says", "why", "the words"), rows, "")


def _state(out: Console, reply: Document) -> None:
    rows = [(each["key"], _run(each["before"]), _run(each["after"])) for each in reply["intervals"]]
    out.print("")
    columns(out, ("key", "now", "then"), rows, "No key of the state would change.")
    for each in reply["checkpoints"]:
        if each["changed"]:
            keys = ", ".join(k["key"] for k in each["keys"])
            out.print(printable(f"checkpoint {each['name']} (after {each['at']}) would change: {keys}"), soft_wrap=True)


def _questions(out: Console, asked: list[Any]) -> None:
    for each in asked:
        if each["differs"]:
            before, after = (each[side]["answer"] or "(no answer)" for side in ("before", "after"))
            out.print(printable(f"{each['question']} {before} → {after}"), soft_wrap=True)
            for side, sign in (("before", "-"), ("after", "+")):
                for item in each[side]["evidence"]:
                    out.print(printable(f"  {sign} {item['text']}"), soft_wrap=True)
    if asked:
        differ = sum(each["differs"] for each in asked)
        out.print(f"{differ} of {len(asked)} questions would be answered differently.")


def _run(stretches: list[Any]) -> str:
    return "; ".join(
        f"{s['value']} ({s['valid_from']}–{(s['valid_to'] - 1) if s['valid_to'] else ''})" for s in stretches
    )


def _check(out: Console, reply: Document) -> None:
    found = reply["violations"]
    exempted = f", {len(reply['exempted'])} exempt" if reply["exempted"] else ""
    counted = "1 contradiction" if len(found) == 1 else f"{len(found)} contradictions"
    out.print(printable(f"{reply['story']} after chapter {reply['after']}: {counted}{exempted}."))
    for each in found:
        out.print(printable(f"\n{each['severity']}: {each['message']}"), soft_wrap=True)
        if each["draft_span"]:
            out.print(printable(f"  draft: “{each['draft_span']['quote']}”"), soft_wrap=True)
        for span in each["evidence"]:
            out.print(printable(f"  chapter {span['chapter']}: “{span['quote']}”"), soft_wrap=True)
        if each["lapsed"]:
            out.print(
                printable(f"  it was exempt ({each['lapsed']['reason']}), before its evidence changed"), soft_wrap=True
            )
        out.print(printable(f"  {each['id']}"))
    for each in reply["rejected"]:
        out.print(printable(f"  rejected {each['record']}: {each['reason']}"))


def _constraints(out: Console, reply: Document) -> None:
    out.print(printable(f"{reply['story']} after chapter {reply['at']}:"))
    rows = [(c["kind"].replace("_", " "), c["text"], quotation(c["evidence"])) for c in reply["constraints"]]
    columns(out, ("kind", "what the next chapter must respect", "the words"), rows, "Nothing is recorded yet.")


def _exemptions(out: Console, reply: Document) -> None:
    rows = [(each["finding"], each["reason"]) for each in reply["exemptions"]]
    columns(out, ("finding", "why it stands"), rows, "Nothing is exempt.")
