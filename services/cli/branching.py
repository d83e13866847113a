"""The commands for branches: what would follow if the story went on otherwise."""

from __future__ import annotations

import getpass
import sys
from typing import TYPE_CHECKING, Any

import click

from services import arguments
from services.cli import options
from services.cli.output import console, emit, printable
from services.cli.writing import waits

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.story
@click.argument("name")
@click.option("--at", metavar="N|NAME", help="The chapter or checkpoint to fork after (default: the last chapter).")
@click.option("--drop", is_flag=True, help="Throw the branch away, with every text that only it has.")
@click.option("--yes", is_flag=True, help="With --drop: do not ask.")
@click.option("--reason", default="", metavar="TEXT", help="With --drop: why, for the record.")
@options.wait
@options.as_json
def branch(
    story: str, name: str, at: str | None, drop: bool, yes: bool, reason: str, wait: bool | None, as_json: bool
) -> None:
    """Fork a story after a chapter: a branch NAME, to publish into.

    The branch is the story STORY.NAME, which every command takes. The parent is not touched until `fabula promote`.
    """
    if drop and at is not None:
        raise click.UsageError("--at is for forking; leave it out with --drop")
    with options.application() as application:
        branching = application.branching
        if drop:
            if not yes:
                _ask(f"Throw the branch {name} of {story} away, with every text that only it has?")
            reply = branching.drop(story, name, by=getpass.getuser(), reason=reason)
            application.finish()
            emit(reply, as_json, _dropped)
            return
        reply = branching.fork(story, name, arguments.checkpoint(at), wait=waits(wait))
        application.finish()
    emit(reply, as_json, _forked)


@click.command()
@options.story
@options.as_json
def branches(story: str, as_json: bool) -> None:
    """List the branches of a story."""
    with options.application() as application:
        reply = application.branching.of(story)
    emit(reply, as_json, _listed)


@click.command("diff-branches")
@options.story
@click.argument("a")
@click.argument("b")
@click.option("--at", metavar="N|NAME", help="After this chapter or checkpoint (default: the last of either).")
@options.as_json
def diff_branches(story: str, a: str, b: str, at: str | None, as_json: bool) -> None:
    """Show how the state of branch B differs from that of A.

    The story's own name stands for the parent.
    """
    with options.application() as application:
        reply = application.branching.compare(story, a, b, arguments.checkpoint(at))
    emit(reply, as_json, _compared)


@click.command()
@options.story
@click.argument("name")
@click.option("--dry-run", is_flag=True, help="Show what would be published and change, and publish nothing.")
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option("--force", is_flag=True, help="Also where the parent has moved on since the fork.")
@options.wait
@options.as_json
def promote(story: str, name: str, dry_run: bool, yes: bool, force: bool, wait: bool | None, as_json: bool) -> None:
    """Publish the chapters of a branch into its parent.

    Those after the fork, where they differ, each as an ordinary publication.
    """
    with options.application() as application:
        branching = application.branching
        found = branching.preview(story, name)
        if dry_run:
            emit({**found, "dry_run": True}, as_json, _previewed)
            return
        if found["chapters"] and not yes:
            _previewed(console(stderr=True), found)
            _ask(f"Publish this into {story}?")
        reply = branching.promote(story, name, force=force, wait=waits(wait))
        application.finish()
    emit(reply, as_json, _promoted)


def _ask(question: str) -> None:
    """Raises click.UsageError where nobody can be asked, and click.Abort where the answer is no."""
    if not sys.stdin.isatty():
        raise click.UsageError(f"{question} Add --yes to say that it is meant.")
    click.confirm(printable(question), abort=True, err=True)


def _say(out: Console, text: str) -> None:
    out.print(printable(text), soft_wrap=True)


def _forked(out: Console, reply: Document) -> None:
    chapters = _counted(reply["chapters"], "chapter")
    there = "is there already; it began" if reply["unchanged"] else "begins"
    _say(out, f"{reply['branch']} {there} with {chapters} of {reply['story']}, up to chapter {reply['forked_at']}.")
    _say(out, f"  publish into it: fabula publish {reply['branch']} {reply['forked_at'] + 1} --file F")


def _dropped(out: Console, reply: Document) -> None:
    _say(out, f"{reply['branch']} is thrown away; {_counted(len(reply['erased']), 'text')} erased.")


def _listed(out: Console, reply: Document) -> None:
    for each in reply["branches"]:
        chapters = ", ".join(map(str, each["chapters"])) or "none yet"
        line = f"{each['name']} ({each['branch']}): forked after chapter {each['forked_at']}; its own: {chapters}"
        if each["moved"]:
            line += f"; the parent's since: {', '.join(map(str, each['moved']))}"
        _say(out, line + ("; dropped" if each["dropped_at"] else ""))
    if not reply["branches"]:
        _say(out, f"{reply['story']} has no branches.")


def _compared(out: Console, reply: Document) -> None:
    one, other = reply["a"]["story"], reply["b"]["story"]
    for entry in reply["removed"]:
        _say(out, f"- {entry['key']} = {entry['value']} (only {one})")
    for entry in reply["added"]:
        _say(out, f"+ {entry['key']} = {entry['value']} (only {other})")
    for each in reply["changed"]:
        _say(out, f"~ {each['key']}: {_held(each['before'])} -> {_held(each['after'])}")
    if reply["same"]:
        _say(out, f"After chapter {reply['b']['at']} {one} and {other} say the same.")


def _held(entry: Any) -> str:
    return f"{entry['value']} (since chapter {entry['valid_from']})"


def _value(value: Any) -> str:
    return "(nothing)" if value is None else str(value)


def _previewed(out: Console, found: Document) -> None:
    for each in found["chapters"]:
        what = "a new chapter" if each["new"] else "an edit"
        _say(out, f"chapter {each['chapter']} would be published: {what}")
    for each in found["changes"]:
        for key in each["keys"]:
            _say(
                out,
                f"  from chapter {each['chapter']} on: {key['key']}: {_value(key['before'])} -> {_value(key['after'])}",
            )
    if not found["chapters"]:
        _say(out, f"{found['branch']} has nothing that {found['story']} has not.")
    if found["left"]["chapters"]:
        edited = ", ".join(map(str, found["left"]["chapters"]))
        _say(out, f"not promoted: chapter {edited} was edited in the branch, before the fork")
    if found["left"]["decisions"]:
        _say(out, f"not promoted: {_counted(found['left']['decisions'], 'decision')} made in the branch")
    if found["moved"]:
        _say(out, f"since the fork {found['story']} was published to: {', '.join(map(str, found['moved']))}")


def _promoted(out: Console, reply: Document) -> None:
    for each in reply["published"]:
        _say(out, f"{reply['story']}: chapter {each['chapter']}, revision {each['revision']} is published.")
    if not reply["published"]:
        _say(out, f"{reply['branch']} has nothing that {reply['story']} has not; nothing changed.")


def _counted(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"
