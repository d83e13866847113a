"""Fetch the jars of a component once, as its lock file lists them, into the cache."""

from __future__ import annotations

import contextlib
import hashlib
import importlib
import importlib.util
import io
import os
import secrets
import shutil
import subprocess
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from services.local.errors import LocalServiceError, PrerequisiteMissing
from services.local.supervision import exclusive

STACK = Path(__file__).resolve().parents[2] / "deploy" / "stack"
"""The components' descriptions: a folder each, with pom.xml and jars.lock."""

PACKAGE = "maven_artifact"
"""The client that fetches where there is no Maven."""


@dataclass(frozen=True, slots=True)
class LockedJar:
    """One line of a jars.lock: the file `name` of the Maven `coordinate` has this SHA-256 (hex)."""

    sha256: str
    coordinate: str
    name: str


def cache_directory() -> Path:
    """Where what is fetched once is kept: FABULA_CACHE, else ~/.cache/fabula."""
    return Path(os.environ.get("FABULA_CACHE") or Path.home() / ".cache" / "fabula").expanduser().absolute()


def locked_jars(component: Path) -> list[LockedJar]:
    """The jars of a component, as its lock file lists them."""
    return [LockedJar(*line.split()) for line in (component / "jars.lock").read_text().splitlines() if line]


def fingerprint(*files: Path) -> str:
    """A short name for the content of these files, the same on any machine."""
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def jars(component: Path, cache: Path) -> Path:
    """The directory that holds the component's jars, each with the SHA-256 that its lock file gives.

    Fetched the first time, by Maven where `mvn` is on the PATH (with its mirrors and proxies), else one by one.
    Raises PrerequisiteMissing when nothing here can fetch them, LocalServiceError when fetching failed.
    """
    target = cache / f"{component.name}-jars-{fingerprint(component / 'jars.lock')}"
    if target.exists():
        return target
    with exclusive(cache / f"{component.name}-jars.lock", timeout=600.0):
        if not target.exists():
            partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}")
            partial.mkdir()
            try:
                _fetch(component, partial)
                partial.rename(target)
            finally:
                shutil.rmtree(partial, ignore_errors=True)
    return target


def _fetch(component: Path, into: Path) -> None:
    wanted = locked_jars(component)
    complaints: list[str] = []
    if mvn := shutil.which("mvn"):
        complaint = _with_maven(mvn, component, into) or _mismatch(wanted, into)
        if complaint is None:
            return
        complaints.append(f"mvn: {complaint}")
    if importlib.util.find_spec(PACKAGE) is not None:
        complaint = _one_by_one(wanted, into) or _mismatch(wanted, into)
        if complaint is None:
            return
        complaints.append(f"maven-artifact: {complaint}")
    if not complaints:
        raise PrerequisiteMissing(
            f"A way to fetch the jars of {component.name}",
            "Install one into this environment with `pip install maven-artifact`, or Maven (`apt-get install maven`).",
        )
    raise LocalServiceError(
        f"the jars of {component.name} could not be fetched from Maven Central ({'; '.join(complaints)}); "
        "check the network and try again"
    )


def _with_maven(mvn: str, component: Path, into: Path) -> str | None:
    ran = subprocess.run(
        [mvn, "-q", "-B", "-ntp", "-f", component / "pom.xml", "dependency:copy-dependencies",
         "-DincludeScope=runtime", f"-DoutputDirectory={into}"],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600, check=False,
    )  # fmt: skip
    return None if ran.returncode == 0 else " ".join(ran.stdout.split())[:400]


def _one_by_one(wanted: Iterable[LockedJar], into: Path) -> str | None:
    artifact = importlib.import_module(f"{PACKAGE}.artifact").Artifact
    downloading = importlib.import_module(f"{PACKAGE}.downloader")

    def download(jar: LockedJar) -> str | None:
        try:
            downloading.Downloader().download(artifact.parse(jar.coordinate), str(into / jar.name))
        except (downloading.RequestException, OSError) as failure:
            return f"{jar.coordinate}: {failure}"
        return None

    # the client prints; standard output belongs to the command's answer
    with contextlib.redirect_stdout(io.StringIO()), ThreadPoolExecutor(4) as pool:
        failures = [failure for failure in pool.map(download, wanted) if failure is not None]
    return failures[0] if failures else None


def _mismatch(wanted: Iterable[LockedJar], directory: Path) -> str | None:
    """What is missing or differs from the lock, None when nothing does; removes what the lock does not list."""
    names = set()
    for jar in wanted:
        names.add(jar.name)
        file = directory / jar.name
        if not file.exists():
            return f"{jar.name} is missing"
        if hashlib.sha256(file.read_bytes()).hexdigest() != jar.sha256:
            return f"{jar.name} is not the file that jars.lock lists"
    for file in directory.iterdir():
        if file.name not in names:
            file.unlink()
    return None
