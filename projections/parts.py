"""What a rebuild is divided into: stories, and of stories with much to remember parts, by what their records are called.

No row of a record depends on another record, so a part is folded without a look at the others. Each part reads the whole
story, which is why only stories that would not fit into memory are parted, and those that would keep one process waiting
for the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from zlib import crc32

from events.stored import StorySize

REMEMBERED: Final = 100_000
"""Events of records that are told of again, in one part: these have to be kept until the end, about 1.5 KB each."""
KEYS_REMEMBERED: Final = 100_000
"""Events of a story up to which all that is said of its keys is remembered until its end, about 0.2 KB each."""
WORTH_PARTING: Final = 20_000
"""Events of a story from which on two processes share it, where it is most of the log."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part `number`, from 0, of a whole that is divided into `of` parts."""

    number: int = 0
    of: int = 1

    def has(self, name: str) -> bool:
        """Whether this is the part of what is called so: in every process the same."""
        return self.of == 1 or crc32(name.encode("utf-8", "surrogatepass")) % self.of == self.number


WHOLE: Final = Part()


@dataclass(frozen=True, slots=True)
class StoryPart:
    """A story, or a part of its records. What is no record's is the first part's.

    `with_keys`: it is a whole story, and short enough to fold its keys along with its records. The keys of the others are
    folded when all parts are there.
    """

    story: str
    part: Part = WHOLE
    with_keys: bool = False

    @property
    def is_first(self) -> bool:
        return self.part.number == 0


def story_parts(stories: Iterable[str], sizes: Mapping[str, StorySize], processes: int) -> list[StoryPart]:
    """The parts of the stories, those of the largest first, so that no process is left alone with a long one."""
    known = {story: sizes.get(story, StorySize(0, 0)) for story in stories}
    fair = max(WORTH_PARTING, sum(size.events for size in known.values()) // processes) if processes > 1 else 0
    ordered = sorted(known.items(), key=lambda one: -one[1].events)
    return [part for story, size in ordered for part in _parted(story, size, fair)]


def _parted(story: str, size: StorySize, fair: int) -> Iterator[StoryPart]:
    count = max(1, -(-size.again // REMEMBERED), -(-size.events // fair) if fair else 1)
    with_keys = count == 1 and size.events <= KEYS_REMEMBERED
    return (StoryPart(story, Part(number, count), with_keys) for number in range(count))


def without_keys(parts: Iterable[StoryPart]) -> list[str]:
    """The stories whose keys are left to be folded."""
    return list(dict.fromkeys(of.story for of in parts if not of.with_keys))
