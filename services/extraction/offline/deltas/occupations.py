"""What somebody is: "Barrymore, the butler", "the butler, Barrymore", "Mara was a ferrywoman"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from services.extraction.offline.antecedents import Reference
from services.extraction.offline.deltas.change import Change, Ground, as_it_stands, confidence, factual
from services.extraction.offline.lexicon import ENGLISH_FUNCTION_WORDS, PERSON_NOUNS, words
from services.extraction.offline.mentions import Mention
from services.extraction.offline.paragraphs import Span

OCCUPATIONS: Final = words(
    "abbess abbot accountant actor actress admiral agent ambassador apothecary apprentice archaeologist architect artist astronomer "
    "attorney auctioneer author bailiff baker ballad-singer banker barber barman barmaid barrister blacksmith boatman boatswain "
    "bookseller botanist brewer bricklayer bookkeeper butcher butler cabman captain carpenter carrier cashier chaplain chemist clergyman "
    "clerk coachman cobbler colonel commander commissioner composer constable convict cook coroner corporal countess courier "
    "criminal curate customs-officer dairyman dancer deacon dean dentist detective diplomat director doctor draper dressmaker "
    "driver drover duke duchess editor emperor empress engineer engraver executioner explorer farmer ferryman ferrywoman fiddler fireman "
    "fisherman footman forester friar fugitive gambler gamekeeper gaoler gardener general geologist glover goldsmith governess "
    "governor grocer groom guard guardsman guide gunner gunsmith harpooner hatter headmaster headmistress herald herdsman hermit "
    "highwayman historian housekeeper housemaid hunter huntsman innkeeper inspector jailer jester jeweller jeweler joiner journalist "
    "judge juggler king knight laborer labourer lady-in-waiting landlord landlady landowner laundress lawyer lecturer librarian "
    "lieutenant lighthouse-keeper locksmith magician magistrate maid maidservant major manager manservant marquis marshal mason mate "
    "mathematician mayor mechanic merchant midshipman midwife miller milliner miner minister minstrel missionary monk moneylender "
    "mountaineer musician naturalist naval-officer navigator novelist nun nurse nursemaid officer orphan outlaw painter parson pastor "
    "peasant pedlar peddler pharmacist philosopher photographer physician physicist pickpocket pilgrim pilot pirate planter ploughman "
    "plumber poacher poet policeman politician porter postman postmaster postmistress priest priestess prince princess prioress "
    "printer prisoner professor prophet publisher purser queen quartermaster rector reporter sailor saddler schoolmaster schoolmistress "
    "schoolteacher scientist scribe sculptor seaman seamstress secretary seller senator sentry sergeant servant sexton shepherd sheriff "
    "shipbuilder shoemaker shopkeeper shopman singer slave smith smuggler soldier solicitor sorcerer sorceress spinner spy squire "
    "stableman steward stewardess stockbroker stonemason student superintendent surgeon surveyor swineherd tailor tanner teacher thief "
    "tinker tobacconist trader tradesman trapper traveller traveler treasurer troubadour turnkey tutor undertaker usher valet vicar "
    "violinist viscount waiter waitress warden warder washerwoman watchmaker watchman weaver wheelwright widow widower witch wizard "
    "woodcutter woodman workman writer"
)
_WORD: Final = r"[^\W\d_][\w’'-]*"
_NOUN: Final = "|".join(sorted(OCCUPATIONS, key=lambda noun: (-len(noun), noun)))
_NO_QUALITY: Final = "|".join(
    sorted(ENGLISH_FUNCTION_WORDS | PERSON_NOUNS - words("lady fellow") | words("fact named called then how says said"))
)
_WHAT: Final = rf"(?P<what>(?:(?!(?i:{_NO_QUALITY})\b){_WORD}\s++){{0,3}}(?:{_NOUN}))(?![\w’'-])"
_AFTER: Final = re.compile(
    rf",\s++(?:an?|the)\s++{_WHAT}(?P<of>\s++(?:of|at|in|to|from)\s++(?:the\s++)?(?:{_WORD}\s++)?{_WORD})?(?=[,.;:!?)—](?!\s++(?:and|or)\b))"
)
_BEFORE: Final = re.compile(rf"(?<![\w’'])(?:[Tt]he|[Aa]n?)\s++{_WHAT}(?P<named>,?\s++(?:named|called)|,)?\s++$")
_SET_OFF: Final = re.compile(r"[,.;:!?)—](?!\s++(?:and|or)\b)(?!\s++[^\W\d_a-z])")
"""What ends an apposition: no further name, as in a list."""
_GOES_ON: Final = re.compile(
    r"[’']s?(?!\w)|\s++(?:and|or|but|of|with|to|in|at|on|from|for|by|who|whom|whose|was|is|were|are|had|has|said|as|when|while)(?!\w)"
)
_SAID_OF: Final = re.compile(rf"(?:an?|the)\s++{_WHAT}$")
_TO_SOMETHING: Final = re.compile(r"\s++to\b")
_BACK: Final = 80
_UNLIKE: Final = re.compile(
    r"(?i)(?:^|\s)(?:good|bad|great|born|certain|first-rate|poor|such|true|very|better|worse|like|real|perfect|same|other|whole|thorough|regular)(?:\s|$)"
)
"""Words that make a praise or a blame of it, or more than one of them."""


def occupations(ground: Ground) -> Iterator[Change]:
    for mention in ground.mentions.all:
        if mention.figure.type == "character" and not mention.figure.ambiguous:
            yield from _beside(ground, mention)
    for standing in ground.standings:
        of_himself = standing.present and standing.pronoun == "i"  # "I am a slave" is mostly a manner of speaking
        if standing.complement.role != "attribute" or of_himself or not factual(ground.text, standing.span):
            continue
        said = _SAID_OF.match(
            " ".join(ground.text[standing.complement.span.start : standing.complement.span.end].split())
        )
        if _TO_SOMETHING.match(ground.text, standing.complement.span.end):
            continue  # "a slave to drink"
        who = ground.at(standing.subject, standing.pronoun) if said is not None else None
        if said is not None and who is not None and not _UNLIKE.search(said.group("what")):
            yield as_it_stands(standing, "character_delta", _fields(who, said.group("what")), who)


def _beside(ground: Ground, mention: Mention) -> Iterator[Change]:
    """Of what stands before or after a name, in a sentence that need not be about it."""
    after = _AFTER.match(ground.text, mention.span.end)
    if after is not None and not _UNLIKE.search(after.group("what")):
        said = after.group("what") + (after.group("of") or "")
        yield _is(mention, said, Span(mention.span.start, after.end()))
    before = _BEFORE.search(ground.text, max(0, mention.span.start - _BACK), mention.span.start)
    if before is None or _UNLIKE.search(before.group("what")):
        return
    apart = before.group("named") == ","
    if _SET_OFF.match(ground.text, mention.span.end) or (not apart and _is_one_phrase(ground, mention, before)):
        yield _is(mention, before.group("what"), Span(before.start(), mention.span.end))


def _is_one_phrase(ground: Ground, mention: Mention, before: re.Match[str]) -> bool:
    """Whether trade and name are one ("the cook Mara came"), not the beginning of a clause ("the cook Mara hired")."""
    return (
        ground.acts(mention)
        or before.group("named") is not None
        or _GOES_ON.match(ground.text, mention.span.end) is not None
    )


def _is(mention: Mention, said: str, span: Span) -> Change:
    who = Reference(mention.figure, mention.figure.confidence)
    fields = _fields(who, said)
    return Change(
        "character_delta", fields if mention.narrated else {**fields, "modality": "reported"}, span, confidence(who)
    )


def _fields(who: Reference, said: str) -> dict[str, object]:
    return {"character": who.figure.name, "attribute": "occupation", "value": " ".join(said.split())}
