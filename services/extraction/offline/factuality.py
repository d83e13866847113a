"""Whether an English verb is told as a fact: by its adverbs, its own denial, and by what governs it (Saurí and Pustejovsky 2009).

What somebody says, thinks, doubts or dreams, what is planned, refused or forgotten, and what nearly happened is no fact. What
somebody finds out, sees or manages is one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from services.extraction.offline.lexicon import words

if TYPE_CHECKING:
    from spacy.tokens import Token

_HEDGES: Final = words(
    "perhaps maybe possibly probably apparently supposedly allegedly reportedly presumably seemingly nearly almost hardly scarcely"
    " barely rarely seldom"
)
_DREAMS: Final = words(
    "dream nightmare daydream vision imagination fancy play story tale novel painting picture song legend ballad poem myth fable opinion"
    " view version account report"
)
"""In what nothing is so for being told: dreams, tales, opinions."""
_DENYING: Final = words("no none nobody nothing neither nor never cannot few")
_MODALS: Final = words("would could might should shall will must may can ca wo 'd 'll ’ll")
_SUPPOSING: Final = words("if unless lest whether though")
_FINDING_OUT: Final = words(
    "know learn discover find realise realize see notice hear remember forget regret show prove perceive recognise recognize observe"
    " understand happen reveal confess admit make let have watch feel help"
)
"""Verbs whose clause is so: what somebody finds out, brings about, owns up to, or sees happen."""
_CARRYING_OUT: Final = words(
    "manage begin start continue go come get proceed help make let see hear watch have cause keep stop finish succeed remember dare"
    " happen turn use bother hasten hurry choose rush set"
)
"""Verbs that are done by doing what they govern."""
_ABLE: Final = words("able glad happy sorry pleased surprised ashamed quick first last")
_BY: Final = words("by after in on upon while before")
_SORRY: Final = words("thank forgive pardon apologise apologize repent")
_SAYING: Final = words(
    "say tell think believe suppose claim declare swear fear hope imagine fancy dream pretend lie deny doubt wonder ask reply answer"
    " suspect report rumour assume guess expect wish boast insist protest cry shout whisper write"
)
_SAID: Final = words(
    "rumour rumor story tale belief idea notion thought fear hope suspicion claim report lie suggestion dream proof evidence"
)
"""Nouns of which a clause says only what is told or thought: the rumour that he had fled."""
_GOING: Final = words("go come leave depart return start sail travel move marry")
_LONGEST: Final = 12
"""Verbs above a verb that are looked at."""


def takes_back(word: Token) -> bool:
    """Whether a word is one that takes back what is told: `nearly`, `perhaps`, a dream."""
    return word.lower_ in _HEDGES or (word.lemma_.lower() in _DREAMS and word.i > 0 and word.head.lower_ == "in")


def is_hedged(verb: Token) -> bool:
    """Whether an adverb or a phrase takes it back: *nearly* killed, *perhaps* hid, killed *in a dream*."""
    if any(
        child.lower_ in _HEDGES for child in verb.children if child.dep_ in ("advmod", "mark", "neg", "dep", "intj")
    ):
        return True
    first = verb.sent[0]
    if first.lower_ in _HEDGES and first.i < verb.i and verb.dep_ in ("ROOT", "ccomp", "conj"):
        return True
    if verb.i and verb.nbor(-1).lower_ in _HEDGES:
        return True
    if any(child.lower_ == "according" for child in verb.children):
        return True
    if verb.dep_ in ("relcl", "acl") and verb.head.lemma_.lower() in _DREAMS:  # a tale in which he dies
        return any(child.dep_ == "prep" or child.dep_ == "mark" for child in verb.children)
    return any(_is_in_a_dream(child) for child in verb.children)


def _is_in_a_dream(preposition: Token) -> bool:
    if preposition.dep_ != "prep" or preposition.lower_ != "in":
        return False
    return any(child.dep_ == "pobj" and child.lemma_.lower() in _DREAMS for child in preposition.children)


def is_denied(verb: Token) -> bool:
    """Whether it is said not to happen, by itself, its subject or its object: *nobody* came, saw *no* ship, *neither* wept."""
    if any(child.dep_ == "neg" or child.lower_ in ("never", "cannot") for child in verb.children):
        return True
    if any(child.lower_ in ("neither", "nor") for child in verb.children):
        return True
    nouns = [c for c in verb.children if c.dep_ in ("nsubj", "nsubjpass", "dobj", "obj", "attr", "dative", "agent")]
    if any(noun.lower_ in _DENYING or any(c.lower_ in _DENYING for c in noun.children) for noun in nouns):
        return True
    if verb.dep_ == "xcomp":  # `did not manage to`
        return is_denied(verb.head)
    return verb.dep_ == "conj" and verb.tag_ == "VB" and is_denied(verb.head)


def is_fact(verb: Token) -> bool:
    """Whether what a verb tells is told as so or, if it is denied, as not so."""
    for _ in range(_LONGEST):
        if is_hedged(verb) or any(_supposes(child) for child in verb.children):
            return False
        if any(child.dep_ == "aux" and child.lower_ in _MODALS and child.tag_ == "MD" for child in verb.children):
            return False
        if not _is_borne_out(verb) or _is_going(verb):
            return False
        above = verb.head
        if above == verb or verb.dep_ == "ROOT":
            return True
        if verb.dep_ in ("prep", "agent") or above.pos_ not in ("VERB", "AUX", "ADJ"):
            above = next((t for t in verb.ancestors if t.pos_ in ("VERB", "AUX")), above)
        verb = above
    return True


def _is_going(verb: Token) -> bool:
    """Whether somebody only is about to go: `was going to Rome in the morning`."""
    being = any(child.dep_ == "aux" and child.lemma_.lower() == "be" for child in verb.children)
    return verb.tag_ == "VBG" and being and verb.lemma_.lower() in _GOING


def _supposes(child: Token) -> bool:
    return child.dep_ in ("mark", "advmod") and child.lower_ in _SUPPOSING


def _is_borne_out(verb: Token) -> bool:
    """Whether what governs a verb leaves it a fact."""
    head, lemma = verb.head, verb.head.lemma_.lower()
    infinitive = any(child.lower_ == "to" and child.dep_ == "aux" for child in verb.children)
    gerund = verb.tag_ == "VBG" or any(c.tag_ == "VBG" and c.dep_ in ("aux", "auxpass") for c in verb.children)
    match verb.dep_:
        case "ccomp":
            return _is_content_a_fact(verb, gerund)
        case "xcomp":
            if infinitive and lemma == "have":
                return False  # what one has to do, or has yet to
            if head.pos_ == "ADJ":
                return lemma in _ABLE and not any(child.lower_ == "too" for child in head.children)
            return lemma in _CARRYING_OUT or not (infinitive or gerund)
        case "pcomp":
            return head.lower_ in _BY or (head.lower_ == "for" and head.head.lemma_.lower() in _SORRY)
        case "advcl" if infinitive:
            return False  # what one does it for
        case "acl" | "relcl":
            that = any(child.dep_ == "mark" or child.lower_ == "that" for child in verb.children)
            return not infinitive and not (lemma in _SAID and that)
    return True


def _is_content_a_fact(verb: Token, gerund: bool) -> bool:
    """Of what stands as the object of a verb, or beside it: `saw that he fled`, `Tom fled, Ada hid`."""
    head, lemma = verb.head, verb.head.lemma_.lower()
    if gerund and lemma not in _CARRYING_OUT | _FINDING_OUT:
        return False  # `escaped being hanged`
    if lemma == "have" and any(child.dep_ == "dobj" for child in head.children):
        return False  # `rumour had it that`
    before = verb.i < head.i and not any(child.dep_ == "mark" for child in verb.children)
    follows = any(child.dep_ in ("nsubj", "nsubjpass") and child.i > verb.i for child in head.children)
    return lemma in _FINDING_OUT or (before and follows and head.pos_ == "VERB" and lemma not in _SAYING)
