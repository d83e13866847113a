"""Who is who, and under what name, as of a moment."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from typing import Final

from events.domain_events import Json, Mention, Setting, Term
from events.errors import UnknownEntity
from events.ids import EntityId
from events.names import AMBIGUOUS, PERSON, class_of, key_of, name_key
from events.registry import Links
from services.reading.session import Moment, Session

_MAX_NEAR: Final = 5
TYPE_OF_CLASS: Final = {
    "person": "character",
    "place": "location",
    "thing": "object",
    "idea": "concept",
    "ambiguous": "ambiguous",
}


class Naming:
    """Entities joined by the links of chapters up to the moment's, under their display names.

    Whoever knows these `links` already, and none of later chapters among them, gives them.
    """

    def __init__(self, session: Session, moment: Moment, links: Links | None = None) -> None:
        self._session = session
        self._moment = moment
        self._links = (
            links if links is not None else Links(session.entities.links(moment.story, moment.at, moment.believed))
        )
        self._heads: dict[str, EntityId] = {}
        self._names: dict[str, str] = {}

    @property
    def joined(self) -> list[str]:
        """Every entity that is one with another."""
        return sorted({end for link in self._links for end in (link.a, link.b)})

    def head(self, entity: str) -> EntityId:
        """The entity under whose name this one goes."""
        head = self._heads.get(entity)
        if head is None:
            head = self._heads[entity] = self._links.representative(EntityId(entity), self._moment.at)
        return head

    def group(self, entity: str) -> frozenset[EntityId]:
        return self._links.group(EntityId(entity), self._moment.at)

    def groups(self, entities: Iterable[str]) -> set[str]:
        """The entities, with all that are one with one of them."""
        return {one for entity in entities for one in self.group(entity)}

    def load(self, entities: Iterable[str]) -> None:
        """Look the names of many entities up at once. Whom no live record names goes by the name of one that is the same."""
        heads = {self.head(entity) for entity in entities} - self._names.keys()
        if not heads:
            return
        found = self._displayed(heads)
        if unnamed := heads - found.keys():
            others = self._displayed(self.groups(unnamed))
            for head in unnamed:
                found[head] = next((others[one] for one in sorted(self.group(head)) if one in others), key_of(head))
        self._names.update((head, found[head]) for head in heads)

    def _displayed(self, entities: Iterable[str]) -> dict[str, str]:
        moment = self._moment
        return self._session.entities.display_names(moment.story, sorted(entities), moment.at, moment.believed)

    def name(self, entity: str) -> str:
        head = self.head(entity)
        if head not in self._names:
            self.load([head])
        return self._names[head]

    def apart(self, name: str) -> frozenset[EntityId]:
        """The entities that a name may mean, each by itself though it may be one with others."""
        moment = self._moment
        called = self._session.entities.called(moment.story, name_key(name), moment.at, moment.believed)
        return frozenset(map(EntityId, called))

    def type(self, entity: str) -> str:
        """As its introductions say, else what its class implies."""
        moment, group = self._moment, sorted(self.group(entity))
        own = self._session.entities.introductions(moment.story, group, moment.at, moment.believed)
        head = self.head(entity)
        said = [i for i in own if i.entity == head] or own
        return str(said[0].payload["type"]) if said else TYPE_OF_CLASS.get(class_of(entity), "unknown")

    # --- names as somebody writes them ---

    def candidates(self, name: str, *, people: bool = False) -> list[EntityId]:
        """The entities that a name (or id) may mean: several if it is ambiguous. Raises UnknownEntity.

        `people`: whoever is called so comes before a place or thing whose own name it is.
        """
        found = self._called(name, people=people)
        if not found:
            raise UnknownEntity(self._unknown(name))
        return found

    def matching(self, name: str) -> frozenset[EntityId]:
        """The entities that a name in a key may mean; none if nobody is called so."""
        return frozenset(self._called(name))

    def _called(self, name: str, *, people: bool = False) -> list[EntityId]:
        moment, entities = self._moment, self._session.entities
        if "/" in name and entities.exists(moment.story, name, moment.at, moment.believed):
            return [self.head(name)]
        key = name_key(name)
        heads = {self.head(entity) for entity in entities.called(moment.story, key, moment.at, moment.believed)}
        self.load(heads)
        if people:
            heads = {head for head in heads if class_of(head) == PERSON} or heads
        exact = sorted(head for head in heads if name_key(self._names[head]) == key and class_of(head) != AMBIGUOUS)
        if exact:
            return exact
        plain = sorted(head for head in heads if class_of(head) != AMBIGUOUS)
        return plain or sorted(heads)

    def _unknown(self, name: str) -> str:
        moment = self._moment
        names = self._session.entities.all_names(moment.story, moment.at, moment.believed)
        close = difflib.get_close_matches(name.casefold(), [n.casefold() for n in names], n=_MAX_NEAR, cutoff=0.6)
        near = [n for n in names if n.casefold() in close or (len(name) > 2 and name.casefold() in n.casefold())]
        listed = f" `fabula timeline {moment.story}` shows who is there." if names else " Nobody has a name there yet."
        hint = f" Near it: {', '.join(near[:_MAX_NEAR])}." if near else listed
        return f"Nobody and nothing is called {name!r} after chapter {moment.at} of {moment.story!r}.{hint}"

    # --- what records say, in canonical names ---

    def canonical(self, setting: Setting) -> Setting:
        """The setting with every entity replaced by the one under whose name it goes."""
        args = tuple(self._canonical_term(term) for term in setting.args)
        value = None if setting.value is None else self._canonical_term(setting.value)
        return Setting(setting.functor, args, value, setting.arrow)

    def _canonical_term(self, term: Term) -> Term:
        return Term(self.head(term.key), term.text, entity=True) if term.entity else term

    def renamed(self, payload: Json, mentions: Iterable[Mention]) -> Json:
        """The payload with canonical names wherever a field names an entity."""
        shown = dict(payload)
        for mention in mentions:
            _put(shown, mention.slot, self.name(mention.entity))
        return shown


def _put(payload: dict[str, Json], slot: str, name: str) -> None:
    field, _, number = slot.partition(".")
    if not number or isinstance(payload.get(field), str):
        payload[field] = name
        return
    items = list(payload.get(field) or ())
    index = int(number)
    if index < len(items):
        items[index] = {**items[index], "entity": name} if isinstance(items[index], dict) else name
        payload[field] = items
