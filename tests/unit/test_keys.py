"""State keys as they are written and read."""

from __future__ import annotations

import pytest

from events.errors import InvalidInput
from events.keys import ParsedKey, readings
from events.names import fact_key, name_key


def test_a_key_without_superfluous_commas_is_read_in_one_way() -> None:
    assert readings("relationship(Mara,Tomas)") == [ParsedKey("relationship", ("Mara", "Tomas"))]


def test_a_key_whose_names_have_commas_is_read_in_every_way_the_plainest_first() -> None:
    assert readings("knowledge(Voss, Mara,x, y)") == [
        ParsedKey("knowledge", ("Voss", "Mara,x, y")),
        ParsedKey("knowledge", ("Voss, Mara", "x, y")),
        ParsedKey("knowledge", ("Voss, Mara,x", "y")),
    ]


def test_an_arrow_in_a_name_may_be_taken_for_the_one_of_the_relationship() -> None:
    assert readings("relationship(x->y->z)") == [
        ParsedKey("relationship", ("x", "y->z"), arrow=True),
        ParsedKey("relationship", ("x->y", "z"), arrow=True),
    ]


def test_a_key_with_very_many_commas_is_read_in_one_way_only() -> None:
    assert len(readings("fact(" + "a," * 500 + "b)")) == 1


@pytest.mark.parametrize("names", [("%s", "->"), ("->", "->"), ("a", "b->"), ("->b", "c")])
def test_a_key_whose_names_begin_or_end_with_an_arrow_is_read(names: tuple[str, str]) -> None:
    assert ParsedKey("relationship", names) in readings(f"relationship({names[0]},{names[1]})")


@pytest.mark.parametrize("key", ["owner()", "knowledge(Mara,)", "relationship(->)", "arc(,x)"])
def test_a_key_that_lacks_an_argument_is_told_how_many_it_has(key: str) -> None:
    with pytest.raises(InvalidInput, match=r"has [01] arguments; .* takes [12]"):
        readings(key)


@pytest.mark.parametrize(("fact", "key"), [("Mara burnt the Will.", "mara burnt will"), ("?!", "?!"), ("The", "the")])
def test_a_fact_always_has_a_key(fact: str, key: str) -> None:
    assert fact_key(fact) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [("The “Admiral”", "admiral"), ("“The Admiral”", "admiral"), ("»", '"'), ("'", "'"), ("The", "the")],
)
def test_a_name_always_has_a_key(name: str, key: str) -> None:
    assert name_key(name) == key
