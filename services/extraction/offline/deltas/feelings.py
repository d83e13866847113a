"""What somebody feels, and what one is to another by it: "Mara was afraid of the dark", "she hated Tomas"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.attitudes import REGARD
from services.extraction.offline.deltas.change import Change, Ground, as_it_stands, factual
from services.extraction.offline.lexicon import words
from services.extraction.offline.observations import Standing

_MOODS: Final = words(
    "afraid alarmed amazed angry anxious ashamed astonished astounded bewildered cheerful contented delighted depressed "
    "desperate disappointed disgusted dismayed displeased distressed embarrassed enraged envious excited fearful frantic "
    "frightened furious glad gloomy grateful grieved happy heartbroken heart-broken homesick hopeful horrified humiliated "
    "indignant irritated jealous joyful lonely lonesome melancholy merry miserable mortified nervous offended overjoyed "
    "panic-stricken perplexed pleased proud puzzled relieved remorseful resentful sad satisfied scared shocked sorrowful sorry "
    "startled sulky surprised terrified thankful touched triumphant troubled uneasy unhappy upset vexed worried wretched"
)
_OCCASION: Final = re.compile(r"\w[\w-]*(?:\s++(?:and|but)\s++[\w-]+)?\s++(?:of|at|with|about|for|to|by|in)\s++\w")
_COMPARED: Final = re.compile(r"(?i)\b(?:less|more|than|too|least|enough)\b")
_LONGEST: Final = 9
"""Words of a mood with its occasion."""


def feelings(ground: Ground) -> Iterator[Change]:
    for standing in ground.standings:
        if standing.complement.role == "quality":
            yield from _in_a_mood(ground, standing)
        elif standing.complement.role == "object" and standing.verb in REGARD:
            yield from _regarding(ground, standing)


def _in_a_mood(ground: Ground, standing: Standing) -> Iterator[Change]:
    mood = ground.word(standing.complement.head).lower()
    if mood not in _MOODS or standing.present or not factual(ground.text, standing.span):
        return
    if _COMPARED.search(ground.text, *standing.span):
        return
    who = ground.at(standing.subject, standing.pronoun)
    if who is None:
        return
    whole = " ".join(ground.text[standing.complement.head : standing.complement.span.end].split())
    value = whole if len(whole.split()) <= _LONGEST and whole[-1:].isalpha() and _OCCASION.match(whole) else mood
    fields = {"character": who.figure.name, "attribute": "emotion", "value": value}
    yield as_it_stands(standing, "character_delta", fields, who)


def _regarding(ground: Ground, standing: Standing) -> Iterator[Change]:
    who = ground.at(standing.subject, standing.pronoun)
    whom = ground.person(standing.complement, who)
    if who is None or whom is None or standing.present or not factual(ground.text, standing.span):
        return
    relation, polarity = REGARD[standing.verb]
    fields = {
        "source": who.figure.name,
        "target": whom.figure.name,
        "relation": relation,
        "polarity": polarity,
        "symmetric": False,
    }
    yield as_it_stands(standing, "relationship_delta", fields, who, whom)
