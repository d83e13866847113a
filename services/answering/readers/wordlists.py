"""English words that tell a place, a time or a feeling."""

from __future__ import annotations

from typing import Final

_LOCATIVE: Final = (
    "in at on into onto to under near from behind through upon over beside inside within toward towards outside beneath below above"
    " between among across along around against beyond"
)
_TIMES: Final = (
    "day night morning evening noon midnight dawn dusk hour minute moment week month year spring summer autumn winter time sunset"
    " sunrise afternoon today tomorrow yesterday"
)
_FEELINGS: Final = (
    "afraid alarmed amazed amused angry annoyed anxious ashamed astonished awful bitter bored calm cheerful confused content"
    " curious delighted depressed desperate despair disappointed discouraged disgusted distressed dreadful eager embarrassed"
    " envious excited fear fearful fond frightened furious glad gloomy grateful grief guilty happy heartbroken helpless hopeful"
    " horrified hurt impatient indignant jealous joy joyful lonely mad melancholy merry miserable nervous overjoyed pleased"
    " proud puzzled rage regret relieved sad satisfied scared shocked shy sick sorrow sorrowful sorry startled surprised"
    " suspicious terrified terror thankful thrilled tired troubled uneasy unhappy upset vexed weary wistful worried wrath"
)
LOCATIVE: Final = frozenset(_LOCATIVE.split())
"""Prepositions before a place."""
TIMES: Final = frozenset(_TIMES.split())
FEELINGS: Final = frozenset(_FEELINGS.split())
