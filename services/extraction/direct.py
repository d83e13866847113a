"""Reconciling without a worker: once, in the calling thread."""

from __future__ import annotations

from events.chapters import Publication
from events.errors import FabulaError, Unavailable
from events.ledger import Ledger
from events.publications import SourceOffset
from services.extraction.dead_letters import DeadLetters
from services.extraction.handling import Handler
from services.extraction.reconciling import Reconciled, Reconciler
from services.publishing.messages import Poison, decode
from services.publishing.topics import Broker


class DirectIntake:
    """Takes in what the reconciler finds, one after the other."""

    def __init__(self, ledger: Ledger, handler: Handler, dead_letters: DeadLetters) -> None:
        self._ledger = ledger
        self._handler = handler
        self._dead_letters = dead_letters

    def message(self, raw: bytes | None, source: SourceOffset) -> bool:
        try:
            delivered = decode(raw)
            row = self._ledger.publication(delivered.story, delivered.sequence)
            if row is None:
                raise Poison(f"Nobody registered publication {delivered.story}/{delivered.sequence}.")
        except Poison as poison:
            self._dead_letters.bury_message(raw, poison, source)
            return True
        return self._handle(row.publication, source)

    def pending(self, publication: Publication) -> bool:
        return self._handle(publication, None)

    def holds(self, source: SourceOffset) -> bool:
        return False

    def _handle(self, publication: Publication, source: SourceOffset | None) -> bool:
        try:
            self._handler.handle(publication, source)
        except Unavailable:
            return False
        except FabulaError:  # it is a dead letter now
            return True
        return True


def reconcile_once(
    ledger: Ledger, handler: Handler, broker: Broker, dead_letters: DeadLetters, *, grace: float = 0.0
) -> Reconciled:
    """Take in whatever is on the broker or in the outbox for longer than `grace` seconds and nobody has recorded.

    Raises `BrokerUnavailable`.
    """
    sink = DirectIntake(ledger, handler, dead_letters)
    return Reconciler(ledger, broker, grace=grace).round(sink, outbox_grace=grace)
