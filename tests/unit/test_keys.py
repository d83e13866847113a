"""State keys as they are written and read."""

from __future__ import annotations

from events.keys import ParsedKey, readings


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
