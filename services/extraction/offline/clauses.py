"""Clauses and sayings of the narration, from a parsed document."""

from __future__ import annotations

from collections.abc import Iterator

from spacy.tokens import Doc, Token

from services.extraction.offline.giving import given
from services.extraction.offline.lexicon import NO_EVENT, SPEECH_VERBS, words
from services.extraction.offline.observations import Argument, Clause, Observations, Saying
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations
from services.extraction.offline.tags import SPOKEN
from services.extraction.offline.verbs import (
    LONGEST_CHAIN,
    argument,
    coordinated,
    earlier,
    end_of,
    happens,
    subject_of,
)

PRONOUNS = frozenset(("he", "she", "they", "i", "we", "it", "you"))
_SPOUSES = frozenset(("wife", "husband", "lady"))
_VOICES = frozenset(("voice", "tone", "voices", "answer", "reply", "whisper", "tones"))
_LONGEST_PREDICATE = 220
_WITH_ANOTHER = ("advcl", "acl", "conj", "ccomp", "dep", "xcomp")
_REPORTING = words(
    "say tell reply answer add declare announce assure explain observe remark protest insist inform confess admit"
)
_HEARER_VERBS = frozenset(
    ("ask", "tell", "assure", "beg", "command", "order", "warn", "implore", "entreat", "question")
)


def note_clauses(document: Doc, start: int, quotations: Quotations, seen: Observations) -> None:
    """Adds the clauses and sayings outside direct speech; `start` is where the document begins in the chapter."""
    for token in document:
        if (token.pos_ != "VERB" and token.lower_ != "said") or quotations.covers(start + token.idx):
            continue
        subject = subject_of(token)
        if token.lemma_ in SPOKEN:
            _note_saying(token, subject, start, quotations, seen)
        if subject is None or token.lemma_ in NO_EVENT or quotations.covers(start + subject.idx):
            continue
        if happens(token):
            seen.clauses.append(_clause(token, subject, start, quotations))


def _clause(verb: Token, subject: Token, start: int, quotations: Quotations) -> Clause:
    arguments = tuple(_arguments(verb, start, quotations))
    begin = (
        min([verb, *(c for c in verb.children if c.dep_ in ("aux", "auxpass", "advmod") and c.i < verb.i)]).idx + start
    )
    if begin < start + subject.idx < start + verb.idx:  # an auxiliary or adverb before the subject
        begin = start + verb.idx
    ends = [found.span.end for found in arguments] + [end_of(child) + start for child in _parts(verb)]
    end = min(max([start + verb.idx + len(verb), *ends]), begin + _LONGEST_PREDICATE)
    left = start + subject.left_edge.idx
    own = subject.head == verb and left < begin and begin - left < _LONGEST_PREDICATE
    own = own and not any(q.start < begin for q in quotations.within(Span(left, begin)))
    heads = tuple(start + token.idx for token in coordinated(subject))
    return Clause(
        subjects=heads,
        pronoun=subject.lower_ if subject.lower_ in PRONOUNS and len(heads) == 1 else "",
        verb=verb.lemma_,
        predicate=Span(begin, end),
        span=Span(left if own else begin, end),
        arguments=arguments,
        passive=subject.dep_ == "nsubjpass",
        earlier=earlier(verb),
        says=verb.lemma_ in SPEECH_VERBS and (not arguments or _beside_speech(verb, start, quotations)),
        bare=not ends,
    )


def _beside_speech(verb: Token, start: int, quotations: Quotations) -> bool:
    """Whether a quotation begins or ends within a few words of the verb."""
    offset = start + verb.idx
    return any(quotations.covers(place) for place in range(offset - 30, offset + 60, 5))


def _parts(verb: Token) -> Iterator[Token]:
    """Words that complete the verb itself: "gave up", "began to run", "grew pale"."""
    for child in verb.children:
        if child.i > verb.i and child.dep_ in ("prt", "xcomp", "acomp", "advmod", "attr", "oprd", "ccomp"):
            yield child


def _arguments(verb: Token, start: int, quotations: Quotations, depth: int = 0) -> Iterator[Argument]:
    handed = [part for part in given(verb) if not quotations.covers(start + part.head.idx)]
    for part in handed:
        span = Span(start + part.first.idx, start + end_of(part.head))
        yield Argument(part.role, start + part.head.idx, span, part.preposition)
    for child in verb.children:
        if child.i < verb.i or quotations.covers(start + child.idx):
            continue
        if child.dep_ in ("dobj", "dative", "obj"):
            if handed and child.pos_ != "ADP":
                continue
            heads = [child] if child.pos_ != "ADP" else [c for c in child.children if c.dep_ == "pobj"]
            role = "patient" if child.dep_ != "dative" else "recipient"
            yield from (argument(role, token, start) for head in heads for token in coordinated(head))
        elif child.dep_ in ("prep", "agent"):
            yield from _prepositional(child, start)
        elif child.dep_ == "xcomp" and depth < 3:
            yield from _arguments(child, start, quotations, depth + 1)


def _prepositional(preposition: Token, start: int, depth: int = 0) -> Iterator[Argument]:
    word = preposition.lower_
    role = {"with": "companion", "to": "recipient"}.get(word, "oblique") if preposition.dep_ != "agent" else "agent"
    for child in preposition.children:
        if child.dep_ == "pobj":
            yield from (argument(role, token, start, word) for token in coordinated(child))
        elif child.dep_ == "prep" and depth < 3:  # "out of the house", "up to the door"
            yield from _prepositional(child, start, depth + 1)


def _note_saying(verb: Token, subject: Token | None, start: int, quotations: Quotations, seen: Observations) -> None:
    subject = _agent(verb) or subject
    if subject is None or quotations.covers(start + subject.idx):  # speech is often parsed as the verb's subject
        subject = _neighbour(verb) or _governing(verb)
    if subject is None or quotations.covers(start + subject.idx):
        return
    subject = _behind(subject)
    pronoun = subject.lower_ if subject.lower_ in PRONOUNS else ""
    spouse = subject.lower_ in _SPOUSES and any(child.lower_ in ("his", "her") for child in subject.lefts)
    hearer = _hearer(verb, start)
    seen.sayings.append(Saying(verb.lemma_, start + verb.idx, start + subject.idx, pronoun, hearer, spouse))


def _agent(verb: Token) -> Token | None:
    """Who does what a passive verb tells: "she was interrupted by Mara"."""
    by = next((child for child in verb.children if child.dep_ == "agent"), None)
    return next((child for child in by.children if child.dep_ == "pobj"), None) if by is not None else None


def _behind(subject: Token) -> Token:
    """Whoever speaks by a word that only stands for him: "Mara, who said", "Mara's voice said"."""
    if subject.lower_ in ("who", "which", "that"):
        for verb in subject.ancestors:
            if verb.dep_ == "relcl":
                return verb.head
    if subject.lower_ in _VOICES:
        return next((child for child in subject.children if child.dep_ == "poss"), subject)
    return subject


def _neighbour(verb: Token) -> Token | None:
    """Who stands beside a verb of speech that was parsed without subject: ‘,” returned she’."""
    for offset in (1, -1):
        place = verb.i + offset
        if 0 <= place < len(verb.doc):
            token = verb.doc[place]
            if token.pos_ == "PROPN" or token.lower_ in ("he", "she", "i"):
                return token
    return next((child for child in verb.children if child.dep_ == "dobj" and child.i > verb.i), None)


def _governing(participle: Token) -> Token | None:
    """The subject of what a participle goes with: "Mara replied that he was late, adding, “…”" is of Mara."""
    if participle.tag_ != "VBG":
        return None
    verb = participle
    for _ in range(LONGEST_CHAIN):
        if verb.dep_ not in _WITH_ANOTHER:
            return None
        verb = verb.head
        own = subject_of(verb)
        if own is not None:
            told = verb.dep_ == "ccomp" and participle.dep_ != "xcomp" and verb.head.lemma_ in _REPORTING
            return (subject_of(verb.head) if told else None) or own
    return None


def _hearer(verb: Token, start: int) -> int | None:
    for child in verb.children:
        if child.i < verb.i:
            continue
        if (
            child.dep_ in ("dobj", "dative")
            and verb.lemma_ in _HEARER_VERBS
            and child.pos_ in ("PROPN", "PRON", "NOUN")
        ):
            return start + child.idx
        if child.dep_ in ("prep", "dative") and child.lower_ == "to":
            for grandchild in child.children:
                if grandchild.dep_ == "pobj":
                    return start + grandchild.idx
    return None
