"""What goes where: the reply to standard output, everything else to standard error."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from services.documents import Document, encode

if TYPE_CHECKING:
    from rich.console import Console


def emit(document: Document, as_json: bool, render: Callable[[Console, Document], None]) -> None:
    """Print the reply: the JSON document and nothing else, or a rendering for people."""
    if as_json:
        click.echo(encode(document))
    else:
        render(console(), document)


def console(stderr: bool = False) -> Console:
    """A console that takes what it prints literally: brackets in a story's text are no markup."""
    from rich.console import Console

    stream = sys.stderr if stderr else sys.stdout
    return Console(
        file=stream, markup=False, emoji=False, highlight=False, soft_wrap=False, width=None if stream.isatty() else 140
    )


def printable(text: str) -> str:
    """The text without what would steer a terminal: control characters become visible escapes, newlines stay."""
    return "".join(c if c.isprintable() or c in "\n " else repr(c)[1:-1] for c in text)


def note(message: str) -> None:
    """A remark for the person at the terminal, on standard error."""
    click.echo(printable(message), err=True)
