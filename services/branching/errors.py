"""What can go wrong with branches.

DomainRefusal
├── Unknown
│   └── UnknownBranch
└── Conflict
    └── ParentMovedOn        the parent was published to where the branch rests on it, or would write
"""

from __future__ import annotations

from events.errors import Conflict, Unknown


class UnknownBranch(Unknown):
    title = "There is no such branch"
    slug = "unknown-branch"


class ParentMovedOn(Conflict):
    title = "The parent has moved on since the fork"
    slug = "parent-moved-on"
