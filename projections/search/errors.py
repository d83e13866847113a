"""Errors of the lexical index.

Unavailable
├── ElasticsearchUnavailable   it did not answer, or not in time
├── BulkRejected               it answered, and refused documents that it should have taken
├── IndexGone                  the index was deleted behind our back
└── IndexBehind                it has not read as far as the answer needs
"""

from __future__ import annotations

from events.errors import Unavailable


class ElasticsearchUnavailable(Unavailable):
    title = "Elasticsearch did not answer"
    slug = "elasticsearch-unavailable"

    def __init__(self, doing: str, why: str) -> None:
        super().__init__(
            f"Elasticsearch did not answer while {doing} ({why[:300]}). See that it runs and that FABULA_ELASTICSEARCH "
            "names it; indexing goes on by itself when it is back, and reading does without it meanwhile."
        )


class BulkRejected(Unavailable):
    title = "Elasticsearch refused documents"
    slug = "bulk-rejected"

    def __init__(self, refusals: list[str]) -> None:
        shown = "; ".join(refusals[:3]) + (f"; and {len(refusals) - 3} more" if len(refusals) > 3 else "")
        super().__init__(
            f"Elasticsearch refused {len(refusals)} documents: {shown}. The batch is tried again as a whole."
        )
        self.refusals = refusals


class IndexBehind(Unavailable):
    title = "The lexical index has not caught up"
    slug = "lexical-index-behind"

    def __init__(self, position: int) -> None:
        super().__init__(f"The lexical index does not include position {position} yet; see that `fabula project` runs.")


class IndexGone(Unavailable):
    title = "The lexical index is gone"
    slug = "lexical-index-gone"

    def __init__(self, index: str) -> None:
        super().__init__(
            f"The index {index!r} was deleted from Elasticsearch. Rebuild the read model `search` from the log."
        )
