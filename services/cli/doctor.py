"""The command that says what is configured, reachable and used, and what to do about what is not."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from services.cli import options
from services.cli.output import emit, printable

if TYPE_CHECKING:
    from rich.console import Console

    from services.documents import Document


@click.command()
@options.as_json
def doctor(as_json: bool) -> int:
    """Say what is configured, reachable and used. Starts nothing; exit status 1 when something has to be done."""
    from services.observing.checks import examine
    from services.settings import Settings

    findings = examine(Settings.from_env())
    faults = any(each.is_fault for each in findings)
    emit({"ok": not faults, "checks": [each.to_json() for each in findings]}, as_json, _render)
    return 1 if faults else 0


def _render(out: Console, reply: Document) -> None:
    from services.cli.rendering import columns

    columns(
        out,
        ("part", "configured", "reachable", "used", "detail"),
        (
            (each["part"], each["configured"], _answer(each["reachable"]), _answer(each["used"]), each["detail"])
            for each in reply["checks"]
        ),
        "Nothing to check.",
    )
    for each in reply["checks"]:
        if each["remedy"]:
            out.print(printable(f"{each['part']}: {each['remedy']}"))
    out.print("Everything that is used works." if reply["ok"] else "Something has to be done, see above.")


def _answer(value: bool | None) -> str:
    return "-" if value is None else "yes" if value else "no"
