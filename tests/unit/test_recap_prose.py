"""Which clauses that rules read can stand alone, and how chosen statements are drawn together."""

from __future__ import annotations

import pytest

from services.auditing.clauses import stands_alone


@pytest.mark.parametrize(
    ("clause", "alone"),
    [
        ("Anne knelt before the astonished lady", True),
        ("Anne and Diana tiptoed into the parlour", True),
        ("Anne took off her ring", True),
        ("Anne saw that the level country had vanished", True),
        ("Anne and Diana tripping blithely down the path", False),
        ("Anne sitting on the chair by the window", False),
        ("Anne put it on one evening", False),
        ("Anne persuaded her to go to bed", False),
        ("Anne heard its ring", False),
        ("Anne ran across the kitchen to him", False),
        ("Anne put on her cloak, and then", False),
        ("Anne rowed to the landing and Ruby", False),
        ("Mourned Anne, on the verge of tears", False),
    ],
)
def test_a_clause_stands_alone_that_says_who_does_what_and_leans_on_nothing(clause: str, alone: bool) -> None:
    assert stands_alone(clause, "Anne") == alone
