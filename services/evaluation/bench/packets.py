"""How long the evidence for a question takes in a long story."""

from __future__ import annotations

import time

from services.composition import Application
from services.evaluation.bench.measures import MS, Measure, at_most, median, percentile
from services.evaluation.bench.place import Place
from services.evaluation.bench.reading import settings
from services.evaluation.bench.serial import Serial
from services.evaluation.bench.sizes import Sizes

METHODS = ("hybrid", "nwm", "pons", "weave")


def measure(place: Place, sizes: Sizes) -> list[Measure]:
    """Packets at the last chapter of a long story, a new question each time, by method and embedder."""
    found = []
    for embedder in sizes.embedders:
        dsn = place.database(f"packets_{embedder}")
        with Application(settings(place, dsn, embedder=embedder)) as application:
            for chapter in Serial(records=20, words=sizes.packet_words).chapters(sizes.packet_chapters):
                application.publisher.publish(
                    "serial", chapter.number, chapter.text, records=chapter.records, wait=False
                )
            application.settle()
        for method in METHODS:
            with Application(settings(place, dsn, embedder=embedder)) as application:
                found.append(_packets(application, sizes, method, embedder))
    return found


def _packets(application: Application, sizes: Sizes, method: str, embedder: str) -> Measure:
    retriever = application.retriever
    seconds = []
    for question in questions(sizes.packet_questions + 1):
        started = time.perf_counter()
        packet = retriever.packet("serial", question, method=method)
        seconds.append(time.perf_counter() - started)
    cold, warm = seconds[0], seconds[1:]
    return Measure(
        name=f"a packet by {method}, p95 ({embedder} embedder)", value=round(percentile(warm, 0.95) * MS, 1), unit="ms",
        target=at_most(300), n=len(warm),
        detail={
            "p50_ms": round(median(warm) * MS, 1), "first_ms": round(cold * MS),
            "chapters": sizes.packet_chapters, "items": len(packet["items"]), "slice": packet["trace"][0],
        },
    )  # fmt: skip


def questions(count: int) -> list[str]:
    people = ("Mara Voss", "Tomas Voss", "Ilse Voss", "Anton Voss", "Berta Reyle", "Corin Reyle", "Dessa Reyle")
    asked = (
        "Who has the brass {0} that {1} hid?",
        "Where was {1} when the {0} was lost?",
        "What does {1} know of the {0}?",
    )
    things = ("key", "lantern", "ledger", "compass", "letter", "ring", "map")
    return [
        asked[n % len(asked)].format(things[n % len(things)], people[(n // 3) % len(people)]) + f" ({n})"
        for n in range(count)
    ]
