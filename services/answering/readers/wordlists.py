"""English words that tell a place, a time or a feeling."""

from __future__ import annotations

from typing import Final

_LOCATIVE: Final = (
    "in at on into onto to under near from behind through upon over beside inside within toward towards outside beneath below above"
    " between among across along around against beyond"
)
_TIMES: Final = (
    "day night morning evening noon midnight dawn dusk hour minute moment week month year spring summer autumn winter time sunset"
    " sunrise afternoon today tomorrow yesterday monday tuesday wednesday thursday friday saturday sunday january february march april"
    " may june july august september october november december christmas easter midsummer michaelmas"
)
_FEELINGS: Final = (
    "afraid alarmed amazed amused angry annoyed anxious ashamed astonished awful bitter bored calm cheerful confused content"
    " curious delighted depressed desperate despair disappointed discouraged disgusted distressed dreadful eager embarrassed"
    " envious excited fear fearful fond frightened furious glad gloomy grateful grief guilty happy heartbroken helpless hopeful"
    " horrified hurt impatient indignant jealous joy joyful lonely mad melancholy merry miserable nervous overjoyed pleased"
    " proud puzzled rage regret relieved sad satisfied scared shocked shy sick sorrow sorrowful sorry startled surprised"
    " suspicious terrified terror thankful thrilled tired troubled uneasy unhappy upset vexed weary wistful worried wrath"
    " amazement anger appalled astonishment awe bewildered bliss comforted contempt delight disappointment dismay dismayed"
    " dumbfounded enraged enraptured enchanted envy exasperated fury gladness gratitude greedy happiness hatred heartsick hopeless"
    " humiliated indignation irritated jealousy longing love lonesome loved mortified offended pity pleasure pride puzzled rejoiced"
    " relief sadness satisfaction scornful shame stupefied surprise tenderness terrified timid touched unhappiness wonder wretched"
)
LOCATIVE: Final = frozenset(_LOCATIVE.split())
"""Prepositions before a place."""
TIMES: Final = frozenset(_TIMES.split())
FEELINGS: Final = frozenset(_FEELINGS.split())

_IRREGULAR: Final = (
    "arise arose arisen, awake awoke awoken, bear bore borne, beat beaten, become became, begin began begun, bend bent, bind bound,"
    " bite bit bitten, bleed bled, blow blew blown, break broke broken, breed bred, bring brought, build built, burn burnt, buy bought,"
    " catch caught, choose chose chosen, cling clung, come came, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt,"
    " drink drank drunk, drive drove driven, dwell dwelt, eat ate eaten, fall fell fallen, feed fed, feel felt, fight fought, find found,"
    " flee fled, fling flung, fly flew flown, forbid forbade forbidden, forget forgot forgotten, forgive forgave forgiven,"
    " forsake forsook forsaken, freeze froze frozen, get got gotten, give gave given, go went gone, grind ground, grow grew grown,"
    " hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt, know knew known, lay laid, lead led, lean leant,"
    " leap leapt, learn learnt, leave left, lend lent, lie lay lain, light lit, lose lost, make made, mean meant, meet met, pay paid,"
    " ride rode ridden, ring rang rung, rise rose risen, run ran, say said, see saw seen, seek sought, sell sold, send sent, shake shook"
    " shaken, shine shone, shoot shot, show shown, shrink shrank shrunk, sing sang sung, sink sank sunk, sit sat, slay slew slain,"
    " sleep slept, slide slid, smell smelt, speak spoke spoken, spend spent, spill spilt, spin spun, spring sprang sprung, stand stood,"
    " steal stole stolen, stick stuck, sting stung, strike struck stricken, strive strove striven, swear swore sworn, sweep swept,"
    " swim swam swum, swing swung, take took taken, teach taught, tear tore torn, tell told, think thought, throw threw thrown,"
    " tread trod trodden, understand understood, wake woke woken, wear wore worn, weave wove woven, weep wept, win won, wind wound,"
    " wring wrung, write wrote written"
)


def _bases() -> dict[str, str]:
    rows = (row.split() for row in _IRREGULAR.split(","))
    # a form that is itself a verb of the list (lay, fell, found, wound) stays what it is
    pairs = [(form, row[0]) for row in rows for form in row[1:]]
    verbs = {base for _, base in pairs}
    return {form: base for form, base in pairs if form not in verbs}


BASES: Final = _bases()
"""The base of each irregular form of a verb."""
