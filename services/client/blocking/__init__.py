# Made from services/client/awaited by services.client.mirroring; change it there.
"""The client for callers that wait for each answer."""

from typing import Final

from services.client.blocking.asking import Asking
from services.client.blocking.auditing import Auditing
from services.client.blocking.branches import Branching, ReadingBranches
from services.client.blocking.foreseeing import Foreseeing, Keeping
from services.client.blocking.reading import Reading
from services.client.blocking.running import Running
from services.client.blocking.writing import Writing

READING: Final = (Reading, Asking, Auditing, Foreseeing, ReadingBranches)
"""The classes whose operations change nothing."""
WRITING: Final = (Writing, Keeping, Branching)
"""The classes whose operations change a story."""


class Fabula(Reading, Asking, Auditing, Foreseeing, ReadingBranches, Writing, Keeping, Branching, Running):
    """A Fabula over HTTP: every operation of the API, with the replies of the command line's `--json`."""
