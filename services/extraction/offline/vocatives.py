"""Names that stand apart inside speech, as the one spoken to: "My dear Mr. Bennet,"."""

from __future__ import annotations

import re

from services.extraction.offline.mentions import Mention
from services.extraction.offline.paragraphs import Span

_BEFORE = re.compile(r"(?:^|[,;!?.—-]|\b(?:dear|my|oh|o|ah|yes|no|well|now|but|and|come|poor))\s*$", re.IGNORECASE)
_AFTER = re.compile(r"\s*(?:[,;!?.—”\"-]|’(?!\w))|\s*$")


def is_vocative(text: str, mention: Mention, quote: Span) -> bool:
    """Whether a mention inside a quotation is whom it is said to."""
    if mention.figure.type != "character":
        return False
    before = text[max(quote.start + 1, mention.span.start - 20) : mention.span.start]
    after = text[mention.span.end : min(quote.end, mention.span.end + 3)]
    return bool(_BEFORE.search(before) and _AFTER.match(after))
