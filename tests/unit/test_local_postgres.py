"""What the embedded PostgreSQL says when it cannot be set up."""

from __future__ import annotations

from services.local.postgres import _why_not

BEFORE = 'The files belonging to this database system will be owned by user "mara".\nfixing permissions ... ok\n'


def test_a_full_disk_is_told_with_what_to_do_and_without_what_went_well() -> None:
    told = _why_not(
        f'{BEFORE}FATAL:  could not write to file "pg_wal/xlogtemp.1": No space left on device\nchild exited\n'
    )
    assert told.startswith("FATAL:  could not write")
    assert "FABULA_HOME" in told
    assert "permissions" not in told


def test_a_user_whom_the_system_does_not_know_is_told_so() -> None:
    assert "id -un" in _why_not("initdb: error: could not look up effective user ID 4711: user does not exist")


def test_what_is_not_known_is_told_whole() -> None:
    assert _why_not(" no such file \n") == "no such file"
