"""The words of a question that say what it is about, told from those that only ask."""

from __future__ import annotations

from typing import Final

from projections.search.analysis import terms

FUNCTION_WORDS: Final = frozenset(
    terms(
        "a an the this that these those such of to in on at by for with from into onto upon about over under after before "
        "between against during as than then so not no nor if but or and also too very just only still even again "
        "is are was were be been being am do does did done doing have has had having can could will would shall should may "
        "might must who whom whose which what when where why how there here it its he him his she her hers they them their "
        "theirs we us our you your i me my mine himself herself itself themselves one any some all both each out up down "
        "because while until"
    )
)


def content_terms(text: str) -> list[str]:
    """The terms of a text without function words, in order, with repetitions; all its terms if it has no others."""
    found = terms(text)
    return [term for term in found if term not in FUNCTION_WORDS] or found
