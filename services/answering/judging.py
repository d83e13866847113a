"""Claims that are to be judged true or false, and options of yes and no, as the questions that they are."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from services.answering.asked import Asked
from services.answering.polar import SHORT, is_plain

Json = Any
_SAID: Final = re.compile(r"(?:yes|no)(?=$|[:.,])", re.IGNORECASE)
"""What a reply begins with that tells whether it is so."""
_TRUTH: Final = {"true", "false"}
_ASSENT: Final = {"yes", "no"}
_CLAIMS: Final = (
    (re.compile(r"(?P<who>.+?) (?P<v>does|do|did) (?P<no>not) (?P<rest>.+)"), "{v} {who} {rest}?"),
    (re.compile(r"(?P<who>.+?) (?P<v>is|are|was|were) (?P<no>not )?(?P<rest>.+)"), "{v} {who} {rest}?"),
    (
        re.compile(r"(?P<who>.+?) (?P<v>has|have) (?P<no>no )?(?P<rest>(?:the|an?|his|her|their) .+)"),
        "does {who} have {rest}?",
    ),
)


@dataclass(frozen=True, slots=True)
class Judged:
    """A question of yes or no, and the options that yes and no are."""

    asked: Asked
    yes: str
    no: str

    def said(self, reply: Mapping[str, Json], options: tuple[str, ...], text: str) -> dict[str, Json]:
        """The reply to the question as one to what was asked."""
        answer = reply["answer"]
        said = _SAID.match(answer or "")
        chosen = None if said is None else self.yes if said[0].casefold() == "yes" else self.no
        return {**reply, "question": text, "options": list(options), "answer": chosen, "abstained": chosen is None}


def judged(asked: Asked) -> Judged | None:
    """None where the options are others, or the claim is too long, or worded otherwise than can be asked about."""
    by_word = {option.casefold(): option for option in asked.options}
    if set(by_word) == _ASSENT and is_plain(asked.text):
        return Judged(replace(asked, options=()), by_word["yes"], by_word["no"])
    claim = asked.text.strip().rstrip(". ")
    if set(by_word) != _TRUTH or "?" in claim or len(claim.split()) > SHORT:
        return None
    for pattern, wording in _CLAIMS:
        match = pattern.fullmatch(claim)
        if match is None:
            continue
        question = wording.format(v=match["v"], who=match["who"], rest=match["rest"])
        question = question[:1].upper() + question[1:]
        sides = (by_word["false"], by_word["true"]) if match["no"] else (by_word["true"], by_word["false"])
        return Judged(replace(asked, text=question, options=()), *sides) if is_plain(question) else None
    return None
