"""Two of one name, claims, ties and attributes: what the state and the names decide before any words are read."""

from __future__ import annotations

import pytest

from projections.passages.read import LinkRow, RecordRow
from services.answering.naming import Names
from services.extraction.offline import OfflineExtractor
from services.retrieval.cast import Cast
from tests.asking import ask
from tests.storytelling import Telling, told
from tests.unit.test_asking_plain import answer, story

PEOPLE = ("Anna Petrova", "Anna Berg", "Paul Finch", "Paul Adler", "Ines Dahl")
TOWN = (
    "Anna Petrova was a doctor. Anna Berg had the grey horse. Paul Finch gave Nora a parcel. Paul Adler broke the window."
    " Ines Dahl laughed."
)


@pytest.mark.parametrize(
    ("question", "bearers"),
    [
        ("Is Anna a doctor?", "Anna Berg or Anna Petrova"),
        ("Who is Anna?", "Anna Berg or Anna Petrova"),
        ("Does Anna have the grey horse?", "Anna Berg or Anna Petrova"),
        ("Did Paul break the window?", "Paul Adler or Paul Finch"),
        ("Where is Paul?", "Paul Adler or Paul Finch"),
    ],
)
def test_a_name_of_two_is_asked_back(question: str, bearers: str) -> None:
    reply = ask(story(TOWN, people=PEOPLE), question)
    assert reply["answer"] is None
    assert f"may be {bearers}; ask by the whole name" in reply["support"][0]["why"]


@pytest.mark.parametrize(
    "question", ["Is Anna Petrova a doctor?", "Did Paul Adler break the window?", "Did Adler break the window?"]
)
def test_the_whole_name_and_a_name_of_one_are_understood(question: str) -> None:
    assert answer(story(TOWN, people=PEOPLE), question).startswith("Yes")


def row(number: int, kind: str, surface: str, entity: str, aliases: tuple[str, ...] = ()) -> RecordRow:
    """A record that names one entity."""
    payload = {"kind": kind, "name": surface, "aliases": list(aliases)}
    slot = "name" if kind == "entity" else "participants.0"
    return RecordRow(
        name=f"1:{number}", uid=f"1r1:{number}", chapter=1, revision=1, order=(0, number, number), kind=kind, payload=payload,
        text=surface, evidence=((0, 1),), mentions=((slot, entity, surface),), settings=(), text_hash=b"",
    )  # fmt: skip


@pytest.mark.parametrize(("times", "is_clear"), [(1, False), (2, False), (3, True)])
def test_a_name_means_whom_the_records_mean_by_it_far_more_often(times: int, is_clear: bool) -> None:
    doctor, rider = "person/anna petrova", "person/anna berg"
    rows = [row(0, "entity", "Anna Petrova", doctor, ("Anna",)), row(1, "entity", "Anna Berg", rider, ("Anna",))]
    rows += [row(n, "event", "Anna", doctor) for n in range(2, 2 + times)]
    names = Names(Cast(rows, [], 1))
    assert [n.figure.id for n in names.in_text("Did Anna sing?")] == ([doctor] if is_clear else [])
    assert bool(names.unclear_in("Did Anna sing?")) is not is_clear


HOUSE = (
    "Vera Lund is a baker. Ida Stein did not marry Karl Moss. Ida Stein died at dawn. Vera Lund hit Karl Moss."
    " The lamp went to Ida Stein."
)


def household() -> Telling:
    records = [
        told("o", "entity", "lamp", name="lamp", type="object", aliases=[]),
        told("s", "character_delta", "Ida Stein died at dawn", character="Ida Stein", attribute="status", value="dead"),
        told("w", "object_delta", "The lamp went to Ida Stein", object="lamp", owner="Ida Stein"),
    ]
    return story(HOUSE, people=("Vera Lund", "Karl Moss", "Ida Stein"), records={1: records})


@pytest.mark.parametrize(
    ("claim", "said"),
    [
        ("Karl Moss is a baker.", ""),
        ("Vera Lund is a baker.", "true"),
        ("Vera Lund does not have the lamp.", "true"),
        ("Ida Stein has the lamp.", "true"),
        ("Ida Stein is not alive.", "true"),
        ("Ida Stein is dead.", "true"),
        ("Ida Stein is alive.", "false"),
        ("Karl Moss hit Vera Lund.", ""),
        ("Vera Lund hit Karl Moss.", "true"),
        ("Ida Stein married Karl Moss.", "false"),
        ("Vera Lund sold the bread.", ""),
    ],
)
def test_a_claim_is_false_only_where_something_says_otherwise(claim: str, said: str) -> None:
    assert answer(household(), claim, options=("true", "false")) == said


def test_yes_and_no_may_be_given_as_options() -> None:
    reply = ask(household(), "Is Ida Stein dead?", options=("No", "Yes"))
    assert (reply["answer"], reply["options"], reply["question"]) == ("Yes", ["No", "Yes"], "Is Ida Stein dead?")
    assert answer(household(), "Did Karl hit Vera?", options=("Yes", "No")) == ""


TRUST = (
    "Ines Dahl trusted Rolf Kern. Ines Dahl was a pilot. Ines Dahl was the wife of Rolf Kern.",
    "Ines Dahl no longer trusted Rolf Kern. Ines Dahl became a cook and they were divorced.",
)


def couple() -> Telling:
    def state(chapter: int, trust: str, tie: str, work: str) -> list[dict[str, object]]:
        quotes = TRUST[chapter - 1].split(". ")
        two = {"source": "Ines Dahl", "target": "Rolf Kern"}
        return [
            told("f", "relationship_delta", quotes[0], **two, relation=trust, symmetric=False),
            told("w", "relationship_delta", quotes[-1].rstrip("."), **two, relation=tie),
            told(
                "a", "character_delta", quotes[1].rstrip("."), character="Ines Dahl", attribute="occupation", value=work
            ),
        ]

    records = {1: state(1, "trusts", "married", "pilot"), 2: state(2, "distrusts", "divorced", "cook")}
    return story(*TRUST, people=("Ines Dahl", "Rolf Kern"), records=records)


@pytest.mark.parametrize(
    ("question", "first", "second"),
    [
        ("Does Ines Dahl trust Rolf Kern?", "Yes", "No: distrusts"),
        ("Whom does Ines Dahl trust?", "Rolf Kern", ""),
        ("Who trusts Rolf Kern?", "Ines Dahl", ""),
        ("Who distrusts Rolf Kern?", "", "Ines Dahl"),
        ("Are Ines Dahl and Rolf Kern married?", "Yes", "No: divorced"),
        ("Is Ines Dahl the wife of Rolf Kern?", "Yes", ""),
        ("Is Ines a pilot?", "Yes", "No: cook"),
        ("Is Ines a cook?", "", "Yes"),
    ],
)
def test_ties_and_attributes_are_those_of_the_checkpoint(question: str, first: str, second: str) -> None:
    assert [answer(couple(), question, at) for at in (1, 2)] == [first, second]


def test_who_is_of_an_occupation_is_somebody_alive() -> None:
    text = "Jorun Pell kept the lamps. He died. Otti Marsk kept the lamps."
    records = [
        told(
            "a",
            "character_delta",
            "Jorun Pell kept the lamps",
            character="Jorun Pell",
            attribute="occupation",
            value="keeper of the lamps",
        ),
        told("b", "character_delta", "He died", character="Jorun Pell", attribute="status", value="dead"),
        told(
            "c",
            "character_delta",
            "Otti Marsk kept the lamps",
            character="Otti Marsk",
            attribute="occupation",
            value="keeper of the lamps",
        ),
    ]
    telling = story(text, people=("Jorun Pell", "Otti Marsk"), records={1: records})
    assert answer(telling, "Who is the keeper of the lamps?") == "Otti Marsk"


def extracted(*chapters: str) -> Telling:
    telling = Telling()
    for number, text in enumerate(chapters, 1):
        records = OfflineExtractor().extract(text, chapter=number)
        told_ = [
            {**{k: v for k, v in r.items() if k != "evidence"}, "quote": r["evidence"][0]["quote"]} for r in records
        ]
        telling.publish(number, text, told_)
    return telling


def test_an_owner_that_rules_have_read_is_not_told_where_text_gives_the_thing_away() -> None:
    telling = extracted(
        "Emma Reuss bought the box. Emma Reuss gave the box to Jakob Lang. Jakob Lang smiled.",
        "The priest came. Jakob Lang gave the box to the priest.",
    )
    assert answer(telling, "Who has the box?", 1) == "Jakob Lang"
    assert answer(telling, "Who has the box?", 2) == ""


def test_a_tie_that_rules_have_read_is_not_told_where_text_ends_it() -> None:
    telling = extracted("Jory Penn loved Nell Ashe.", "Jory Penn no longer loved Nell Ashe.")
    assert answer(telling, "Whom does Jory Penn love?", 1) == "Nell Ashe"
    assert answer(telling, "Whom does Jory Penn love?", 2) == ""


def test_what_is_given_back_is_his_again_and_divorce_ends_a_marriage() -> None:
    records = OfflineExtractor().extract(
        "Agnes Moor gave the pistol back to Peter Lund. Ada Rook divorced Tom Gale.", chapter=1
    )
    assert [r["owner"] for r in records if r["kind"] == "object_delta"] == ["Peter Lund"]
    assert [r["relation"] for r in records if r["kind"] == "relationship_delta"] == ["divorced"]


@pytest.mark.parametrize(
    "text",
    [
        "Neither Greta Holm nor Inge Holm wept.",
        "Perhaps Greta Holm hid the bell.",
        "In her dream Greta Holm killed Inge Holm.",
    ],
)
def test_no_event_is_made_of_what_did_not_happen(text: str) -> None:
    assert [r for r in OfflineExtractor().extract(text, chapter=1) if r["kind"] == "event"] == []


def test_whom_no_live_record_names_goes_by_the_name_of_one_that_is_the_same() -> None:
    mentioned = row(0, "event", "Mara Voss", "unknown/mara voss")
    cast = Cast([mentioned], [LinkRow(1, 0, "unknown/mara voss", "person/mara voss")], 1)
    assert cast.name("person/mara voss") == cast.name("unknown/mara voss") == "Mara Voss"


@pytest.mark.parametrize(
    ("names", "asked", "bearers"),
    [
        (("Mr. Henry Baskerville", "Sir Henry Baskerville"), "Henry Baskerville", ()),
        (("Ben Gunn", "Benjamin Gunn"), "Gunn", ()),
        (("Captain Flint", "Cap'n Flint"), "Flint", ()),
        (("James Laurence", "Theodore Laurence"), "Mr. Laurence", ("James Laurence", "Theodore Laurence")),
        (("Old Tom Moss", "Young Tom Moss"), "Tom Moss", ("Old Tom Moss", "Young Tom Moss")),
    ],
)
def test_who_differ_in_a_title_or_a_short_name_are_likely_one(
    names: tuple[str, str], asked: str, bearers: tuple[str, ...]
) -> None:
    rows = [
        row(number, "entity", name, f"person/{name.casefold()}", (asked, "Mr. Laurence"))
        for number, name in enumerate(names)
    ]
    found = Names(Cast(rows, [], 1)).unclear_in(f"Did {asked} laugh?")
    assert found == ([(asked, list(bearers))] if bearers else [])


def moved() -> Telling:
    def place(quote: str, name: str) -> list[dict[str, object]]:
        return [
            told("l", "entity", name, name=name, type="location", aliases=[]),
            told("p", "presence", quote, entity="Karl Moss", location=name),
        ]

    records = {1: place("Karl Moss stood", "church"), 2: place("Karl Moss sat", "mill")}
    return story("Karl Moss stood in the church.", "Karl Moss sat in the mill.", people=("Karl Moss",), records=records)


def test_where_somebody_else_is_said_to_be_is_not_affirmed() -> None:
    assert answer(moved(), "Karl Moss is in the mill.", options=("true", "false")) == "true"
    assert answer(moved(), "Karl Moss is in the church.", options=("true", "false")) != "true"


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("Is Leo the butler of Marta?", "Yes"),
        ("Is Leo Marta's butler?", "Yes"),
        ("Is Leo a butler?", "Yes"),
        ("Who is Marta's butler?", "Leo Brandt"),
        ("Who is the butler of Marta?", "Leo Brandt"),
        ("Is Marta a butler?", ""),
        ("Is Marta married?", "Yes"),
        ("Who is Marta's husband?", "Otto Senn"),
        ("Is Leo married?", ""),
    ],
)
def test_one_tie_is_found_in_every_wording(question: str, said: str) -> None:
    text = "Leo Brandt was the butler of Marta Ricci. Marta Ricci married Otto Senn."
    records = [
        told(
            "a",
            "relationship_delta",
            "Leo Brandt was the butler",
            source="Leo Brandt",
            target="Marta Ricci",
            relation="butler of",
            symmetric=False,
        ),
        told(
            "b",
            "relationship_delta",
            "Marta Ricci married",
            source="Marta Ricci",
            target="Otto Senn",
            relation="married",
            symmetric=True,
        ),
    ]
    assert (
        answer(story(text, people=("Leo Brandt", "Marta Ricci", "Otto Senn"), records={1: records}), question) == said
    )
