"""Input files of the command line, within bounds."""

from __future__ import annotations

from pathlib import Path

import pytest

from events.errors import InvalidInput
from services.cli import sources


def test_a_file_without_end_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"/dev/zero has more than 100 MB"):
        sources.content("/dev/zero")


def test_a_file_within_the_bound_is_read_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "MOST_BYTES", 4)
    (tmp_path / "a.txt").write_bytes(b"Mara")
    assert sources.content(str(tmp_path / "a.txt")) == b"Mara"
    (tmp_path / "a.txt").write_bytes(b"Mara.")
    with pytest.raises(InvalidInput, match="less at a time"):
        sources.content(str(tmp_path / "a.txt"))


@pytest.mark.parametrize("path", ["/nonexistent", "/"])
def test_what_cannot_be_read_is_refused_by_name(path: str) -> None:
    with pytest.raises(InvalidInput, match=path):
        sources.content(path)
