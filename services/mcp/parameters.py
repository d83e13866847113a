"""What a model is told of each parameter: the same word means the same in every tool."""

from __future__ import annotations

from typing import Final

DESCRIPTIONS: Final[dict[str, str]] = {
    "a": "the name that stays, or the first of two",
    "alias": "a name that is not this entity's",
    "after": "a position of the log",
    "as_recorded": "as it was believed at this position of the log or ISO 8601 time; without it, now",
    "at": "as of this chapter (a number from 1) or named checkpoint; without it, the last chapter. "
    "Nothing after it is told",
    "b": "the other name, or the second of two",
    "before": "a position of the log",
    "budget": "characters the answer's evidence may have",
    "budget_tokens": "tokens the answer's evidence may have, instead of characters",
    "by": "who asks for it, for the record",
    "chapter": "the number of a chapter, from 1",
    "end": "a chapter or checkpoint: the later one",
    "entity": "an entity, by any of its names",
    "everything": "every revision of the chapter, also the one it has now",
    "force": "also where the parent has moved on since the fork",
    "key": "a state key such as owner(brass key); where a prefix is meant, its beginning, such as owner(",
    "language": "a language tag such as en",
    "method": "how evidence is found: weave, nwm, pons, hybrid, bm25, dense or state",
    "name": "a name",
    "question": "the question, in words",
    "reason": "why, for the record",
    "record": "a record's name, such as 3:o1",
    "records": "what an annotator found in the text; without it the extractor reads it",
    "since": "from this chapter on",
    "start": "a chapter or checkpoint: the earlier one",
    "status": "open, closed, opened, advanced, paid_off or abandoned",
    "story": "the story's id, as `stories` lists it",
    "text": "the text, 1 to 2,000,000 characters",
    "title": "the chapter's title",
    "wait": "answer when the read models include it",
}
