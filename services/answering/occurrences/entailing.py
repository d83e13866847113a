"""Whether a sentence of the text says what a question asks to be affirmed, or denies it: the same verb or predicate, as a fact.

A question that is answered by yes or no is held against single clauses. All that it says has to stand in one of them, in its place:
who does it among the doers, to whom among those it is done to, what somebody is as his predicate. Anything less says neither.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from services.answering.naming import Named, Names
from services.answering.occurrences.clauses import EXCEPT
from services.answering.occurrences.verbs import is_mutual
from services.answering.occurrences.word_order import BEING, HELPING, tells
from services.answering.readers.offline import document
from services.answering.readers.sentences import FUNCTION_TERMS, terms
from services.extraction.offline.factuality import is_denied, is_fact, takes_back

if TYPE_CHECKING:
    from spacy.tokens import Doc, Token

Verdict = Literal["affirmed", "denied", ""]

MODALS: Final = frozenset(("can", "could", "will", "would", "shall", "should", "may", "might", "must"))
_STRICT: Final = (
    "only again still already all every everybody everyone both many most few twice alone together even always often never ever"
    " anymore longer much first last else another no none nobody nothing everything before after until since because when while if"
    " than"
)
STRICT: Final = frozenset(_STRICT.split())
"""Words that change what is asked: a clause that does not have them says something else."""
_NESTED: Final = frozenset(("ccomp", "advcl", "relcl", "acl", "parataxis"))
_SUBJECT: Final = frozenset(("nsubj", "nsubjpass"))
_OBJECT: Final = frozenset(("dobj", "obj", "dative", "iobj", "oprd"))
_NOT: Final = frozenset(("not", "n't", "n’t"))
_COPULAS: Final = frozenset(("be", "become", "remain", "stay"))
_WITHIN: Final = frozenset(("in", "at", "inside", "within"))


@dataclass(frozen=True, slots=True)
class Said:
    """Words of a text as terms, and the figures that they name."""

    words: frozenset[str]
    figures: frozenset[str] = frozenset()

    def __or__(self, other: Said) -> Said:
        return Said(self.words | other.words, self.figures | other.figures)


@dataclass(frozen=True, slots=True)
class _Part:
    """A noun phrase of a sentence: its head, and all of it."""

    head: Said
    whole: Said


@dataclass(frozen=True, slots=True)
class Proposition:
    """A question as tokens: who does it or is it, and, where the verb is known, to whom, and what else is said with it."""

    subject: Sequence[Token]
    objects: Sequence[Token]
    rest: Sequence[Token]
    is_passive: bool = False


def verdict(names: Names, question: str, sentence: str, quoted: Iterable[range] = ()) -> Verdict:
    """`quoted`: the code points of the sentence that somebody in the story says: what he says is so need not be."""
    return Entailing(names, question).of(sentence, quoted)


class Entailing:
    """One question, held against sentences. English only; `question` may also be a statement."""

    def __init__(self, names: Names, question: str) -> None:
        self._names = names
        self._question = document(question)
        self._named = names.in_text(question)
        self._strict = frozenset(t.lower_ for t in self._question) & STRICT
        first = self._question[0].lower_ if len(self._question) else ""
        self._start = 1 if first in HELPING | BEING | MODALS else 0
        self._modal = next((t.lower_ for t in self._question if t.lower_ in MODALS), "")
        self._is_of_being = first in BEING
        self._taken_back = frozenset(t.lower_ for t in self._question if takes_back(t))
        self._tokens = [t for t in self._question if t.lower_ not in _NOT]

    @property
    def content(self) -> frozenset[str]:
        """The terms of the question that no name has and that say something: a sentence that affirms it has all but the verb's."""
        inside = {t.i for t in self._question for n in self._named if n.start <= t.idx < n.end}
        return frozenset(x for t in self._question if t.i not in inside for x in terms(t.text)) - FUNCTION_TERMS

    def of(self, sentence: str, quoted: Iterable[range] = ()) -> Verdict:
        if any(t.lower_ == "not" for t in self._question):
            return ""  # whether a yes would affirm or deny it is anybody's guess
        parsed = document(sentence)
        named = self._names.in_text(sentence)
        spans = list(quoted)
        found = {
            "denied" if is_denied(verb) else "affirmed"  # `Didn't he go?` too is answered by whether he went
            for verb in self._matching(parsed, named)
            if not any(verb.idx in span for span in spans) and self._as_real(verb)
        }
        if len(found) != 1:
            return ""
        return "denied" if "denied" in found else "affirmed"

    def excepts(self, sentence: str) -> bool:
        """Whether a sentence has a word that takes somebody out, or changes how much of it is so."""
        return any(t.lower_ in EXCEPT | STRICT - self._strict for t in document(sentence))

    def _as_real(self, verb: Token) -> bool:
        """Whether it is told as a fact or, where the question asks what can or will be, in these words."""
        if self._modal:
            return any(child.lower_ == self._modal for child in verb.children)
        if self._taken_back:  # `Did he nearly fall?` is so if he nearly fell
            return self._taken_back <= {t.lower_ for t in _clause(verb)}
        return is_fact(verb)

    def _matching(self, parsed: Doc, named: Sequence[Named]) -> Iterator[Token]:
        for token in parsed:
            if token.dep_ in ("aux", "auxpass"):
                continue
            is_copula = token.lemma_.lower() in _COPULAS
            if (is_copula and self._is_predicate(token, named)) or (
                token.pos_ == "VERB" and self._is_deed(token, named)
            ):
                yield token
            elif token.dep_ == "appos" and self._is_of_being and self._is_beside(token, named):
                yield next((t for t in token.ancestors if t.pos_ in ("VERB", "AUX")), token)

    # deeds

    def _is_deed(self, verb: Token, named: Sequence[Named]) -> bool:
        """Whether the clause of a verb has all that the question says, each in its place."""
        for asked in self._propositions(verb.lemma_.lower()):
            subjects, objects = _subjects(verb), [c for c in verb.children if c.dep_ in _OBJECT]
            passive = [t for t in subjects if t.dep_ == "nsubjpass"]
            agents = [t for c in verb.children if c.dep_ == "agent" for t in c.children if t.dep_ == "pobj"]
            doing, taking = [t for t in subjects if t not in passive] + agents, objects + passive
            if is_mutual(verb.lemma_.lower()):
                partners = [t for c in verb.children if c.dep_ == "prep" for t in c.children if t.dep_ == "pobj"]
                doing, taking = [*doing, *taking, *partners], [*taking, *doing, *partners]
            clause = _clause(verb)
            if (
                self._strict <= {t.lower_ for t in clause}
                and self._has(asked.subject, taking if asked.is_passive else doing, named)
                and self._has(asked.objects, doing if asked.is_passive else taking, named)
                and self._covers(asked.rest, self._said(clause, named))
                and _prepositions(asked.rest) <= {_like(t) for t in clause if t.pos_ in ("ADP", "PART")}
            ):
                return True
        return False

    def _propositions(self, verb: str) -> Iterator[Proposition]:
        """The readings of the question of which a word is this verb; of a passive, `objects` are who did it."""
        tokens = self._tokens[self._start :]
        for at, token in enumerate(tokens):
            if not (token.is_alpha and tells(token, verb)):
                continue
            manner = [t for t in tokens[:at] if t.pos_ == "ADV"]
            before, after = [t for t in tokens[:at] if t.pos_ != "ADV"], tokens[at + 1 :]
            first = next((n for n, t in enumerate(after) if t.pos_ == "ADP" or t.lower_ == "to"), len(after))
            passive = self._is_of_being and token.tag_ != "VBG" and not token.lower_.endswith("ing")
            if not self._start:  # a statement: `was` may stand before it
                passive = any(t.lower_ in BEING for t in before) and not token.lower_.endswith("ing")
            if passive:
                by = next((n for n, t in enumerate(after) if t.lower_ == "by"), None)
                doers = after[by + 1 :] if by is not None else []
                yield Proposition(before, doers, [*manner, *(after[:by] if by is not None else after)], is_passive=True)
            else:
                yield Proposition(before, after[:first], [*manner, *after[first:]])

    # what somebody is

    def _is_predicate(self, copula: Token, named: Sequence[Named]) -> bool:
        asked = self._of_being()
        if asked is None:
            return False
        heads = [c for c in copula.children if c.dep_ in ("attr", "acomp", "oprd", "prep", "advmod")]
        clause = _clause(copula)
        return (
            self._strict <= {t.lower_ for t in clause}
            and self._has(asked.subject, _subjects(copula), named)
            and any(self._is_it(asked.rest, head, named) for head in heads)
        )

    def _is_beside(self, noun: Token, named: Sequence[Named]) -> bool:
        asked = self._of_being()
        listed = any(c.dep_ in ("conj", "appos") for c in [*noun.children, *noun.head.children] if c != noun)
        if asked is None or listed or noun.pos_ != "NOUN":
            return False
        return self._has(asked.subject, [noun.head], named) and self._is_it(asked.rest, noun, named)

    def _is_it(self, asked: Sequence[Token], head: Token, named: Sequence[Named]) -> bool:
        """Whether a predicate is the one that is asked about: its noun or adjective, and all that is said of it."""
        if head.dep_ == "prep":
            place = next((c for c in head.children if c.dep_ == "pobj"), None)
            if place is None or not asked or _like(asked[0]) != _like(head):
                return False
            return self._has(asked[1:], [place], named)
        if asked and asked[0].pos_ == "ADP":
            return False
        return self._has(asked, [head], named)

    def _of_being(self) -> Proposition | None:
        """Who is asked about, and what he is to be; None where the question is not of that form."""
        tokens = self._tokens
        if self._is_of_being:
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

    # words

    def _has(self, asked: Sequence[Token], parts: Sequence[Token], named: Sequence[Named]) -> bool:
        """Whether what is asked stands in the noun phrases of one side, the head of one of them among it."""
        if not self._content_of(asked):
            return True
        found = [_Part(self._said(_name(part), named), self._said(_phrase(part), named)) for part in _each(parts)]
        wanted = self._said(asked, self._named)
        headed = [p for p in found if _is_head(p.head, wanted)]
        whole = Said(frozenset())
        for part in headed:
            whole |= part.whole
        return bool(headed) and self._covers(asked, whole)

    def _covers(self, asked: Sequence[Token], there: Said) -> bool:
        """Whether each word is there, or whom it names is, under whatever name."""
        for token in asked:
            own = frozenset(terms(token.text)) - FUNCTION_TERMS if not token.is_punct else frozenset[str]()
            figures = {n.figure.id for n in self._named if n.start <= token.idx < n.end}
            if own and not own <= there.words and not figures & there.figures:
                return False
        return True

    def _content_of(self, asked: Sequence[Token]) -> bool:
        return any(frozenset(terms(t.text)) - FUNCTION_TERMS for t in asked if not t.is_punct)

    def _said(self, tokens: Iterable[Token], named: Sequence[Named]) -> Said:
        kept = list(tokens)
        words = frozenset(x for t in kept for x in terms(t.text))
        return Said(words, frozenset(n.figure.id for n in named for t in kept if n.start <= t.idx < n.end))


def _is_head(head: Said, wanted: Said) -> bool:
    """Whether a noun is one of the words, or names the same; not where both name somebody, and not the same."""
    if head.figures and wanted.figures:
        return bool(head.figures & wanted.figures)
    return bool(head.words & wanted.words)


def _subjects(verb: Token) -> list[Token]:
    """The subjects of a verb, or of the one that it goes on from: `came and took`, `tried to take`."""
    own = [c for c in verb.children if c.dep_ in _SUBJECT]
    if own and verb.dep_ == "relcl":
        return [verb.head if t.lower_ in ("who", "which", "that") else t for t in own]
    if own or verb.dep_ not in ("conj", "xcomp", "advcl", "ccomp") or verb.head == verb:
        return own
    if verb.dep_ == "xcomp":
        objects = [c for c in verb.head.children if c.dep_ in ("dobj", "obj", "dative")]
        return objects or _subjects(verb.head)
    return _subjects(verb.head)


def _each(parts: Iterable[Token]) -> Iterator[Token]:
    """Noun phrases and those joined to them by `and`, not by `or` or `but`."""
    for part in parts:
        yield part
        joined = [c for c in part.children if c.dep_ == "cc"]
        if all(c.lower_ == "and" for c in joined):
            yield from _each(c for c in part.children if c.dep_ in ("conj", "appos"))


def _name(head: Token) -> list[Token]:
    """A noun or, of a name, all its words."""
    own = (
        [c for c in head.children if c.dep_ in ("compound", "flat") and c.pos_ == "PROPN"]
        if head.pos_ == "PROPN"
        else []
    )
    return [head, *own]


def _phrase(head: Token) -> Iterator[Token]:
    """A noun with what is said of it, without clauses, what is set beside it, and what is excepted."""
    yield head
    for child in head.children:
        if child.dep_ not in _NESTED | {"conj", "cc", "appos", "punct"} and child.lower_ not in EXCEPT:
            yield from _phrase(child)


def _clause(verb: Token) -> list[Token]:
    """The words of a verb's own clause."""
    found = [verb]
    for child in verb.children:
        joined = child.dep_ == "conj" and child.pos_ in ("VERB", "AUX")
        if child.dep_ not in _NESTED and not joined and child.lower_ not in EXCEPT:
            found += _clause(child)
    return found


def _like(preposition: Token) -> str:
    return "in" if preposition.lower_ in _WITHIN else preposition.lower_


def _prepositions(tokens: Iterable[Token]) -> set[str]:
    return {_like(t) for t in tokens if t.pos_ == "ADP"}
