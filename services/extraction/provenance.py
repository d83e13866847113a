"""Where a record says what read it."""

from __future__ import annotations

from typing import Final

PROVENANCE: Final = "provenance"
"""The field under which a record of an extractor may say what read it (see `events.domain_events.RecordStated`)."""
