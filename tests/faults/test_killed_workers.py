"""Workers that are killed, and workers that come and go: real processes, real SIGKILLs.

Whatever happens, every published chapter is in the log exactly once, and every offset is accounted for.
"""

from __future__ import annotations

import random
import time

from tests.faults.workers import Place, eventually, kill, settled, terminate

ALONE = {"FABULA_RECONCILE_EVERY": "3600"}
"""No reconciler: what Faust does by itself."""


def test_what_is_published_is_taken_in_and_its_offsets_are_committed(here: Place) -> None:
    here.worker(**ALONE)
    here.publish("a", 5)
    here.publish("b", 5)
    settled(here, {"a": 5, "b": 5}, 40)
    eventually(lambda: sum(here.committed().values()) == 10, 10, "the committed offset")


def test_workers_killed_before_and_after_an_append_leave_each_chapter_in_the_log_once(here: Place) -> None:
    first = here.worker(FABULA_FAILPOINTS="before_append=kill@a/2")
    here.publish("a", 5)
    here.publish("b", 2)
    assert first.wait(40) == -9
    second = here.worker(FABULA_FAILPOINTS="after_append=kill@a/4")
    assert second.wait(40) == -9
    here.worker()
    settled(here, {"a": 5, "b": 2}, 40)


def test_workers_killed_at_random_lose_nothing_and_double_nothing(here: Place) -> None:
    draw = random.Random(11)
    stories = {f"s{n}": 25 for n in range(6)}
    workers = [here.worker(), here.worker()]
    for chapter in range(1, 26):
        for story in stories:
            here.publish(story, [chapter])
        if chapter % 8 == 0:
            kill(workers.pop(draw.randrange(len(workers))))
            workers.append(here.worker())
        time.sleep(draw.random() * 0.2)
    settled(here, stories, 60)


def test_workers_that_come_and_go_under_load_lose_nothing_and_double_nothing(here: Place) -> None:
    stories = {f"s{n}": 20 for n in range(6)}
    first = here.worker()
    for chapter in range(1, 11):
        for story in stories:
            here.publish(story, [chapter])
    here.worker()
    for chapter in range(11, 21):
        for story in stories:
            here.publish(story, [chapter])
        time.sleep(0.1)
    terminate(first, 15)
    settled(here, stories, 60)


def test_a_worker_told_to_end_does_so_in_time_although_an_extractor_stalls(here: Place) -> None:
    worker = here.worker(FABULA_EXTRACTOR="none", FABULA_FAILPOINTS="extract=stall:60@a")
    here.publish("a", 2)
    eventually(lambda: here.logged("extracting") == 1, 40, "the stalled extraction")
    assert terminate(worker, 20) < 12
    assert worker.returncode == 0
    here.worker()
    settled(here, {"a": 2}, 40)


def test_a_chapter_that_two_workers_reach_for_is_extracted_once(here: Place) -> None:
    eager = {"FABULA_RECONCILE_GRACE": "0", "FABULA_OUTBOX_GRACE": "0", "FABULA_RECONCILE_EVERY": "0.2"}
    for _ in range(2):
        here.worker(**eager, FABULA_FAILPOINTS="extract=stall:6@a")
    eventually(lambda: here.logged("Subscribed to topic(s)") >= 2, 40, "both workers")
    here.publish("a", 1)
    settled(here, {"a": 1}, 40)
    assert here.logged("extracting") == 1
