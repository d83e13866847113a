"""The clients' log lines while a broker is away."""

from __future__ import annotations

import logging

from services.extraction.quieting import OncePerWhile


def record(name: str, message: str, level: int = logging.ERROR) -> logging.LogRecord:
    return logging.LogRecord(name, level, __file__, 1, message, ("x",), None)


def test_a_line_that_repeats_passes_once_in_a_while_with_the_number_left_out() -> None:
    now = [0.0]
    quiet = OncePerWhile(every=30, clock=lambda: now[0])
    assert [quiet.filter(record("aiokafka.conn", "no route to %s")) for _ in range(5)] == [True] + [False] * 4
    now[0] = 31.0
    passed = record("aiokafka.conn", "no route to %s")
    assert quiet.filter(passed)
    assert passed.getMessage() == "no route to x [and 4 more like it]"


def test_different_lines_do_not_hide_each_other() -> None:
    quiet = OncePerWhile()
    assert quiet.filter(record("aiokafka.conn", "one %s")) and quiet.filter(record("aiokafka.conn", "two %s"))  # noqa: PT018


def test_the_products_own_lines_always_pass() -> None:
    quiet = OncePerWhile()
    assert all(quiet.filter(record("services.extraction.worker", "same %s")) for _ in range(3))
