"""What a question of yes or no, or a statement, says: who does it, to whom, what somebody is, and what else; by the order of its words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from services.answering.naming import Named
from services.answering.occurrences.word_order import BEING, HELPING, tells

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

MODALS: Final = frozenset(("can", "could", "will", "would", "shall", "should", "may", "might", "must"))
_NOT: Final = frozenset(("not", "n't", "n’t"))
_SUBJECT: Final = frozenset(("nsubj", "nsubjpass"))


@dataclass(frozen=True, slots=True)
class Proposition:
    """A question as tokens: who does it or is it, and, where the verb is known, to whom, and what else is said with it."""

    subject: Sequence[Token]
    objects: Sequence[Token]
    rest: Sequence[Token]
    is_passive: bool = False


class Propositions:
    """The readings of one question, in which `named` are named."""

    def __init__(self, question: Doc, named: Sequence[Named]) -> None:
        self._question = question
        self._named = named
        first = question[0].lower_ if len(question) else ""
        self._start = 1 if first in HELPING | BEING | MODALS else 0
        self.modal = next((t.lower_ for t in question if t.lower_ in MODALS), "")
        self.is_of_being = first in BEING
        self._tokens = [t for t in question if t.lower_ not in _NOT]

    def deeds(self, verb: str) -> Iterator[Proposition]:
        """The readings of the question of which a word is this verb; of a passive, `objects` are who did it."""
        tokens = self._tokens[self._start :]
        for at, token in enumerate(tokens):
            if not (token.is_alpha and tells(token, verb)):
                continue
            manner = [t for t in tokens[:at] if t.pos_ == "ADV"]
            before, after = [t for t in tokens[:at] if t.pos_ != "ADV"], tokens[at + 1 :]
            first = next((n for n, t in enumerate(after) if t.pos_ == "ADP" or t.lower_ == "to"), len(after))
            passive = self.is_of_being and token.tag_ != "VBG" and not token.lower_.endswith("ing")
            if not self._start:  # a statement: `was` may stand before it
                passive = any(t.lower_ in BEING for t in before) and not token.lower_.endswith("ing")
            if passive:
                by = next((n for n, t in enumerate(after) if t.lower_ == "by"), None)
                doers = after[by + 1 :] if by is not None else []
                yield Proposition(before, doers, [*manner, *(after[:by] if by is not None else after)], is_passive=True)
            else:
                yield Proposition(before, after[:first], [*manner, *after[first:]])

    @cached_property
    def being(self) -> Proposition | None:
        """Who is asked about, and what he is to be; None where the question is not of that form."""
        tokens = self._tokens
        if self.is_of_being:
            end = self._subject_end(tokens)
            subject, rest = tokens[1:end], tokens[end:]
        else:
            at = next((n for n, t in enumerate(tokens) if t.lower_ in BEING), None)
            if self._start or at is None:
                return None
            subject, rest = tokens[:at], tokens[at + 1 :]
        rest = [t for t in rest if not t.is_punct]
        return Proposition(subject, (), rest) if subject and rest else None

    def _subject_end(self, tokens: Sequence[Token]) -> int:
        """Where the subject of `Is the coat of Ivo red?` ends."""
        at = 1
        while at < len(tokens) and tokens[at].pos_ == "DET":
            at += 1
        inside = [n for n in self._named if at < len(tokens) and n.start <= tokens[at].idx < n.end]
        end = next((n for n in range(at, len(tokens)) if not tokens[n].is_title), len(tokens))
        end = next((n for n in range(at, len(tokens)) if inside and tokens[n].idx >= inside[0].end), end)
        if end > at and (end == len(tokens) or tokens[end].lower_ not in ("'s", "’s", "of", "'", "’", "and")):
            return end
        subject = next((t for t in tokens[1:] if t.dep_ in _SUBJECT), None)
        chunk = next(
            (c for c in self._question.noun_chunks if at < len(tokens) and c.start <= tokens[at].i < c.end), None
        )
        last = max(subject.right_edge.i if subject is not None else 0, chunk.end - 1 if chunk is not None else 0)
        end = sum(t.i <= last for t in tokens)
        inner = next((n for n in range(at + 1, end) if tokens[n].pos_ == "DET" and tokens[n - 1].pos_ != "ADP"), end)
        return max(at + 1, min(end, inner))
