"""The client, awaited. `services.client.blocking` is the same for callers that wait, made from this by `mirroring`."""

from typing import Final

from services.client.awaited.asking import Asking
from services.client.awaited.auditing import Auditing
from services.client.awaited.branches import Branching, ReadingBranches
from services.client.awaited.foreseeing import Foreseeing, Keeping
from services.client.awaited.reading import Reading
from services.client.awaited.running import Running
from services.client.awaited.writing import Writing

READING: Final = (Reading, Asking, Auditing, Foreseeing, ReadingBranches)
"""The classes whose operations change nothing."""
WRITING: Final = (Writing, Keeping, Branching)
"""The classes whose operations change a story."""


class AsyncFabula(Reading, Asking, Auditing, Foreseeing, ReadingBranches, Writing, Keeping, Branching, Running):
    """A Fabula over HTTP, awaited: every operation of the API, with the replies of the command line's `--json`."""
