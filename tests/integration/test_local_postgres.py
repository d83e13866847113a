"""The embedded PostgreSQL: real servers, real kills."""

from __future__ import annotations

import multiprocessing
import os
import shutil
import signal
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from services.local.errors import LocalServiceError
from services.local.postgres import LocalPostgres
from services.local.supervision import free_port, is_alive, wait_until

pytestmark = pytest.mark.services


@pytest.fixture
def data_dir() -> Iterator[Path]:
    """A directory that any user can reach, wiped with its server."""
    directory = Path(tempfile.mkdtemp(prefix="fabula-pg-"))
    directory.chmod(0o755)
    yield directory / "postgres"
    LocalPostgres(directory / "postgres").wipe()
    shutil.rmtree(directory, ignore_errors=True)


def _write(dsn: str, value: str) -> None:
    with psycopg.connect(dsn) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS kept (value text)")
        connection.execute("INSERT INTO kept VALUES (%s)", [value])


def _read(dsn: str) -> list[str]:
    with psycopg.connect(dsn) as connection:
        return [row[0] for row in connection.execute("SELECT value FROM kept")]


def _server_pid(server: LocalPostgres) -> int:
    pid = server.status().pid
    assert pid is not None
    return pid


@pytest.fixture(scope="module")
def running() -> Iterator[tuple[Path, str]]:
    """The data directory and the address of one server for the tests that only read."""
    directory = Path(tempfile.mkdtemp(prefix="fabula-pg-"))
    directory.chmod(0o755)
    server = LocalPostgres(directory / "postgres")
    yield directory / "postgres", server.start()
    server.wipe()
    shutil.rmtree(directory, ignore_errors=True)


def test_the_database_has_the_extensions_the_product_needs(running: tuple[Path, str]) -> None:
    with psycopg.connect(running[1]) as connection:
        found = {row[0] for row in connection.execute("SELECT extname FROM pg_extension")}
    assert {"vector", "btree_gist", "pg_trgm"} <= found


def test_commits_are_durable(running: tuple[Path, str]) -> None:
    with psycopg.connect(running[1]) as connection:
        settings = [connection.execute(f"SHOW {name}").fetchone() for name in ("fsync", "synchronous_commit")]
    assert settings == [("on",), ("on",)]


def test_letters_beyond_ascii_are_compared_without_case(running: tuple[Path, str]) -> None:
    with psycopg.connect(running[1]) as connection:
        row = connection.execute("SELECT lower('ÉLODIE'), 'Zoë' ILIKE 'ZOË'").fetchone()
    assert row == ("élodie", True)


def test_a_second_start_reuses_the_running_server(running: tuple[Path, str]) -> None:
    data_dir, address = running
    pid = _server_pid(LocalPostgres(data_dir))
    again = LocalPostgres(data_dir)
    assert (again.start(), _server_pid(again)) == (address, pid)


def test_a_stopped_server_comes_back_with_its_data_on_its_port(data_dir: Path) -> None:
    server = LocalPostgres(data_dir)
    address = server.start()
    _write(address, "before")
    server.stop()
    assert not server.status().running
    assert LocalPostgres(data_dir).start() == address
    assert _read(address) == ["before"]


def test_a_killed_server_starts_again_and_keeps_what_was_committed(
    data_dir: Path,
) -> None:
    server = LocalPostgres(data_dir)
    address = server.start()
    _write(address, "committed")
    os.kill(_server_pid(server), signal.SIGKILL)
    assert _read(server.start()) == ["committed"]


def test_a_lock_file_that_names_another_program_does_not_stop_the_start(
    data_dir: Path,
) -> None:
    server = LocalPostgres(data_dir)
    server.start()
    pid = _server_pid(server)
    os.kill(pid, signal.SIGKILL)
    assert wait_until(lambda: not is_alive(pid), 10)
    lock = data_dir / "cluster" / "postmaster.pid"
    lines = lock.read_text().splitlines()
    lock.write_text("\n".join([str(os.getpid()), *lines[1:]]) + "\n")
    server.start()
    assert _server_pid(server) != os.getpid()


def _binds(squatter: socket.socket, port: int) -> bool:
    try:
        squatter.bind(("127.0.0.1", port))
    except OSError:
        return False
    return True


def test_a_taken_port_is_replaced_by_another(data_dir: Path) -> None:
    server = LocalPostgres(data_dir)
    old = int(server.start().rsplit(":", 1)[1].split("/")[0])
    server.stop()
    with socket.socket() as squatter:
        squatter.setsockopt(
            socket.SOL_SOCKET, socket.SO_REUSEADDR, 1
        )  # connections that have ended hold the port for a while
        assert wait_until(lambda: _binds(squatter, old), 60)
        squatter.listen()
        new = int(server.start().rsplit(":", 1)[1].split("/")[0])
    assert new != old


def test_a_requested_port_that_is_taken_is_an_error_that_names_it(
    data_dir: Path,
) -> None:
    port = free_port()
    with socket.socket() as squatter:
        squatter.bind(("127.0.0.1", port))
        squatter.listen()
        with pytest.raises(LocalServiceError, match=str(port)):
            LocalPostgres(data_dir, port).start()


def _start_in_child(data_dir: Path, answers: multiprocessing.Queue[str]) -> None:
    answers.put(LocalPostgres(data_dir).start())


def test_starters_that_race_get_one_and_the_same_server(data_dir: Path) -> None:
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[str] = context.Queue()
    starters = [context.Process(target=_start_in_child, args=(data_dir, answers)) for _ in range(3)]
    for starter in starters:
        starter.start()
    addresses = {answers.get(timeout=60) for _ in starters}
    for starter in starters:
        starter.join(60)
    assert len(addresses) == 1
    assert _read_one(addresses.pop()) == 1


def _read_one(address: str) -> int:
    with psycopg.connect(address) as connection:
        row = connection.execute("SELECT 1").fetchone()
    assert row is not None
    return int(row[0])


def test_a_data_directory_below_a_private_one_works_and_wiping_it_leaves_nothing(
    data_dir: Path,
) -> None:
    private = data_dir.parent / "private"
    private.mkdir(mode=0o700)
    server = LocalPostgres(private / "home" / "postgres")
    _write(server.start(), "kept")
    log = server.status().log
    server.stop()
    assert _read(server.start()) == ["kept"]
    server.wipe()
    assert not log.parent.exists()


def test_a_new_data_directory_at_an_old_path_is_empty(data_dir: Path) -> None:
    private = data_dir.parent / "private"
    private.mkdir(mode=0o700)
    server = LocalPostgres(private / "postgres")
    _write(server.start(), "old")
    log = server.status().log
    server.stop()
    shutil.rmtree(private / "postgres")
    with psycopg.connect(server.start()) as connection:
        row = connection.execute("SELECT to_regclass('kept')").fetchone()
    assert row == (None,)
    server.wipe()
    shutil.rmtree(log.parent, ignore_errors=True)


def test_status_starts_nothing(data_dir: Path) -> None:
    status = LocalPostgres(data_dir).status()
    assert (status.running, status.address, data_dir.exists()) == (False, None, False)
