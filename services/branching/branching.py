"""Branches as a service: fork, tell of, compare, promote, drop. The parent is not written to until a branch is promoted."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import structlog

from events.branching import concerns, inherited
from events.errors import Conflict, InvalidInput, Overtaken, UnknownChapter
from events.publications import appended
from services.branching import branches, comparing, promoting
from services.branching.branches import Branch
from services.branching.errors import ParentMovedOn
from services.publishing import validation

if TYPE_CHECKING:
    from psycopg_pool import ConnectionPool

    from events.ledger import Ledger
    from events.publications import PublicationRow
    from services.documents import Document
    from services.publishing.gateway import Publisher
    from services.reading.reader import Reader
    from services.takedown.taking_down import Takedown

_log = structlog.get_logger(__name__)


class Branching:
    """Over the log, the gateway and the read models; safe in several threads.

    `wait` returns when the read models include a position.
    """

    def __init__(
        self,
        ledger: Ledger,
        pool: ConnectionPool[Any],
        publisher: Publisher,
        reader: Callable[[], Reader],
        takedown: Callable[[], Takedown],
        *,
        wait: Callable[[int], None],
    ) -> None:
        self._ledger = ledger
        self._pool = pool
        self._publisher = publisher
        self._reader = reader
        self._takedown = takedown
        self._wait = wait

    def fork(self, story: str, name: str, at: int | str | None = None, *, wait: bool = True) -> Document:
        """Begin the branch `name` with what the story says up to chapter `at` (None: the last one).

        No model is called: the records are those of the log. All of it is one transaction. Replies {"story", "branch",
        "name", "forked_at", "chapters", "position", "unchanged"}: who asks again, or while another does, is told of the
        branch that is there. Raises `UnknownStory`, `InvalidName`, `InvalidInput`, `Conflict`.
        """
        branch = branches.branch_id(story, name)
        self._ledger.require(story)
        with self._pool.connection() as conn:
            rows = appended(conn, story)
        publications = [row.publication for row in rows]
        last = max((p.chapter for p in publications), default=0)
        place = self._place(story, at, last)
        if there := self._there(branch, story, place, rows, wait=wait):
            return there
        events = list(self._ledger.story_events(story))
        sequence = max(p.sequence for p in publications)
        self._refuse_pending(story, place)
        taken = list(inherited(branch, publications, (r.event for r in events), place))
        chapters = {each.publication.chapter for each in taken} - {0}
        if not chapters:
            raise UnknownChapter(f"{story} has nothing up to chapter {place}; fork it at a later chapter.")
        try:
            outcome = self._ledger.graft(
                branch, taken,
                lambda cursor: branches.note(cursor, branch, story, name, place, sequence, events[-1].position),
            )  # fmt: skip
        except Conflict:  # unless it was made just now, by the same request
            if there := self._there(branch, story, place, rows, wait=wait):
                return there
            raise
        if wait:
            self._wait(outcome.position)
        _log.info("branched", story=story, branch=branch, chapter=place, events=outcome.appended_events)
        return _forked(story, branch, name, place, len(chapters), outcome.position, unchanged=False)

    def of(self, story: str) -> Document:
        """The branches of a story, with the chapters published into each since, and those of the parent since. Raises `UnknownStory`."""
        self._ledger.require(validation.story_id(story))
        with self._pool.connection() as conn:
            found = branches.of_story(conn, story)
            parents = [row.publication for row in appended(conn, story)]
            own = {each.branch: [row.publication for row in appended(conn, each.branch)] for each in found}
        return {
            "story": story,
            "branches": [
                {
                    "name": each.name,
                    "branch": each.branch,
                    "forked_at": each.forked_at,
                    "created_at": each.created_at.isoformat(),
                    "dropped_at": each.dropped_at and each.dropped_at.isoformat(),
                    "chapters": sorted({p.chapter for p in own[each.branch] if p.sequence > each.sequence} - {0}),
                    "moved": sorted(
                        {p.chapter for p in parents if p.sequence > each.sequence and not promoting.is_from(p, each)}
                        - {0}
                    ),
                }
                for each in found
            ],
        }

    def compare(self, story: str, a: str, b: str, at: int | str | None = None) -> Document:
        """What the state of `b` has beside that of `a`, after chapter `at` (None: the last of either).

        Each is the name of a branch, or the story's own id for the parent. Raises `UnknownBranch`, `UnknownStory`,
        `UnknownCheckpoint`.
        """
        one, other = (self._side(story, name) for name in (a, b))
        reader = self._reader()
        place = at if at is not None else max(reader.state(side)["at"] for side in (one, other))
        before, after = (reader.state(side, at=place) for side in (one, other))
        sides = {
            name: {"story": reply["story"], "at": reply["at"], "position": reply["position"], "digest": reply["digest"]}
            for name, reply in (("a", before), ("b", after))
        }
        return {"story": story, **sides, **comparing.differences(before, after)}

    def preview(self, story: str, name: str) -> Document:
        """What promoting the branch would publish and change; nothing is. Raises `UnknownBranch`, `Conflict`."""
        return promoting.preview(self._ledger, self._plan(self._find(story, name)))

    def promote(self, story: str, name: str, *, force: bool = False, wait: bool = True) -> Document:
        """Publish the branch's chapters after the fork into the parent, where they differ, as ordinary publications.

        Each names the publication of the branch it comes from. Interrupted, promoting again publishes what is left.
        Raises `ParentMovedOn` unless `force`, `UnknownBranch`, `Conflict`, else as publishing does.
        """
        branch = self._find(story, name)
        plan = self._plan(branch)
        if plan.blocking and not force:
            chapters = ", ".join(map(str, plan.blocking))
            raise ParentMovedOn(
                f"Since the fork chapter {chapters} of {story} was published, which {name} rests on or would write. "
                "Look at the difference (diff-branches), then fork anew, or promote with force: what was published "
                "there meanwhile is then edited away."
            )
        last = len(plan.chapters)
        try:
            replies = [
                self._publisher.promote(each.request, wait=wait and n == last)
                for n, each in enumerate(plan.chapters, start=1)
            ]
        except Overtaken as error:
            raise ParentMovedOn(
                f"{error} Promoting {name} again goes on where it stopped, unless the new chapter speaks against it."
            ) from error
        published = [
            {name: reply[name] for name in ("chapter", "revision", "position", "rejected")}
            for reply in replies
            if not reply["unchanged"]
        ]
        _log.info("promoted", story=story, branch=branch.branch, chapters=len(published))
        return {"story": story, "branch": branch.branch, "published": published, "moved": list(plan.moved)}

    def drop(self, story: str, name: str, *, by: str = "", reason: str = "") -> Document:
        """Throw the branch away: its chapters are withdrawn, and every text that only it has is erased.

        The log keeps its events, as after a takedown. Interrupted, it is done again. Raises `UnknownBranch`, and as
        `retract` and `take_down`.
        """
        with self._pool.connection() as conn:
            branch = branches.find(conn, story, name, dropped=True)
            branches.note_dropped(conn, branch.branch)
        chapters = [
            row.publication.chapter
            for row in self._ledger.latest(branch.branch)
            if row.publication.action == "publish" and row.status in ("accepted", "appended")
        ]
        for chapter in reversed(chapters):
            self._publisher.retract(branch.branch, chapter, wait=chapter == chapters[0])
        erased = self._takedown().take_down(branch.branch, by=by, reason=reason or "the branch was dropped")
        _log.info("branch dropped", story=story, branch=branch.branch)
        return {
            "story": story,
            "branch": branch.branch,
            "withdrawn": sorted(chapters),
            "erased": erased["erased"],
            "kept": erased["kept"],
        }

    def _there(
        self, branch: str, story: str, place: int, parents: Sequence[PublicationRow], *, wait: bool
    ) -> Document | None:
        """The reply to whoever asks for a branch that is there, as it would be made of what the parent says.

        None where there is none, or one that was forked elsewhere, or from what the parent does not say any more.
        """
        with self._pool.connection() as conn:
            found = branches.called(conn, story, branch)
            if found is None or found.dropped_at is not None or found.forked_at != place:
                return None
            since = [row.publication for row in parents if (row.last_position or 0) > found.position]
            if any(concerns(publication, place) for publication in since):
                return None
            own = [row for row in appended(conn, branch) if row.publication.sequence <= found.sequence]
        chapters = {row.publication.chapter for row in own} - {0}
        position = max(row.last_position or 0 for row in own)
        if wait:
            self._wait(position)
        return _forked(story, branch, found.name, place, len(chapters), position, unchanged=True)

    def _find(self, story: str, name: str) -> Branch:
        self._ledger.require(validation.story_id(story))
        with self._pool.connection() as conn:
            return branches.find(conn, story, name)

    def _side(self, story: str, name: str) -> str:
        return story if name == story else self._find(story, name).branch

    def _plan(self, branch: Branch) -> promoting.Plan:
        with self._pool.connection() as conn:
            own, parents = appended(conn, branch.branch), appended(conn, branch.parent)
        return promoting.plan(self._ledger, branch, own, parents)

    def _place(self, story: str, at: int | str | None, last: int) -> int:
        """The chapter to fork after, which the story has reached."""
        if isinstance(at, str):
            at = int(self._reader().state(story, at=at)["at"])
        if at is not None and not 1 <= at <= last:
            raise InvalidInput(f"{story} has chapters up to {last}; fork it after one from 1 to {last}.")
        return last if at is None else at

    def _refuse_pending(self, story: str, at: int) -> None:
        """Raises `Conflict` while a publication that the branch would inherit is on its way."""
        for row in self._ledger.latest(story):
            if row.status == "accepted" and concerns(row.publication, at):
                raise Conflict(
                    f"Chapter {row.publication.chapter} of {story} is not taken in yet; wait until it is "
                    f"(`fabula status {story}`), then fork the story."
                )


def _forked(
    story: str, branch: str, name: str, place: int, chapters: int, position: int, *, unchanged: bool
) -> Document:
    return {
        "story": story,
        "branch": branch,
        "name": name,
        "forked_at": place,
        "chapters": chapters,
        "position": position,
        "unchanged": unchanged,
    }
