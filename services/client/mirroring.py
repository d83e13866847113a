"""Makes `services.client.blocking` out of `services.client.awaited`: one source, two ways of waiting.

Run `python -m services.client.mirroring` after changing the one; a test fails until the other follows.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Final

HERE: Final = Path(__file__).parent
HEADER: Final = "# Made from services/client/awaited by services.client.mirroring; change it there.\n"
_WORDS: Final = (
    (r"\basync (def|with)\b", r"\1"),
    (r"\bawait ", ""),
    (r"\b__aenter__\b", "__enter__"),
    (r"\b__aexit__\b", "__exit__"),
    (r"\baclose\b", "close"),
    (r"\bfrom asyncio import sleep\b", "from time import sleep"),
    (r"\bAsync(Client|BaseTransport|Fabula)\b", r"\1"),
    (r"\bservices\.client\.awaited\b", "services.client.blocking"),
    (r"The client, awaited\..*made from this by `mirroring`\.", "The client for callers that wait for each answer."),
    (r"A Fabula over HTTP, awaited:", "A Fabula over HTTP:"),
)


def mirrored(source: str) -> str:
    """The source of a module of the awaited client, as one that waits; not formatted yet."""
    for pattern, replacement in _WORDS:
        source = re.sub(pattern, replacement, source)
    return HEADER + source


def main() -> None:
    """Writes the whole package anew."""
    target = HERE / "blocking"
    target.mkdir(exist_ok=True)
    for module in sorted((HERE / "awaited").glob("*.py")):
        (target / module.name).write_text(mirrored(module.read_text()))
    ruff = (sys.executable, "-m", "ruff")
    subprocess.run([*ruff, "check", "--fix", "--quiet", "--select", "I", str(target)], check=True)
    subprocess.run([*ruff, "format", "--quiet", str(target)], check=True)


if __name__ == "__main__":
    main()
