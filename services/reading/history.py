"""`history`: the values of one key, over the chapters and over what was believed of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from events.domain_events import Json, Setting, Term
from events.ids import EntityId
from events.keys import ParsedKey, readings, render, shown_value
from events.names import fact_key, literal_key
from events.registry import Links
from services.reading.beliefs import Beliefs, Believed
from services.reading.naming import Naming
from services.reading.provenance import provenances
from services.reading.quoting import Quote, Texts, quoting
from services.reading.session import AsRecorded, Moment, Session


def history(
    session: Session, texts: Texts, story: str, key: str, at: int | str | None, as_recorded: AsRecorded
) -> Json:
    """The intervals of the key, current belief first. Without `at` the whole story is looked at, ends included."""
    written = readings(key)
    moment = session.whole(story, as_recorded) if at is None else session.moment(story, at, as_recorded)
    naming = Naming(session, moment)
    matching = _matching(session, moment, naming, written)
    reply: dict[str, Json] = {"story": story, "key": key, "at": None if at is None else moment.at}
    if not matching:
        return reply | {"intervals": []}
    believed = _believed(session, moment, matching)
    quote, record = _grounds(session, moment, texts, believed)
    read_by = provenances(session, story, {(r["chapter"], r["revision"]) for r in _shown_records(believed, record)})
    names = _Names(session, moment, naming)
    shown = _merged([_shown(belief, names.of(belief), quote, record, read_by) for belief in believed])
    current = sorted((i for i in shown if i["recorded_to"] is None), key=lambda i: i["valid_from"])
    former = sorted((i for i in shown if i["recorded_to"] is not None), key=_latest_first)
    shown_key = render(believed[-1].setting, names.of(believed[-1]).name) if believed else key
    return reply | {"key": shown_key, "intervals": [*current, *former]}


def _believed(session: Session, moment: Moment, node_keys: Sequence[str]) -> list[Believed]:
    """Every belief about the keys, those no longer held first.

    The tables hold the beliefs about keys of entities that were never joined with another; the others are folded anew at
    each position at which something changed.
    """
    beliefs = beliefs_of(session, moment, node_keys)
    if beliefs.has_links or len(node_keys) > 1:
        return beliefs.history()
    rows = session.state.believed_intervals(moment.story, node_keys, moment.at, moment.believed)
    return beliefs.recorded(rows, moment.at)


def beliefs_of(session: Session, moment: Moment, node_keys: Sequence[str] | None) -> Beliefs:
    """The beliefs about keys (None: all) up to a moment."""
    asserted = session.state.asserted(moment.story, node_keys, moment.at, moment.believed)
    links = session.entities.link_spans(moment.story, moment.at, moment.believed)
    if node_keys is not None:
        named = {t.key for a in asserted for t in (*a.setting.args, a.setting.value) if t is not None and t.entity}
        ever = Links(span.link for span in links)
        concerned = {e for entity in named for e in ever.group(EntityId(entity), None)}
        links = [span for span in links if span.link.a in concerned]
    return Beliefs(asserted, links, moment.at)


def _latest_first(interval: Json) -> tuple[int, int]:
    return (-interval["recorded_to"], interval["valid_from"])


class _Names:
    """The names to show a belief under: today's for what is believed, those of its time for what is no longer."""

    def __init__(self, session: Session, moment: Moment, naming: Naming) -> None:
        self._session = session
        self._moment = moment
        self._namings: dict[int | None, Naming] = {None: naming}

    def of(self, belief: Believed) -> Naming:
        then = None if belief.recorded_to is None else belief.recorded_from
        if then not in self._namings:
            self._namings[then] = Naming(self._session, replace(self._moment, believed=belief.recorded_from))
        return self._namings[then]


def _merged(intervals: Sequence[Json]) -> list[Json]:
    """Without the seams where only the entity behind a name became another: what reads the same is the same belief."""
    merged: dict[tuple[str, int, int | None, int], Json] = {}
    for interval in sorted(intervals, key=lambda i: i["recorded_from"]):
        reads = (interval["value"], interval["valid_from"], interval["valid_to"])
        before = merged.pop((*reads, interval["recorded_from"]), None)
        if before is not None:
            interval = interval | {"recorded_from": before["recorded_from"]}
        merged[(*reads, interval["recorded_to"] or -1)] = interval
    return list(merged.values())


# --- which keys are meant ---


def _matching(session: Session, moment: Moment, naming: Naming, written: Sequence[ParsedKey]) -> list[str]:
    """The node keys that, under the names of the moment, are the key somebody wrote, in any way it can be read."""
    found = session.state.keys_of_functor(moment.story, written[0].functor, moment.at, moment.believed)
    mean = naming.apart if written[0].functor == "identity" else naming.matching
    meant = {arg: mean(arg) for reading in written for arg in reading.args}
    return [node_key for node_key, setting in found if any(_matches(setting, read, naming, meant) for read in written)]


def _matches(setting: Setting, parsed: ParsedKey, naming: Naming, meant: dict[str, frozenset[EntityId]]) -> bool:
    if len(setting.args) != len(parsed.args) or setting.arrow != parsed.arrow:
        return False
    apart = parsed.functor == "identity"

    def same(term: Term, written: str) -> bool:
        if term.entity:
            return naming.head(term.key) in meant[written]
        return term.key in (literal_key(written), fact_key(written)) or term.key in (meant[written] if apart else ())

    def all_same(written: Sequence[str]) -> bool:
        return all(same(term, arg) for term, arg in zip(setting.args, written, strict=True))

    symmetric = parsed.functor == "relationship" and not parsed.arrow
    return all_same(parsed.args) or (symmetric and all_same(parsed.args[::-1]))


# --- as it is shown ---


def _grounds(
    session: Session, moment: Moment, texts: Texts, believed: Sequence[Believed]
) -> tuple[Quote, Callable[[str, int | None], Json]]:
    """What quotes evidence, and what finds a record as it was shown before a position (None: now)."""
    uids = sorted({uid for b in believed for uid in b.support})
    versions: dict[str, list[tuple[int, Json]]] = {}
    for uid, low, shown in session.state.record_versions(moment.story, uids, moment.believed):
        versions.setdefault(uid, []).append((low, shown))
    revisions = {(shown["chapter"], shown["revision"]) for of in versions.values() for _, shown in of}
    quote = quoting(session, moment, texts, revisions)

    def record(uid: str, before: int | None) -> Json:
        of = [shown for low, shown in versions[uid] if before is None or low < before]
        return of[-1] if of else versions[uid][0][1]

    return quote, record


def _shown_records(believed: Sequence[Believed], record: Callable[[str, int | None], Json]) -> list[Json]:
    return [record(belief.support[0], belief.recorded_to) for belief in believed]


def _shown(
    belief: Believed,
    naming: Naming,
    quote: Quote,
    record: Callable[[str, int | None], Json],
    read_by: Mapping[tuple[str, int], Json],
) -> Json:
    records = [record(uid, belief.recorded_to) for uid in belief.support]
    return {
        "value": shown_value(belief.value, naming.name),
        "valid_from": belief.valid_from,
        "valid_to": belief.valid_to,
        "recorded_from": belief.recorded_from,
        "recorded_to": belief.recorded_to,
        "record": records[0]["name"],
        "provenance": read_by.get((belief.support[0], records[0]["revision"])),
        "evidence": [span for r in records for span in quote(r["chapter"], r["revision"], r["evidence"])],
    }
