"""Who knows what: of every fact, what each character and the reader make of it, since when and how.

The reader is one knower among the others. The reader knows what the text reveals or narrates as so; a character what a
`knowledge` record says, what was revealed to them, and an identity that is known to them. The latest word holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final

from events.domain_events import Json
from events.errors import Unknown
from events.names import READER, fact_key, name_key
from events.references import fact_text
from projections.story_state.found import RecordRow
from services.auditing.material import Material, names_reader
from services.reading.session import Moment, Session
from services.reading.timeline import timeline

KINDS: Final = ("knowledge", "revelation", "identity", "fact", "event")
_NARRATED: Final = {"knows": "narrated", "unaware": "narrated", "mistaken": "narrated as a mistake"}
"""Stances by which the telling itself vouches for the fact, or against it."""
_IGNORANT: Final = ("unaware", "mistaken")
_LEAST_SHARED: Final = 0.5
"""The part of a question's words that a fact has to have to be meant by it."""
_LITTLE: Final = frozenset(
    {
        "and",
        "are",
        "as",
        "at",
        "be",
        "by",
        "did",
        "do",
        "does",
        "for",
        "from",
        "had",
        "has",
        "have",
        "he",
        "her",
        "him",
        "his",
    }
    | {"in", "is", "it", "not", "of", "on", "or", "she", "that", "to", "was", "were", "who", "whom", "will", "with"}
)
"""Words that any two facts share."""


class UnknownFact(Unknown):
    """No record as of the chapter says, knows or reveals it."""

    title = "There is no such fact at this checkpoint"
    slug = "unknown-fact"


@dataclass(frozen=True, slots=True)
class Word:
    """What one record says that a knower makes of a fact. `knower`: an entity, or the reader."""

    knower: str
    stance: str
    how: str
    row: RecordRow


@dataclass(slots=True)
class Fact:
    """A fact by its key, with every word on it in telling order, and who had part in it."""

    key: str
    text: str
    words: list[Word] = field(default_factory=list)
    there: set[str] = field(default_factory=set)

    def of(self, knower: str) -> list[Word]:
        return [word for word in self.words if word.knower == knower]


def knowledge(material: Material, fact: str | None, who: str | None) -> Json:
    """`{"facts": [...]}`, in the order in which they came up. Raises UnknownFact, UnknownEntity."""
    facts = ledger(material)
    chosen = list(facts.values()) if fact is None else _meant(material, facts, fact)
    asked = None if who is None else _asked(material, who)
    cast = [each for each in _cast(material.session, material.moment) if asked is None or each["id"] in asked]
    shown = [_shown(material, each, cast, asked) for each in chosen if each.words]
    return {"facts": shown if asked is None or fact is not None else [s for s in shown if s["knowers"]]}


def irony(material: Material, fact: str | None, who: str | None) -> Json:
    """`{"irony": [...]}`: what the reader knows and a character does not, those first of whom the text says so.

    Why: `unaware` or `mistaken` as the records have it, or `untold`: the character has been on stage since the reader
    learned it, had no part in it, and no record tells that they learned it.
    """
    facts = ledger(material)
    chosen = list(facts.values()) if fact is None else _meant(material, facts, fact)
    asked = None if who is None else _asked(material, who)
    cast = [each for each in _cast(material.session, material.moment) if asked is None or each["id"] in asked]
    found = [entry for each in chosen for entry in _ironies(material, each, cast)]
    found.sort(key=lambda each: (each["why"] == "untold", not _names(each), -len(each["on_stage"])))
    return {"irony": found}


def ledger(material: Material, *, all_told: bool = False) -> dict[str, Fact]:
    """Every fact that somebody is said to know or that is revealed, by its key; with `all_told` what is only narrated too."""
    facts: dict[str, Fact] = {}
    keys = _keys(material)
    for row in material.actual:
        if row.kind in ("fact", "event"):
            continue
        text = _identity_text(material, row) if row.kind == "identity" else material.fact(row)
        key = keys.get(row.uid) or fact_key(text)
        found = facts.setdefault(key, Fact(key, text))
        found.words += _words(material, row)
    _narrate(material, facts, all_told)
    return facts


def _keys(material: Material) -> dict[str, str]:
    """By uid of a `knowledge` record, the key of its fact as it was bound when the record was taken in."""
    moment, state = material.moment, material.session.state
    wanted = {key for key, _ in state.keys_of_functor(moment.story, "knowledge", moment.at, moment.believed)}
    found = state.supporting(moment.story, moment.at, moment.believed, wanted) if wanted else []
    return {each.uid: each.setting.args[1].key for each in found}


def _words(material: Material, row: RecordRow) -> Iterator[Word]:
    payload = row.payload
    if row.kind == "knowledge":
        stance = payload.get("stance", "knows")
        for knower in material.who(row, "knower"):
            yield Word(knower, stance, payload.get("learned_via") or "as the text has it", row)
        if names_reader(payload.get("knower")):
            yield Word(READER, stance, payload.get("learned_via") or "as the text has it", row)
        elif stance in _NARRATED:
            yield Word(READER, "knows", _NARRATED[stance], row)
        return
    given = "known_to" if row.kind == "identity" else "revealed_to"
    for knower in material.who(row, given):
        yield Word(knower, "knows", "revealed to them", row)
    if row.kind == "revelation" or payload.get(given) is None or names_reader(payload[given]):
        yield Word(READER, "knows", "revealed", row)


def _narrate(material: Material, facts: dict[str, Fact], all_told: bool) -> None:
    """Add what records of facts and events, which are told as so, give the reader, and who had part in them."""
    for row in material.actual:
        if row.kind not in ("fact", "event"):
            continue
        text = fact_text(row.payload) or ""
        key = fact_key(text)
        if key in facts or all_told:
            found = facts.setdefault(key, Fact(key, text))
            found.words.append(Word(READER, "knows", "narrated", row))
            found.there.update(material.who(row, "participants"))
    places = {row.uid: number for number, row in enumerate(material.rows)}
    for found in facts.values():
        found.words.sort(key=lambda word: places[word.row.uid])


def _identity_text(material: Material, row: RecordRow) -> str:
    return f"{row.payload['a']} is {row.payload['b']}"


# --- what is asked for ---


def _asked(material: Material, who: str) -> set[str]:
    return {READER} if name_key(who) == READER else set(material.naming.candidates(who, people=True))


def _meant(material: Material, facts: dict[str, Fact], asked: str) -> list[Fact]:
    """The facts that somebody means: by key or record name, else those that share most of the words. Raises UnknownFact."""
    named = [each for each in facts.values() if asked in {word.row.name for word in each.words}]
    exact = [facts[fact_key(asked)]] if fact_key(asked) in facts else named
    if exact:
        return exact
    everything = ledger(material, all_told=True)
    if fact_key(asked) in everything:
        return [everything[fact_key(asked)]]
    ranked = sorted(((_shared(asked, each.text), each) for each in everything.values()), key=lambda pair: -pair[0])
    found = [each for share, each in ranked if share >= _LEAST_SHARED]
    if not found:
        near = ", ".join(repr(each.text[:60]) for share, each in ranked[:3] if share > 0)
        hint = f" Near it: {near}." if near else " Ask without a fact for those there are."
        raise UnknownFact(f"Nothing up to chapter {material.moment.at} says or reveals {asked[:80]!r}.{hint}")
    return found[:10]


def _shared(asked: str, text: str) -> float:
    wanted = set(fact_key(asked).split()) - _LITTLE
    return len(wanted & set(fact_key(text).split())) / len(wanted) if wanted else 0.0


def _cast(session: Session, moment: Moment) -> list[Json]:
    """The characters there are, with the chapters in which they are present."""
    return list(timeline(session, moment)["characters"])


# --- as it is shown ---


def _shown(material: Material, fact: Fact, cast: list[Json], asked: set[str] | None) -> Json:
    knowers = list(dict.fromkeys(word.knower for word in fact.words))
    reader = _standing(material, fact, READER)
    shown = [_standing(material, fact, k) for k in knowers if k != READER and (asked is None or k in asked)]
    if reader is not None and (asked is None or READER in asked):
        shown.insert(0, reader)
    untold = [each["name"] for each in cast if each["id"] not in knowers]
    return {"fact": fact.text, "key": fact.key, "knowers": shown, "untold": untold}


def _standing(material: Material, fact: Fact, knower: str) -> Json:
    """What a knower makes of the fact now; None where nothing is said. `before` has the stances they held earlier."""
    words = fact.of(knower)
    if not words:
        return None
    run = list(_run(words))
    last = words[-1]
    before = [{"stance": word.stance, "since": word.row.chapter} for word in _turns(words)][:-1]
    return {
        "knower": READER if knower == READER else material.naming.name(knower),
        "id": knower,
        "stance": last.stance,
        "since": run[0].row.chapter,
        "how": run[0].how,
        "record": run[0].row.name,
        "evidence": material.evidence(*{word.row.uid: word.row for word in run}.values()),
        "before": before,
    }


def _run(words: list[Word]) -> Iterable[Word]:
    """The last words that agree on the stance, first first."""
    first = len(words)
    while first and words[first - 1].stance == words[-1].stance:
        first -= 1
    return words[first:]


def _turns(words: list[Word]) -> list[Word]:
    return [word for n, word in enumerate(words) if n == 0 or words[n - 1].stance != word.stance]


def _ironies(material: Material, fact: Fact, cast: list[Json]) -> Iterator[Json]:
    reader = _standing(material, fact, READER)
    if reader is None or reader["stance"] != "knows":
        return
    for each in cast:
        own = _standing(material, fact, each["id"])
        on_stage = [chapter for chapter in each["present"] if chapter >= reader["since"]]
        if own is not None and own["stance"] not in _IGNORANT:
            continue
        if own is None and (not on_stage or each["id"] in fact.there or _is_of(fact, each["name"])):
            continue
        yield {
            "fact": fact.text,
            "key": fact.key,
            "character": each["name"],
            "id": each["id"],
            "why": "untold" if own is None else own["stance"],
            "since": None if own is None else own["since"],
            "record": None if own is None else own["record"],
            "evidence": [] if own is None else own["evidence"],
            "on_stage": on_stage,
            "reader": {name: reader[name] for name in ("since", "how", "record", "evidence")},
        }


def _names(entry: Json) -> bool:
    """Whether the fact speaks of the character."""
    return f" {name_key(entry['character']).split()[0]} " in f" {entry['key']} "


def _is_of(fact: Fact, name: str) -> bool:
    """Whether the fact is what this character did or is: nobody has to be told that."""
    key = name_key(name)
    return f"{fact_key(fact.text)} ".startswith((f"{key} ", f"{key.split()[0]} "))
