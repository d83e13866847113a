"""The embedded PostgreSQL: one server a data directory, started on demand, left running for the next command."""

from __future__ import annotations

import re
import shlex
import shutil
import time
from collections.abc import Mapping
from pathlib import Path

import psycopg
from psycopg import sql

from services.local.errors import LocalServiceError, ServiceDidNotStart
from services.local.postgres_binaries import Account, binaries, cluster_home
from services.local.supervision import (
    ServiceStatus,
    choose_port,
    command_line,
    exclusive,
    is_alive,
    tail,
)

DATABASE = "fabula"
EXTENSIONS = ("vector", "btree_gist", "pg_trgm")
SETTINGS: Mapping[str, str] = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",  # a socket's path may have 107 bytes only; TCP has no such trap
    "shared_buffers": "128MB",
    "max_connections": "200",
    "timezone": "UTC",
    "log_timezone": "UTC",
}
# of a server that was killed, something may hold on for about a second
TRANSIENT = re.compile(r"lock file .* already exists|shared memory block|Address already in use|could not bind")


def _why_not(said: str) -> str:
    """What initdb complained of, without what it did before, and what to do about it where that is known."""
    faults = [line for line in said.splitlines() if "error:" in line or "FATAL" in line or "effective user ID" in line]
    why = "; ".join(faults) or said.strip()
    if "effective user ID" in why:
        return f"{why}; run this as a user whom the system knows, see `id -un`"
    if "No space left" in why:
        return f"{why}; make room, or set FABULA_HOME to a directory on a larger disk"
    return why


class LocalPostgres:
    """A PostgreSQL server of our own in `data_dir`, on 127.0.0.1.

    `port` asks for a port; without it a free one is chosen and remembered. `settings` are server settings on top of
    the usual ones (tests turn fsync off; nothing else should).
    """

    def __init__(
        self,
        data_dir: Path,
        port: int | None = None,
        settings: Mapping[str, str] | None = None,
    ) -> None:
        self._data_dir = data_dir.expanduser().absolute()
        self._port = port
        self._settings = {**SETTINGS, **(settings or {})}
        self._account = Account.current()

    def start(self) -> str:
        """Start the server unless it runs, and return the conninfo of its database `fabula`.

        Creates what is missing: the cluster, the database, the extensions. Any number of processes may call this at
        once. Raises LocalServiceError (ServiceDidNotStart with the end of the log when the server refuses).
        """
        running = self._reachable()
        if running is not None:
            return running
        with exclusive(self._data_dir / "lock"):
            running = self._reachable()
            if running is not None:
                return running
            home = cluster_home(self._data_dir, self._account)
            bin_dir = binaries(self._account)
            self._initialise(home, bin_dir)
            port = self._launch(home, bin_dir)
            self._prepare(port)
            (self._data_dir / "prepared").touch()
        return dsn(port)

    def stop(self) -> None:
        """Stop the server (open transactions are rolled back); nothing happens when it does not run."""
        home = self._home()
        if home is None or self._pid(home) is None:
            return
        with exclusive(self._data_dir / "lock"):
            stopped = self._account.run(
                binaries(self._account) / "pg_ctl",
                "-D",
                home / "cluster",
                "-w",
                "-t",
                "60",
                "-m",
                "fast",
                "stop",
            )
            if stopped.returncode != 0 and self._pid(home) is not None:
                raise LocalServiceError(f"PostgreSQL in {home} did not stop: {stopped.stdout.strip()}")

    def wipe(self) -> None:
        """Stop the server and remove its data for good."""
        self.stop()
        home = self._home()
        for directory in (home, self._data_dir):
            if directory is not None:
                shutil.rmtree(directory, ignore_errors=True)

    def status(self) -> ServiceStatus:
        """Whether the server runs, and where; starts nothing."""
        home = self._home()
        pid = None if home is None else self._pid(home)
        port = None if home is None or pid is None else _listening_port(home / "cluster")
        return ServiceStatus(
            name="postgres",
            running=pid is not None,
            address=None if port is None else dsn(port),
            pid=pid,
            data_dir=self._data_dir,
            log=(home or self._data_dir) / "server.log",
        )

    def was_killed(self) -> bool:
        """Whether the server ended without having been stopped: one that is stopped takes its lock file away."""
        home = self._home()
        return home is not None and _postmaster(home / "cluster") is not None and self._pid(home) is None

    def _home(self) -> Path | None:
        """Where the cluster is, or None before the first start."""
        if not self._data_dir.exists():
            return None
        home = cluster_home(self._data_dir, self._account) if (self._data_dir / "location").exists() else self._data_dir
        return home if (home / "cluster").exists() else None

    def _pid(self, home: Path) -> int | None:
        pid = _postmaster(home / "cluster")
        return pid if pid is not None and is_alive(pid) and _is_postgres(pid) else None

    def _reachable(self) -> str | None:
        """The conninfo of a prepared server of this very cluster, or None."""
        home = self._home()
        if home is None or not (self._data_dir / "prepared").exists():
            return None
        port = _listening_port(home / "cluster")
        if port is None:
            return None
        try:
            with psycopg.connect(dsn(port), connect_timeout=3) as connection:
                row = connection.execute("SELECT current_setting('data_directory')").fetchone()
        except psycopg.OperationalError:
            return None
        ours = row is not None and Path(row[0]).resolve() == (home / "cluster").resolve()
        return dsn(port) if ours else None

    def _initialise(self, home: Path, bin_dir: Path) -> None:
        cluster = home / "cluster"
        if cluster.exists():
            return
        # a cluster may be moved while no server has it: an interrupted initdb never passes for a whole one
        partial = home / "cluster.new"
        if partial.exists():
            shutil.rmtree(partial)
        self._account.own(partial)
        made = self._account.run(
            bin_dir / "initdb", "-D", partial, "-U", "postgres", "--auth=trust", "--encoding=UTF8", "--no-locale",
            "--locale-provider=builtin", "--builtin-locale=C.UTF-8",
        )  # fmt: skip
        if made.returncode != 0:
            raise LocalServiceError(f"PostgreSQL could not create a cluster in {home}: {_why_not(made.stdout)}")
        partial.rename(cluster)

    def _launch(self, home: Path, bin_dir: Path) -> int:
        """Start the server and wait until it accepts connections; returns its port."""
        cluster, log = home / "cluster", home / "server.log"
        log.touch()
        if self._account.uid is not None:
            shutil.chown(log, self._account.uid, self._account.uid)
        deadline = time.monotonic() + 20.0
        while True:
            if self._pid(home) is not None and time.monotonic() < deadline:  # a starter that was killed left it behind
                ready = _listening_port(cluster)
                if ready is not None and _is_ready(cluster):
                    return ready
                time.sleep(0.1)
                continue
            _remove_stale_lock(cluster)
            port = choose_port(self._remembered_port(), self._port, "PostgreSQL")
            options = " ".join(
                f"-c {shlex.quote(f'{name}={value}')}" for name, value in {**self._settings, "port": str(port)}.items()
            )
            before = log.stat().st_size
            started = self._account.run(
                bin_dir / "pg_ctl",
                "-D",
                cluster,
                "-w",
                "-t",
                "60",
                "-l",
                log,
                "-o",
                options,
                "start",
            )
            if started.returncode == 0:
                (self._data_dir / "port").write_text(f"{port}\n")
                return port
            said = log.read_bytes()[before:].decode(errors="replace")
            if not TRANSIENT.search(said) or time.monotonic() > deadline:
                raise ServiceDidNotStart(
                    "PostgreSQL",
                    started.stdout.strip().splitlines()[-1],
                    log,
                    tail(log),
                )
            time.sleep(0.2)

    def _remembered_port(self) -> int | None:
        try:
            return int((self._data_dir / "port").read_text())
        except (OSError, ValueError):
            return None

    def _prepare(self, port: int) -> None:
        with psycopg.connect(dsn(port, "postgres"), autocommit=True) as connection:
            found = connection.execute("SELECT 1 FROM pg_database WHERE datname = %s", [DATABASE]).fetchone()
            if found is None:
                connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(DATABASE)))
        with psycopg.connect(dsn(port), autocommit=True) as connection:
            for extension in EXTENSIONS:
                connection.execute(sql.SQL("CREATE EXTENSION IF NOT EXISTS {}").format(sql.Identifier(extension)))


def dsn(port: int, database: str = DATABASE) -> str:
    """The conninfo of a database of the local server."""
    return f"postgresql://postgres@127.0.0.1:{port}/{database}"


def _lock_lines(cluster: Path) -> list[str]:
    try:
        return (cluster / "postmaster.pid").read_text().splitlines()
    except OSError:
        return []


def _postmaster(cluster: Path) -> int | None:
    lines = _lock_lines(cluster)
    return int(lines[0]) if lines and lines[0].strip().isdigit() else None


def _listening_port(cluster: Path) -> int | None:
    lines = _lock_lines(cluster)
    return int(lines[3]) if len(lines) > 3 and lines[3].strip().isdigit() else None


def _is_ready(cluster: Path) -> bool:
    lines = _lock_lines(cluster)
    return len(lines) > 7 and lines[7].strip() == "ready"


def _is_postgres(pid: int) -> bool:
    arguments = command_line(pid)
    return not arguments or Path(arguments[0].split()[0]).name.rstrip(":") == "postgres"


def _remove_stale_lock(cluster: Path) -> None:
    """Remove a killed server's lock file when its process id is a zombie's or belongs to another program by now.

    PostgreSQL itself only asks whether the process id exists, and would refuse for ever. A survivor of the old server
    is still noticed: the server checks the cluster's shared memory as well.
    """
    pid = _postmaster(cluster)
    if pid is None:
        return
    if not is_alive(pid) or not _is_postgres(pid):
        (cluster / "postmaster.pid").unlink(missing_ok=True)
