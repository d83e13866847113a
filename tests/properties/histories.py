"""Random histories of a small story, for the property tests: publications with dependencies, requirements, aliases, reveals."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st

from events.chapters import Action, PublicationRequest
from events.revisions import RevisionState, entry_of
from events.story_index import StoryIndex

PEOPLE = ("Mara Voss", "Tomas Reyle", "Ilse", "the stranger")
ALIASES = ("Mara", "Tomas", "the courier", "the stranger", "Ilse")
THINGS = ("brass key", "will")
CHAPTERS = 5


@dataclass(frozen=True)
class Published:
    """A publication of the history. `records` None: a retraction; `decision` set: an editor's."""

    sequence: int
    chapter: int
    records: tuple[dict[str, Any], ...] | None
    decision: dict[str, Any] | None = None


person = st.sampled_from(PEOPLE + ALIASES)
thing = st.sampled_from(THINGS)
ids = st.sampled_from(("a", "b", "c", "d"))


@st.composite
def record(draw: st.DrawFn, chapter: int) -> dict[str, Any]:
    body: dict[str, Any] = draw(
        st.one_of(
            st.fixed_dictionaries({"kind": st.just("object_delta"), "object": thing, "owner": person}),
            st.fixed_dictionaries(
                {
                    "kind": st.just("entity"),
                    "type": st.sampled_from(("character", "character", "object")),
                    "name": st.sampled_from(PEOPLE),
                    "aliases": st.lists(st.sampled_from(ALIASES), max_size=2),
                }
            ),
            st.lists(person, min_size=2, max_size=2, unique=True).map(
                lambda two: {"kind": "identity", "a": two[0], "b": two[1]}
            ),
            st.fixed_dictionaries(
                {"kind": st.just("knowledge"), "knower": person, "fact": st.sampled_from(("x is y", "1:a"))}
            ),
            st.fixed_dictionaries(
                {
                    "kind": st.just("character_delta"),
                    "character": person,
                    "attribute": st.just("ability"),
                    "value": st.sampled_from(("swims", "reads")),
                    "op": st.sampled_from(("set", "add", "remove")),
                }
            ),
        )
    )
    if draw(st.booleans()) and draw(st.booleans()):
        body["modality"] = "dream"
    if draw(st.booleans()):
        before = st.integers(1, chapter).flatmap(lambda c: ids.map(lambda i: f"{c}:{i}"))
        body["depends_on"] = draw(st.lists(before, max_size=2))
    if draw(st.booleans()):
        key = draw(thing.map(lambda t: f"owner({t})"))
        body["requires"] = [{"key": key, "value": draw(st.one_of(person, st.none()))}]
    return body


@st.composite
def records(draw: st.DrawFn, chapter: int) -> tuple[dict[str, Any], ...]:
    names = draw(st.lists(ids, unique=True, max_size=4))
    found = []
    for place, name in enumerate(names):
        one = {**draw(record(chapter)), "id": name}
        earlier = set(names[:place])
        kept = [d for d in one.get("depends_on", ()) if int(d[0]) < chapter or d[2:] in earlier]
        found.append({**one, "depends_on": kept} if "depends_on" in one else one)
    return tuple(found)


@st.composite
def history(draw: st.DrawFn, *, decisions: bool = True, most: int = 9) -> list[Published]:
    """Publications numbered from 1."""
    found: list[Published] = []
    for sequence in range(1, draw(st.integers(1, most)) + 1):
        chapter = draw(st.integers(1, CHAPTERS))
        what = draw(st.integers(0, 9))
        if what == 0:
            found.append(Published(sequence, chapter, None))
        elif what == 1 and decisions:
            pair = draw(
                st.lists(
                    st.sampled_from(("person/mara voss", "person/tomas reyle", "person/ilse")),
                    min_size=2,
                    max_size=2,
                    unique=True,
                )
            )
            cut: dict[str, Any] = {"split": pair[1].partition("/")[2], "names": [pair[0].partition("/")[2]]}
            joined: dict[str, Any] = {"merge": pair, "since": draw(st.sampled_from((0, 2)))}
            found.append(Published(sequence, 0, None, draw(st.sampled_from((cut, joined)))))
        else:
            found.append(Published(sequence, chapter, draw(records(chapter))))
    return found


def numbered(found: list[Published]) -> list[tuple[Published, int]]:
    """With its revision, as the gateway counts it."""
    counts: dict[int, int] = {}
    numbers = []
    for p in found:
        counts[p.chapter] = counts.get(p.chapter, 0) + 1
        numbers.append((p, counts[p.chapter]))
    return numbers


def take(index: StoryIndex, published: Published, revision: int) -> None:
    if published.decision is not None:
        index.decide(published.sequence, published.decision)
        return
    at = (published.chapter, published.sequence, revision)
    entries = [
        entry_of({**r, "evidence": []}, ((10 * n, 10 * n + 5),), n, at) for n, r in enumerate(published.records or ())
    ]
    state = RevisionState(published.sequence, revision, f"h{published.sequence}", entries, published.records is None)
    index.take(published.chapter, state)


def request(story: str, published: Published, text: str) -> PublicationRequest:
    """The publication as one hands it in, its evidence somewhere in `text` (40 characters or more)."""
    if published.decision is not None:
        action: Action = "merge" if "merge" in published.decision else "split"
        return PublicationRequest(story=story, chapter=0, action=action, decision=published.decision)
    chapter, stated = published.chapter, published.records
    if stated is None:
        return PublicationRequest(story=story, chapter=chapter, action="retract")
    records = [{**r, "evidence": [{"start": 10 * n, "end": 10 * n + 5}]} for n, r in enumerate(stated)]
    return PublicationRequest(story=story, chapter=chapter, action="publish", text=text, records=records)


def known(index: StoryIndex) -> dict[str, Any]:
    """All that follows from a history: for each current record what it means and whether it is live, and the links."""
    chapters: dict[str, Any] = {}
    for chapter in range(1, CHAPTERS + 1):
        current = index.current(chapter)
        for e in current.entries if current else ():
            chapters[e.name] = (e.content, e.live, e.reason, e.mentions, e.settings)
    keys = {k: [(i[0], i[1]) for i in items] for k, items in index.keys.items()}
    return {"records": chapters, "links": list(index.registry.links), "keys": keys}
