"""Who comes to know what: by being told, or by finding out."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from services.extraction.offline.deltas.change import Change, Ground, confidence
from services.extraction.offline.lexicon import words
from services.extraction.offline.observations import Clause
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.speakers import Utterance

_TELLING: Final = words("tell inform notify apprise assure remind warn")
_SAID_TO: Final = words("tell inform announce confess reveal disclose report")
_FINDING: Final = words("learn discover realise realize")
_THAT: Final = re.compile(r"\s*,?\s+that\s+(?!(?:was|is|were|had|he|she|they|it)\s*[,.;])")
_CLAUSE_END: Final = re.compile(r"[;:?!“”\"]|\.\s|\.$|\n\s*\n")
_NO_STATEMENT: Final = re.compile(
    r"(?i)^(?:oh|ah|no|yes|well|now|come|go|do|don[’']t|let|why|what|who|how|when|where|which|look|listen|pray|please|hush|you\s+must|indeed|nay)\b"
)
_RUNS_ON: Final = re.compile(r",\s+(?:(?:and|but|though|or)\s+)?(?:I|he|she|they|we|it|[a-z]+ed)\b|—|--")
_SHORTEST: Final = 3
_LONGEST: Final = 40


def telling(ground: Ground, utterances: Sequence[Utterance]) -> Iterator[Change]:
    for clause in ground.clauses:
        if clause.verb in _TELLING and not clause.passive:
            yield from _told(ground, clause)
        elif clause.verb in _FINDING and not clause.passive:
            yield from _found_out(ground, clause)
    for utterance in utterances:
        yield from _said(ground, utterance)


def _told(ground: Ground, clause: Clause) -> Iterator[Change]:
    """ "Mara told Tomas that the key was gone"."""
    teller = ground.subject(clause)
    people = [a for a in clause.arguments if a.role in ("patient", "recipient")]
    if teller is None or not people or not ground.real(clause, people[0].span.end):
        return
    knower = ground.person(people[0], teller)
    fact = _fact(ground, clause, people[0].span.end)
    if knower is not None and fact:
        yield _knows(
            knower.figure.name,
            fact[0],
            f"told by {teller.figure.name}",
            fact[1],
            confidence(teller, knower),
            "believes",
        )


def _found_out(ground: Ground, clause: Clause) -> Iterator[Change]:
    knower = ground.subject(clause)
    fact = _fact(ground, clause, _verb_end(ground, clause))
    if knower is not None and fact and ground.real(clause, _verb_end(ground, clause)):
        yield _knows(knower.figure.name, fact[0], "found out", fact[1], confidence(knower), "knows")


def _verb_end(ground: Ground, clause: Clause) -> int:
    """Where the last word of the verb group ends: "had suddenly realised"."""
    end = clause.predicate.start
    for word in re.finditer(r"[\w’']+", ground.text[end : end + 40]):
        if word.group().startswith((clause.verb[:4], "found")):
            return end + word.end()
    return end


def _fact(ground: Ground, clause: Clause, start: int) -> tuple[str, Span] | None:
    """The words after "that", and the span of the clause with them."""
    that = _THAT.match(ground.text, start)
    if that is None:
        return None
    end = _CLAUSE_END.search(ground.text, that.end(), that.end() + 240)
    if end is None:
        return None
    stop = _RUNS_ON.search(ground.text, that.end(), end.start()) or end
    fact = " ".join(ground.text[that.end() : stop.start()].split()).rstrip(" ,—-")
    if not _SHORTEST <= len(fact.split()) <= _LONGEST:
        return None
    return fact, Span(ground.span(clause).start, stop.start())


def _said(ground: Ground, utterance: Utterance) -> Iterator[Change]:
    """ "The ferry is late," Mara told Tomas."""
    hearer = utterance.hearer
    if (
        utterance.verb not in _SAID_TO
        or hearer is None
        or hearer.confidence < 0.75
        or utterance.speaker.confidence < 0.75
    ):
        return
    quote = utterance.quotes[0]
    said = " ".join(ground.text[quote.start : quote.end].strip("“”\"‘’' ").split())
    if said[-1:] in ("?", "!") or _NO_STATEMENT.match(said) or not 4 <= len(said.split()) <= _LONGEST:
        return
    via = f"told by {utterance.speaker.figure.name}"
    yield _knows(
        hearer.figure.name, said.rstrip(" ,.;—-"), via, quote, confidence(utterance.speaker, hearer), "believes"
    )


def _knows(knower: str, fact: str, via: str, span: Span, sure: float, stance: str) -> Change:
    fields: dict[str, Any] = {"knower": knower, "fact": fact, "stance": stance, "learned_via": via}
    return Change("knowledge", fields, span, sure)
