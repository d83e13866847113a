"""Which offsets nobody has recorded."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.extraction.reconciling import Offsets, gaps


@pytest.mark.parametrize(
    ("recorded", "missing"),
    [
        ([], [(10, 20)]),
        ([(10, 20)], []),
        ([(0, 100)], []),
        ([(12, 15)], [(10, 12), (15, 20)]),
        ([(0, 11), (13, 14), (19, 30)], [(11, 13), (14, 19)]),
        ([(0, 5), (25, 30)], [(10, 20)]),
    ],
)
def test_gaps_are_what_the_recorded_ranges_leave_out(recorded: list[Offsets], missing: list[Offsets]) -> None:
    assert gaps(recorded, 10, 20) == missing


ranges = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 10)).map(lambda r: (r[0], r[0] + r[1])))


@given(ranges, st.integers(0, 40), st.integers(0, 40))
def test_recorded_offsets_and_gaps_together_are_all_offsets(recorded: list[Offsets], begin: int, length: int) -> None:
    wanted = set(range(begin, begin + length))
    covered = {offset for a, b in recorded for offset in range(a, b)}
    found = [offset for a, b in gaps(recorded, begin, begin + length) for offset in range(a, b)]
    assert found == sorted(wanted - covered)
