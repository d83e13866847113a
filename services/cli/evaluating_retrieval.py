"""How well packets hold what questions need, as commands."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import click

from services.cli import options
from services.cli.output import emit, note

if TYPE_CHECKING:
    from rich.console import Console

    from services.answering.readers import Reader
    from services.documents import Document
    from services.evaluation.retrieval.questions import Suite

_FOLDER: Final = click.Path(exists=True, file_okay=False, path_type=Path)


def chosen(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options that say what is asked."""
    for option in reversed(
        (
            click.option("--data", type=_FOLDER, envvar="FABULA_DATA", help="The folder of data. Also FABULA_DATA."),
            click.option(
                "--suite",
                "names",
                multiple=True,
                type=click.Choice(("recorded", "fairytaleqa", "narrativeqa", "nocha")),
                help="Only this suite; may be given more than once.",
            ),
            click.option("--story", "stories", multiple=True, metavar="STORY", help="Only questions about this story."),
            click.option(
                "--questions",
                type=click.Path(exists=True, dir_okay=False, path_type=Path),
                help="Questions of your own, one JSON object a line, about the story in --chapters.",
            ),
            click.option("--chapters", type=_FOLDER, help="The folder with chapter-NNN.txt (and .records.json)."),
            click.option("--limit", type=click.IntRange(min=1), metavar="N", help="The first N questions of a suite."),
            click.option("--fresh", is_flag=True, help="Ingest stories anew, even those that are kept."),
        )
    ):
        command = option(command)
    return command


@click.command()
@chosen
@click.option("--methods", metavar="A,B,…", help="Which methods (default: all of the product).")
@click.option("--budgets", metavar="N,N,…", help="Characters a packet may have (default: 1500,3000,4000,6000,12000).")
@click.option(
    "--report", "directory", type=click.Path(file_okay=False, path_type=Path), help="Save packets and a report there."
)
@options.as_json
def retrieval(
    data: Path | None,
    names: tuple[str, ...],
    stories: tuple[str, ...],
    questions: Path | None,
    chapters: Path | None,
    limit: int | None,
    fresh: bool,
    methods: str | None,
    budgets: str | None,
    directory: Path | None,
    as_json: bool,
) -> None:
    """Put questions to the retrieval methods and measure what their packets hold, with 95 % intervals.

    Two controls are always run: the last text before the checkpoint, and random passages. `oracle` and `full` may be named
    as methods. Stories are ingested once and kept under the cache directory.
    """
    from services.evaluation.retrieval import reporting, running, suite
    from services.settings import Settings

    plan = running.Plan(
        methods=running.Plan().methods if methods is None else _names(methods),
        budgets=running.BUDGETS if budgets is None else _numbers(budgets),
        told=note,
    )
    suites = _suites(data, names, stories, questions, chapters, limit)
    found = suite.measure(suites, plan, Settings.from_env(), directory=directory, fresh=fresh, told=note)
    if directory is not None:
        note(f"wrote {', '.join(str(file) for file in reporting.write(found, directory) if file.suffix != '.svg')}")
    emit(found.to_json(), as_json, table)


@click.command()
@chosen
@click.option("--methods", metavar="A,B,…", help="Which methods (default: all of the product).")
@click.option("--budgets", metavar="N,N,…", default="4000", show_default=True, help="Characters a packet may have.")
@click.option(
    "--reader",
    default="offline",
    type=click.Choice(("offline", "claude", "ask")),
    help="Who answers; ask: `fabula ask` itself.",
)
@click.option("--times", type=click.IntRange(1, 20), default=1, help="Ask so often, and say how far the answers agree.")
@click.option("--packets", type=_FOLDER, help="Read the packets saved there instead of retrieving.")
@click.option(
    "--report",
    "directory",
    type=click.Path(file_okay=False, path_type=Path),
    help="Save packets, answers and reports there.",
)
@options.as_json
def qa(
    data: Path | None,
    names: tuple[str, ...],
    stories: tuple[str, ...],
    questions: Path | None,
    chapters: Path | None,
    limit: int | None,
    fresh: bool,
    methods: str | None,
    budgets: str,
    reader: str,
    times: int,
    packets: Path | None,
    directory: Path | None,
    as_json: bool,
) -> None:
    """Let one reader answer from the packets of every method, and measure its answers, with 95 % intervals."""
    from services.evaluation.qa import suite as answers
    from services.evaluation.retrieval import running, suite
    from services.settings import Settings

    chosen_reader = None if reader == "ask" else _reader(reader)
    if chosen_reader is None and times > 1:
        raise click.UsageError("--times asks a reader several times; `ask` answers the same every time.")
    suites: list[Suite] = []
    if chosen_reader is None or packets is None:
        suites = _suites(data, names, stories, questions, chapters, limit)
    with tempfile.TemporaryDirectory(prefix="fabula-eval-") as temporary:
        place = packets or directory or Path(temporary)
        if packets is None:
            plan = running.Plan(
                methods=running.Plan().methods if methods is None else _names(methods),
                budgets=_numbers(budgets),
                told=note,
            )
            suite.measure(suites, plan, Settings.from_env(), directory=place, fresh=fresh, told=note)
        if chosen_reader is None:
            from services.evaluation.qa.asking import NAME, ask_all
            from services.evaluation.retrieval.saved import read

            kept = read(place)
            found = answers.report(place, kept, NAME, [ask_all(kept, suites, Settings.from_env(), place, note)])
        else:
            found = answers.measure(place, chosen_reader, times=times, told=note)
        if place != Path(temporary):
            note(f"wrote {', '.join(map(str, found.files))}")
    emit(found.to_json(), as_json, table)


def _reader(name: str) -> Reader:
    if name == "claude":
        from services.answering.readers.claude import ClaudeReader
        from services.extraction.claude.options import ClaudeOptions

        return ClaudeReader.from_options(ClaudeOptions.from_env())
    from services.answering.readers.offline import OfflineReader

    return OfflineReader()


@click.command()
@click.argument("directory", type=_FOLDER)
@options.as_json
def report(directory: Path, as_json: bool) -> None:
    """Draw the report of a run again from the packets saved in DIRECTORY, without retrieving anything."""
    from services.evaluation.retrieval import reporting, suite

    found = suite.reported(directory)
    note(f"wrote {', '.join(str(file) for file in reporting.write(found, directory) if file.suffix != '.svg')}")
    emit(found.to_json(), as_json, table)


def _suites(
    data: Path | None,
    names: tuple[str, ...],
    stories: tuple[str, ...],
    questions: Path | None,
    chapters: Path | None,
    limit: int | None,
) -> list[Suite]:
    from services.evaluation.retrieval import folder

    if (questions is None) != (chapters is None):
        raise click.UsageError("--questions and --chapters go together.")
    if questions is not None and chapters is not None:
        return [folder.custom(questions, chapters, limit=limit)]
    place = folder.folder(data)
    wanted = names or folder.SUITES
    lacking = folder.missing(place, wanted)
    for part in lacking:
        note(f"not measured: {place} has no folder {part}")
    found = [folder.suite(place, n, stories=stories, limit=limit) for n in wanted if n not in lacking]
    if not any(each.questions for each in found):
        raise folder.NoQuestions(f"{place} has no question of that sort; name a suite and stories that it has.")
    return [each for each in found if each.questions]


def _names(given: str) -> list[str]:
    return [name.strip() for name in given.split(",") if name.strip()]


def _numbers(given: str) -> list[int]:
    if not all(part.isascii() and part.isdigit() and len(part) < 10 for part in _names(given)):
        raise click.BadParameter("give numbers of characters, separated by commas, such as 4000,12000")
    return [int(part) for part in _names(given)]


def table(out: Console, reply: Document) -> None:
    """The measures of whole suites, without those of groups of questions."""
    from services.cli.rendering import columns

    columns(
        out,
        ("measure", "value", "low", "high", "n"),
        ([m["name"], m["value"], m["low"], m["high"], m["n"]] for m in reply["measures"] if "/" not in m["name"]),
        "Nothing was measured.",
    )
