"""Runs of capitals and definite descriptions in a parsed document, with votes on what they name."""

from __future__ import annotations

import re
import sys
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from spacy.tokens import Doc, Token

from services.extraction.offline.lexicon import (
    GIVEN_NAMES,
    INNER_VERBS,
    MOVING,
    NO_NAMES,
    PARTICLES,
    PERSON_NOUNS,
    RANKS_OF_A_PLACE,
    SPEECH_VERBS,
    SURNAMES_TOO,
    TITLES,
    words,
)
from services.extraction.offline.observations import Observations, Votes
from services.extraction.offline.paragraphs import Span
from services.extraction.offline.quotations import Quotations

_NAME = re.compile(r"^(?:[dlDLO][’'])?[^\W\d_a-z][\w’'.]*$")
_BEFORE_A_SENTENCE = frozenset("“”\"‘'(—–:…«„[*-") | {".", "!", "?", "--", "...", ". . ."}
_QUOTE_MARKS = frozenset("“\"‘'")
_SUBJECTS = ("nsubj", "nsubjpass")
_LABELS = {"PERSON": "person", "GPE": "place", "LOC": "place", "FAC": "place", "ORG": "group"}
# the recogniser takes invented names for one another's sorts, and places of fiction for organisations
_SOMEBODY = frozenset(("me", "him", "her", "us", "you", "them", "myself", "himself", "herself"))
_LABEL_WEIGHT = {"person": 0.7, "place": 1.0, "group": 0.5}
_IN_A_PLACE = frozenset(
    ("in", "at", "near", "towards", "toward", "through", "across", "into", "around", "outside", "aboard")
)
_PARTS_OF_A_PLACE = words(
    "village town city county island kingdom land country neighbourhood neighborhood streets outskirts port coast north "
    "south east west parish planet province district"
)
_MALE = frozenset(("he", "his", "him", "himself"))
_FEMALE = frozenset(("she", "her", "hers", "herself"))
_PARTS_OF_A_NAME = PARTICLES | frozenset(("of", "-", "‐", "‑"))
_NAMES_OF_MONTHS = frozenset(("march", "april", "may", "june", "august"))
_BEFORE_A_SURNAME = words(
    "mr mrs miss ms dr doctor captain colonel major lieutenant sergeant inspector rev sir lady lord squire aunt uncle"
)
_PRONOUN_REACH = 12
"""Words after a name in which a pronoun says its bearer's sex."""
_OF_A_PERSON = frozenset(("with", "by", "for", "beside", "without"))
_TO_A_PERSON = words("give hand lend offer bequeath entrust introduce confide owe pay")
"""Verbs whose "to" is followed by somebody: what is sent or brought may go to a place."""
_TELLING = words("tell assure inform warn remind persuade thank")
"""Verbs of speech whose object is whoever is spoken to, whatever else is told."""
_OBJECTS = {"dobj": _TELLING, "dative": _TELLING | _TO_A_PERSON}


def note_runs(document: Doc, start: int, headings: Sequence[Span], quotations: Quotations, seen: Observations) -> None:
    """Adds the document's runs and descriptions; a heading has capitals of its own and is passed over."""
    for run in _runs(document):
        if _inside(headings, start + run[0].idx):
            continue
        titles = all(bare(token.text) in TITLES for token in run)
        if titles:
            _note_title(run, seen)
            continue
        votes = seen.runs[tuple(token.text for token in run)]
        if _begins_sentence(run[0]):
            votes.initial += 1
        else:
            votes.inner += 1
        votes.told += not quotations.covers(start + run[0].idx)
        head = _root(run).head
        # “Surprising!” said he: what is said is never who says it
        _vote(run, votes, beside=quotations.covers(start + run[0].idx) == quotations.covers(start + head.idx))
        _vote_by_pronoun(run[-1], votes)
    for token in document:
        if token.pos_ == "NOUN" and token.dep_ in _SUBJECTS:
            _note_description(token, seen)


def _inside(spans: Sequence[Span], offset: int) -> bool:
    index = bisect_right(spans, (offset, sys.maxsize)) - 1
    return index >= 0 and offset < spans[index].end


def bare(word: str) -> str:
    """A word in lower case with a plain apostrophe and no abbreviation point: "Mr." and "mr" are one title."""
    return word.lower().rstrip(".").replace("’", "'")


def _runs(document: Doc) -> Iterator[list[Token]]:
    run: list[Token] = []
    joined = 0
    for token in document:
        if token.is_space and "\n\n" not in token.text:
            continue
        if _is_name_word(token):
            run.append(token)
            joined = len(run)
        elif run and _joins(run, token):
            run.append(token)
        elif run:
            yield from _parted(run[:joined])
            run, joined = [], 0
    if run:
        yield from _parted(run[:joined])


def _parted(run: list[Token]) -> Iterator[list[Token]]:
    """The names in a run: a title after a name begins another, and so does a word said twice.

    "Miss Hale Mr. Orlov" are two who are spoken to, with a line's end between.
    """
    start = 0
    for index in range(1, len(run) - 1):
        before = run[index - 1]
        named = not _is_title(before) and before.text not in _PARTS_OF_A_NAME
        if (_is_title(run[index]) and named) or run[index].text == before.text:
            yield from _trimmed(run[start:index])
            start = index
    yield from _trimmed(run[start:])


def _is_title(token: Token) -> bool:
    return bare(token.text) in TITLES


def _is_name_word(token: Token) -> bool:
    text = token.text
    if not _NAME.match(text):
        return False
    if len(text) > 1 and text.isupper() and (not text.endswith(".") or text.count(".") > 1):
        return False
    if token.is_stop or text.lower() in ("i", "o", "i."):
        return bool(token.tag_ == "NNP" and len(text) > 2 and not _begins_sentence(token))
    return True


def _joins(run: list[Token], token: Token) -> bool:
    """Whether a small word or hyphen after `run` may go on inside a name ("Lady Catherine de Bourgh", "Anne-Marie")."""
    following = token.nbor(1) if token.i + 1 < len(token.doc) else None
    if following is None or not following.text[:1].isupper():
        return token.text in PARTICLES and run[-1].text not in PARTICLES and following is not None
    if token.text in ("-", "‐", "‑"):
        return not token.whitespace_ and token.i == run[-1].i + 1 and not run[-1].whitespace_
    if token.text == "of":
        return any(bare(word.text) in RANKS_OF_A_PLACE for word in run)
    return token.text in PARTICLES


def _trimmed(run: list[Token]) -> Iterator[list[Token]]:
    """The run without words at its ends that are no part of a name; nothing where nothing is left."""
    while run and bare(run[0].text) in NO_NAMES and not _begins_a_name(run):
        run = run[1:]
    while run and not _ends_a_name(run) and (bare(run[-1].text) in NO_NAMES or run[-1].text in PARTICLES):
        run = run[:-1]
    if run and len(run) <= 7:
        yield run


def _begins_a_name(run: list[Token]) -> bool:
    """Whether a word that is no name by itself is the first of one: "Lord Voss", and "May Hale", which is no date."""
    word, sort = bare(run[0].text), run[0].ent_type_
    if word in _NAMES_OF_MONTHS:
        return sort == "PERSON" or (len(run) > 1 and sort != "DATE")
    return len(run) > 1 and word in TITLES


def _ends_a_name(run: list[Token]) -> bool:
    """Whether a word that is no name by itself is somebody's surname: "Mrs. March", "Ida Friday"."""
    if len(run) < 2 or bare(run[-1].text) not in SURNAMES_TOO or run[-2].text in _PARTS_OF_A_NAME:
        return False
    before, first = bare(run[-2].text), bare(run[0].text)
    return before in _BEFORE_A_SURNAME or any(word in GIVEN_NAMES and word not in NO_NAMES for word in (before, first))


def _begins_sentence(token: Token) -> bool:
    if token.i == 0 or token.is_sent_start:
        return True
    before = token.nbor(-1)
    while before.is_space and before.i > 0:
        before = before.nbor(-1)
    return before.is_space or before.text in _BEFORE_A_SENTENCE


def _note_title(run: list[Token], seen: Observations) -> None:
    """ "the Count": a title alone names someone only with its article."""
    before = run[0].nbor(-1) if run[0].i else None
    if len(run) != 1 or before is None or before.lower_ != "the":
        return
    description = seen.descriptions[f"the {run[0].text}"]
    description.of_a_person = True
    if run[0].dep_ in _SUBJECTS:
        description.subjects += 1
        description.speeches += run[0].head.lemma_ in SPEECH_VERBS


def _note_description(noun: Token, seen: Observations) -> None:
    words = [noun.text]
    article = False
    for token in reversed(list(noun.lefts)):
        if token.dep_ == "det":
            article = token.lower_ == "the"
        elif token.dep_ in ("amod", "compound") and token.text.islower() and token.text.isalpha():
            words.insert(0, token.text)
        else:
            return
    if not article or noun.tag_ != "NN" or len(words) > 3 or not noun.text.islower():
        return
    mark = _distinguishing_mark(noun) if noun.lemma_ in PERSON_NOUNS else []
    description = seen.descriptions[" ".join(["the", *words, *mark])]
    description.of_a_person = noun.lemma_ in PERSON_NOUNS
    description.subjects += 1
    description.speeches += noun.head.lemma_ in SPEECH_VERBS


def _distinguishing_mark(noun: Token) -> list[str]:
    """The words of "in the grey coat" after "the man"; none where nothing short and plain follows."""
    for child in noun.rights:
        if child.dep_ == "prep" and child.lower_ in ("in", "with") and child.i == noun.i + 1:
            phrase = [token.text for token in noun.doc[child.i : child.right_edge.i + 1]]
            plain = all(word.isalpha() and word.islower() for word in phrase)
            return phrase if plain and 1 < len(phrase) <= 5 and phrase[1] in ("the", "a", "an", "one") else []
    return []


def _vote(run: list[Token], votes: Votes, *, beside: bool) -> None:
    """Adds what the words around the run say; `beside`: it is in the same speech, or narration, as the word it hangs on."""
    first, last = run[0], run[-1]
    votes.proper += last.tag_ == "NNP"
    if bare(first.text) in TITLES and len(run) > 1:
        votes.person += 3.0
    kinds = [_LABELS[token.ent_type_] for token in run if token.ent_type_ in _LABELS]
    if all(token.ent_type_ == "NORP" for token in run):  # "the Slovaks" are neither a person nor a place
        votes.person -= 1.0
        votes.place -= 1.0
    elif kinds:
        kind = kinds[-1]
        setattr(votes, kind, getattr(votes, kind) + _LABEL_WEIGHT[kind])
    if beside:
        _vote_by_syntax(_root(run), votes)
    after = last.nbor(1) if last.i + 1 < len(last.doc) else None
    if after is not None and after.tag_ == "POS":
        votes.person += 0.3
    if after is not None and after.lower_ in ("who", "whom"):
        votes.person += 2.0
    if (
        after is not None
        and after.lower_ == "the"
        and after.i + 1 < len(last.doc)
        and after.nbor(1).lemma_ in PERSON_NOUNS
    ):
        votes.person += 2.0  # "Barrymore the butler"
    before = first.nbor(-1) if first.i else None
    if before is not None and before.text in _QUOTE_MARKS and before.i:
        before = before.nbor(-1)  # "the “Admiral Benbow”"
    if before is not None and before.lower_ == "the":
        votes.person -= 1.0
        votes.articled += 1
    elif before is not None and before.lower_ in ("my", "your", "poor", "dear", "little") and before.text != "Poor":
        votes.person += 0.7


def _vote_by_syntax(root: Token, votes: Votes) -> None:
    head = root.head
    if root.dep_ == "nsubj" and head.pos_ in ("VERB", "AUX"):
        lemma = head.lemma_
        votes.speaks += lemma in SPEECH_VERBS
        votes.person += 2.5 if lemma in SPEECH_VERBS else 1.5 if lemma in INNER_VERBS else 0.4
        votes.person += (
            0.8 if any(c.dep_ in ("dobj", "dative") and c.lower_ in _SOMEBODY for c in head.children) else 0.0
        )
    elif root.dep_ in _OBJECTS and head.lemma_ in _OBJECTS[root.dep_]:
        votes.person += 1.5
    elif root.dep_ == "pobj":
        preposition = head.lower_
        if preposition in _IN_A_PLACE:
            votes.place += 1.0
        elif preposition in _OF_A_PERSON:
            votes.person += 0.4
        elif preposition in ("to", "from"):
            mover = head.head.lemma_
            given = preposition == "to" and _giver(head) in _TO_A_PERSON
            votes.person += 1.0 if given else 0.5 if mover in SPEECH_VERBS else 0.0
            votes.place += 0.0 if given else 0.8 if mover in MOVING else 0.1 if mover in SPEECH_VERBS else 0.4
        elif preposition == "of" and head.head.lower_ in _PARTS_OF_A_PLACE:
            votes.place += 2.0
    elif root.dep_ in ("npadvmod", "intj") and head.pos_ == "VERB":
        votes.person += 0.5


def _giver(to: Token) -> str:
    """The verb that a "to" belongs to, also where the parser has it with what is given ("gave the key to Mara")."""
    head = to.head
    return str((head.head if head.dep_ == "dobj" else head).lemma_)


def _vote_by_pronoun(last: Token, votes: Votes) -> None:
    """The first pronoun after a name, where no other name and no speech comes between, mostly means its bearer."""
    for token in last.doc[last.i + 1 : last.i + _PRONOUN_REACH]:
        word = token.lower_
        if word in _MALE or word in _FEMALE:
            votes.male += word in _MALE
            votes.female += word in _FEMALE
            return
        if token.text in _QUOTE_MARKS or token.text == "”" or token.tag_ == "NNP" or token.is_space:
            return


def _root(run: list[Token]) -> Token:
    """The word of the run that the others hang on."""
    places = {token.i for token in run}
    for token in run:
        if token.head.i not in places or token.head == token:
            return token
    return run[-1]
