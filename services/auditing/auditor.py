"""The audit views: what the command line, the HTTP API and Python callers ask, answered as plain dicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from psycopg_pool import ConnectionPool

from events.domain_events import Json
from projections.embedding import Embedder, HashEmbedder
from services.auditing import interactions, knowledge, promises, recap, swimlanes, trajectories
from services.auditing.asking import Adviser
from services.auditing.chains import scenes
from services.auditing.chains.method import chains
from services.auditing.material import Material
from services.auditing.retelling import retold
from services.reading.quoting import Texts
from services.reading.reader import At
from services.reading.session import APPEARANCES, AsRecorded, Moment, Session, Sessions
from services.reading.slices import Slices


class Auditor:
    """Answers about what a story owes, keeps and repeats. Safe in several threads.

    Methods raise UnknownStory, UnknownCheckpoint and InvalidInput; ReadModelBehind before the read models are built.
    Nothing after the chapter asked for has a part in an answer.
    """

    def __init__(
        self,
        pool: ConnectionPool[Any],
        adviser: Callable[[], Adviser | None] = lambda: None,
        embedder: Callable[[], Embedder] = HashEmbedder,
    ) -> None:
        """`adviser` gives the model that is asked where one is configured; both are called when they are needed."""
        self._sessions = Sessions(pool)
        self._texts = Texts()
        self._slices = Slices(self._texts)
        self._adviser = adviser
        self._embedder = embedder

    def knowledge(
        self,
        story: str,
        *,
        fact: str | None = None,
        who: str | None = None,
        irony: bool = False,
        at: At = None,
        as_recorded: AsRecorded = None,
    ) -> Json:
        """Who knows what; with `irony` what the reader knows and a character does not. Raises UnknownFact, UnknownEntity."""
        view = knowledge.irony if irony else knowledge.knowledge

        def read(session: Session, moment: Moment) -> Json:
            return view(Material(session, self._texts, moment, knowledge.KINDS), fact, who)

        return self._at(story, at, as_recorded, read)

    def promises(self, story: str, *, overdue: bool = False, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """Open threads with their age, when they are due, and their stages; `overdue`: only those that are late."""

        def read(session: Session, moment: Moment) -> Json:
            material = Material(session, self._texts, moment, promises.KINDS)
            return promises.promises(material, self._texts, overdue=overdue)

        return self._at(story, at, as_recorded, read)

    def trajectory(self, story: str, character: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """What changes about a character, as it is told and as it happens. Raises UnknownEntity, Conflict."""

        def read(session: Session, moment: Moment) -> Json:
            return trajectories.trajectory(Material(session, self._texts, moment, trajectories.KINDS), character)

        return self._at(story, at, as_recorded, read)

    def interactions(self, story: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """Who acts upon whom, how often and how."""

        def read(session: Session, moment: Moment) -> Json:
            return interactions.interactions(Material(session, self._texts, moment, interactions.KINDS))

        return self._at(story, at, as_recorded, read)

    def timeline(self, story: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """Characters by stretches of story time; in telling order the reader has it."""

        def read(session: Session, moment: Moment) -> Json:
            return swimlanes.in_order_of_story(Material(session, self._texts, moment, swimlanes.KINDS))

        return self._at(story, at, as_recorded, read)

    def chains(self, story: str, *, at: At = None, as_recorded: AsRecorded = None) -> Json:
        """Continuity chains with their audits, by rules, or by Claude where it is configured."""

        def read(session: Session, moment: Moment) -> Json:
            material = Material(session, self._texts, moment, scenes.KINDS)
            return chains(material, self._embedder(), self._adviser())

        return self._at(story, at, as_recorded, read)

    def recap(
        self,
        story: str,
        *,
        length: int = recap.LENGTH,
        audience: str = "reader",
        since: int | None = None,
        at: At = None,
        as_recorded: AsRecorded = None,
    ) -> Json:
        """The story so far in at most `length` characters, for a reader or a writer; `since`: what is known is told less.

        In Claude's words where it is configured (`by`), as far as the records bear them out; else from templates.
        """
        size, whom = recap.checked_length(length), recap.checked_audience(audience)

        def read(session: Session, moment: Moment) -> Json:
            material = Material(session, self._texts, moment, recap.KINDS)
            told = recap.candidates(material, self._slices.of(session, moment), whom, since)
            adviser = self._adviser() if told else None
            said = None if adviser is None else retold(material, told, whom, size, adviser)
            head = {"for": whom, "since": since, "length": size, "by": "templates" if said is None else "claude"}
            return {**head, **(said or recap.recap(material, told, size))}

        return self._at(story, at, as_recorded, read)

    def forget_text(self, digest: str) -> None:
        """Drop an erased text from memory."""
        self._texts.forget(digest)
        self._slices.clear()

    def _at(
        self, story: str, at: At, as_recorded: AsRecorded, read: Callable[[Session, Moment], dict[str, Json]]
    ) -> Json:
        def run(session: Session) -> Json:
            moment = session.moment(story, at, as_recorded)
            return {"story": moment.story, "at": moment.at, "position": moment.position, **read(session, moment)}

        return self._sessions.run(run, APPEARANCES)
