"""Whether a sentence of the text says what a question asks to be affirmed, or denies it: the same verb or predicate, as a fact.

A question that is answered by yes or no is held against single clauses. All that it says has to stand in one of them, in its place:
who does it among the doers, to whom among those it is done to, what somebody is as his predicate. Anything less says neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from services.answering.naming import Named, Names
from services.answering.occurrences.clauses import is_passive
from services.answering.occurrences.phrases import (
    EXCEPT,
    antecedent,
    clause_of,
    each_of,
    like,
    name_of,
    phrase_of,
    prepositions,
    subjects_of,
)
from services.answering.occurrences.propositions import Propositions
from services.answering.occurrences.verbs import is_mutual
from services.answering.readers.offline import document
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.extraction.offline.factuality import is_denied, is_fact, takes_back

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Verdict = Literal["affirmed", "denied", ""]

_STRICT: Final = (
    "only again still already all every everybody everyone both many most few twice alone together even always often never ever"
    " anymore longer much first last else another no none nobody nothing everything before after until since because when while if"
    " than"
)
STRICT: Final = frozenset(_STRICT.split())
"""Words that change what is asked: a clause that does not have them says something else."""
_CONTRAST: Final = (
    "not n't n’t no never neither nor nobody none nothing hardly rather instead yet means once former formerly nearly almost half"
    " would alleged supposed cannot"
)
_CONTRASTING: Final = frozenset(_CONTRAST.split())
"""Words of a clause that make it say less, or the opposite, of some part of it: `not Marta but Otto`, `was once rich`."""
_PART: Final = "only always all every everybody everyone both often much many most alone merely just"
_PARTLY: Final = frozenset(_PART.split())
"""Words that a denial may take back instead of the verb."""
_NOW: Final = frozenset(("is", "are", "am", "do", "does", "has", "have"))
_ENDING: Final = frozenset(("until", "till", "once", "used", "formerly"))
"""Words of a sentence that tells how something was and is not."""
_OBJECT: Final = frozenset(("dobj", "obj", "dative", "iobj", "oprd"))
_MAKING: Final = frozenset(("make", "call", "name", "consider", "think", "believe", "declare", "proclaim", "suppose"))
"""Verbs whose object and what it is made to be a parser may take for one noun set beside another."""
_COPULAS: Final = frozenset(("be", "become", "remain", "stay"))


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a text as terms, and the figures that they name; `own`: those that only say whose something is."""

    words: frozenset[str]
    figures: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()

    def __or__(self, other: Said) -> Said:
        return Said(self.words | other.words, self.figures | other.figures, self.own | other.own)


@dataclass(frozen=True, slots=True)
class _Part:
    """A noun phrase of a sentence: its head, and all of it."""

    head: Said
    whole: Said


class Entailing:
    """One question, held against sentences. English only; `question` may also be a statement."""

    def __init__(self, names: Names, question: str) -> None:
        self._names = names
        self._question = document(question)
        self._named = names.in_text(question)
        self._strict = frozenset(t.lower_ for t in self._question) & STRICT
        self._asked = Propositions(self._question, self._named)
        self._taken_back = frozenset(t.lower_ for t in self._question if takes_back(t))

    @property
    def content(self) -> frozenset[str]:
        """The terms of the question that no name has and that say something: a sentence that affirms it has all but the verb's."""
        inside = {t.i for t in self._question for n in self._named if n.start <= t.idx < n.end}
        return frozenset(x for t in self._question if t.i not in inside for x in terms(t.text)) - FUNCTION_TERMS

    def of(self, sentence: str, quoted: Iterable[range] = ()) -> Verdict:
        """`quoted`: the code points of the sentence that somebody in the story says: what he says is so need not be."""
        if any(t.lower_ == "not" for t in self._question) or sentence.rstrip("\"'”’») ").endswith("?"):
            return ""  # whether a yes would affirm or deny it is anybody's guess; and what is asked is not told
        parsed = document(sentence)
        named = self._names.in_text(sentence)
        spans = list(quoted)
        found = {
            "denied" if is_denied(verb) else "affirmed"  # `Didn't he go?` too is answered by whether he went
            for verb in self._matching(parsed, named)
            if not any(verb.idx in span for span in spans) and self._as_real(verb) and self._is_plain(verb)
        }
        if len(found) != 1:
            return ""
        return "denied" if "denied" in found else "affirmed"

    def excepts(self, sentence: str) -> bool:
        """Whether a sentence has a word that takes somebody out, or changes how much of it is so."""
        return any(t.lower_ in EXCEPT | STRICT - self._strict for t in document(sentence))

    def _as_real(self, verb: Token) -> bool:
        """Whether it is told as a fact or, where the question asks what can or will be, in these words."""
        if self._asked.modal:
            return any(child.lower_ == self._asked.modal for child in verb.children)
        if self._taken_back:  # `Did he nearly fall?` is so if he nearly fell
            return self._taken_back <= {t.lower_ for t in clause_of(verb)}
        return is_fact(verb)

    def _is_plain(self, verb: Token) -> bool:
        """Whether nothing in its clause, or in the one that puts it forward (`It was not he who`), takes part of it back."""
        if is_denied(verb):  # `not always`, `not only`
            return not {t.lower_ for t in clause_of(verb)} & _PARTLY - self._strict
        clauses_ = [*clause_of(verb), *(clause_of(verb.head.head) if verb.dep_ == "relcl" else ())]
        there = {t.lower_ for t in clauses_} & _CONTRASTING - {t.lower_ for t in self._question}
        before = any(t.lower_ == "had" and t.dep_ == "aux" for t in verb.children) and verb.lemma_.lower() in _COPULAS
        ended = before or any(t.lower_ in _ENDING for t in verb.doc)
        return not there and not (ended and self._question[0].lower_ in _NOW)

    def _matching(self, parsed: Doc, named: Sequence[Named]) -> Iterator[Token]:
        for token in parsed:
            if token.dep_ in ("aux", "auxpass"):
                continue
            is_copula = token.lemma_.lower() in _COPULAS
            if (is_copula and self._is_predicate(token, named)) or (
                token.pos_ == "VERB" and self._is_deed(token, named)
            ):
                yield token
            elif token.dep_ == "appos" and self._asked.is_of_being and self._is_beside(token, named):
                above = next((t for t in token.ancestors if t.pos_ in ("VERB", "AUX")), token)
                if above.lemma_.lower() not in _MAKING:
                    yield above

    # deeds

    def _is_deed(self, verb: Token, named: Sequence[Named]) -> bool:
        """Whether the clause of a verb has all that the question says, each in its place."""
        for asked in self._asked.deeds(verb.lemma_.lower()):
            own, objects = subjects_of(verb), [c for c in verb.children if c.dep_ in _OBJECT]
            subjects = [antecedent(t) for t in own]
            passive = subjects if is_passive(verb) or any(t.dep_ == "nsubjpass" for t in own) else []
            agents = [t for c in verb.children if c.dep_ == "agent" for t in c.children if t.dep_ == "pobj"]
            doing, taking = ([] if passive else subjects) + agents, objects + passive
            if is_mutual(verb.lemma_.lower()):
                partners = [t for c in verb.children if c.dep_ == "prep" for t in c.children if t.dep_ == "pobj"]
                doing, taking = [*doing, *taking, *partners], [*taking, *doing, *partners]
            clause = clause_of(verb)
            if (
                self._strict <= {t.lower_ for t in clause}
                and self._has(asked.subject, taking if asked.is_passive else doing, named)
                and self._has(asked.objects, doing if asked.is_passive else taking, named)
                and self._covers(asked.rest, self._said(clause, named))
                and prepositions(asked.rest) <= {like(t) for t in clause if t.pos_ in ("ADP", "PART")}
            ):
                return True
        return False

    # what somebody is

    def _is_predicate(self, copula: Token, named: Sequence[Named]) -> bool:
        asked = self._asked.being
        if asked is None:
            return False
        heads = [c for c in copula.children if c.dep_ in ("attr", "acomp", "oprd", "prep", "advmod")]
        clause = clause_of(copula)
        return (
            self._strict <= {t.lower_ for t in clause}
            and self._has(asked.subject, [antecedent(t) for t in subjects_of(copula)], named)
            and any(self._is_it(asked.rest, head, named) for head in heads)
        )

    def _is_beside(self, noun: Token, named: Sequence[Named]) -> bool:
        asked = self._asked.being
        listed = any(c.dep_ in ("conj", "appos") for c in [*noun.children, *noun.head.children] if c != noun)
        if asked is None or listed or noun.pos_ != "NOUN":
            return False
        return self._has(asked.subject, [noun.head], named) and self._is_it(asked.rest, noun, named)

    def _is_it(self, asked: Sequence[Token], head: Token, named: Sequence[Named]) -> bool:
        """Whether a predicate is the one that is asked about: its noun or adjective, and all that is said of it."""
        if head.dep_ == "prep":
            place = next((c for c in head.children if c.dep_ == "pobj"), None)
            if place is None or not asked or like(asked[0]) != like(head):
                return False
            return self._has(asked[1:], [place], named)
        if asked and asked[0].pos_ == "ADP":
            return False
        return self._has(asked, [head], named)

    # words

    def _has(self, asked: Sequence[Token], parts: Sequence[Token], named: Sequence[Named]) -> bool:
        """Whether what is asked stands in the noun phrases of one side, the head of one of them among it."""
        if not self._content_of(asked):
            return True
        found = [_Part(self._said(name_of(part), named), self._said(phrase_of(part), named)) for part in each_of(parts)]
        wanted = self._said(asked, self._named)
        headed = [p for p in found if _is_head(p.head, wanted)]
        if not any(t.lower_ == "and" for t in asked) and not self._are_two(asked):
            return any(self._covers(asked, part.whole) for part in headed)
        if self._are_two(asked) and any(c.dep_ == "conj" for part in parts for c in part.subtree):
            return False  # `gave Vera a ring and Ida a comb`
        whole = Said(frozenset())
        for part in headed:
            whole |= part.whole
        return bool(headed) and self._covers(asked, whole)

    def _are_two(self, asked: Sequence[Token]) -> bool:
        """Whether objects are a person and a thing: `give Vera a comb`."""
        return any(t.pos_ == "DET" and n > 0 and asked[n - 1].pos_ != "ADP" for n, t in enumerate(asked))

    def _covers(self, asked: Sequence[Token], there: Said) -> bool:
        """Whether each word is there, or whom it names is, under whatever name."""
        for token in asked:
            own = frozenset(terms(token.text)) - FUNCTION_TERMS if not token.is_punct else frozenset[str]()
            figures = {n.figure.id for n in self._named if n.start <= token.idx < n.end}
            if own and not own <= there.words and not figures & there.figures:
                return False
            if own and token.is_title and own <= there.own and not _is_whose(token):
                return False
        return True

    def _content_of(self, asked: Sequence[Token]) -> bool:
        return any(frozenset(terms(t.text)) - FUNCTION_TERMS for t in asked if not t.is_punct)

    def _said(self, tokens: Iterable[Token], named: Sequence[Named]) -> Said:
        kept = list(tokens)
        whose = {t.i for t in kept if t.dep_ == "poss" or (t.dep_ == "compound" and t.head.dep_ == "poss")}
        words = frozenset(x for t in kept for x in terms(t.text))
        free = frozenset(x for t in kept if t.i not in whose for x in terms(t.text))
        figures = frozenset(n.figure.id for n in named for t in kept if n.start <= t.idx < n.end and t.i not in whose)
        return Said(words, figures, words - free)


def _is_whose(token: Token) -> bool:
    """Whether a word of a question says whose something is: `Mara's` mill."""
    after = [t.lower_ for t in token.doc[token.i + 1 : token.i + 4]]
    return any(word in ("'s", "’s", "'", "’") for word in after)


def _is_head(head: Said, wanted: Said) -> bool:
    """Whether a noun is one of the words, or names the same; not where both name somebody, and not the same."""
    if head.figures and wanted.figures:
        return bool(head.figures & wanted.figures)
    return bool(head.words & wanted.words)
