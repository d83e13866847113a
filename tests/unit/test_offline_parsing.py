"""Several chapters parsed at once: threads take turns, chunk by chunk."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

from services.extraction.fairness import FairLock
from services.extraction.offline.observations import Observations
from services.extraction.offline.paragraphs import CHUNK, paragraphs
from services.extraction.offline.parsing import read
from services.extraction.offline.quotations import Quotations

SENTENCE = "Mara Voss shut the door behind Tomas Reyle and walked along the quay to the mill.\n\n"
LONG = SENTENCE * (4 * CHUNK // len(SENTENCE))
SHORT = "Mara shut the door, and Tomas went home."


class Watched(Quotations):
    """No quotations, and a note of every word they are asked about."""

    def __init__(self, notes: list[str], asked: threading.Event) -> None:
        super().__init__([])
        self._notes = notes
        self._asked = asked

    def covers(self, offset: int) -> bool:
        self._notes.append("long")
        self._asked.set()
        return False


def observed(text: str, quoted: Quotations) -> Observations:
    return read(text, "en", paragraphs(text), quoted)


def test_a_short_chapter_is_read_while_a_long_one_is() -> None:
    notes: list[str] = []
    begun = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        long = pool.submit(observed, LONG, Watched(notes, begun))
        assert begun.wait(60)
        short = observed(SHORT, Quotations([]))
        notes.append("short")
        alone = observed(LONG, Quotations([]))
    assert notes[-1] == "long"
    assert long.result() == alone, "what a chapter says does not depend on what is read beside it"
    assert short == observed(SHORT, Quotations([]))


def test_a_fair_lock_is_given_in_the_order_in_which_it_is_asked_for() -> None:
    lock, order = FairLock(), list[int]()

    def take(number: int) -> None:
        with lock:
            order.append(number)

    threads = [threading.Thread(target=take, args=(number,)) for number in range(5)]
    with lock:
        for waiting, thread in enumerate(threads, start=1):
            thread.start()
            while lock.waiting < waiting:
                thread.join(0.001)
    with lock:
        order.append(5)
    for thread in threads:
        thread.join()
    assert order == [0, 1, 2, 3, 4, 5]


def test_a_fair_lock_is_free_again_after_an_error() -> None:
    lock = FairLock()
    try:
        with lock:
            raise ValueError
    except ValueError:
        pass
    with lock:
        assert lock.waiting == 0
