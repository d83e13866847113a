"""Joining the names of a chapter's people: which of them are one figure.

Two names are joined only where nobody else could be meant and the chapter does not tell them apart (`company`). Mr. and Mrs. of
one surname are different people; a bare surname is the one man of that surname; a given name is the one person who bears
it; "Miss Hale" is Mary Hale where she is the only one and nobody calls her "Miss Mary", as one calls a younger sister.
"Mrs. Hale" may be her mother and stays apart but where the narration has both names in full. Which "Mr. Voss" may be a brother of
John Voss is in `namesakes`.
"""

from __future__ import annotations

from collections.abc import Sequence

from services.extraction.offline.company import Company
from services.extraction.offline.displaying import by_surname, display, is_initial
from services.extraction.offline.figures import Figure
from services.extraction.offline.lexicon import (
    BEFORE_A_GIVEN_NAME,
    FEMALE_NAMES,
    FEMALE_TITLES,
    MALE_TITLES,
    PARTICLES,
)
from services.extraction.offline.names import Gender, Name
from services.extraction.offline.namesakes import Namesakes
from services.extraction.offline.nicknames import called_so_in_speech, calls_a_wife, short_for
from services.extraction.offline.observations import Surface

_ANY_MAN = frozenset(("mr", "dr", "squire", "farmer", "lawyer", "parson", "shepherd"))
_NOT_WITHOUT_TITLE = frozenset(("lady", "lord", "dame"))
"""Whom nobody calls by the given name alone."""
_WOMAN = frozenset(("mrs", "miss"))
_OFTEN = 3
"""Uses of a name after which somebody else of the family would have been named beside it."""
_SIDE_BY_SIDE = 3
"""Uses of two names in the narration, which has one name for a man and not two."""


class Joining:
    """Places names one by one, the fullest first, with the figures already there."""

    def __init__(self, company: Company, namesakes: Namesakes | None = None) -> None:
        self._company = company
        self._namesakes = namesakes or Namesakes({}, {}, frozenset())
        self.figures: list[Figure] = []
        self._uses: dict[Surface, int] = {}
        self._told: dict[Surface, int] = {}

    def place(self, names: Sequence[Name]) -> list[Figure]:
        self._uses = {name.tokens: name.votes.total for name in names}
        self._told = {name.tokens: name.votes.told for name in names}
        for name in sorted((n for n in names if len(n.rest) > 1), key=lambda n: (-len(n.rest), n.tokens)):
            self._full(name)
        self._sexes_of_given_names(names)
        # "Miss Eliza" before "Miss Bennet", who is not she
        titled = [n for n in names if len(n.rest) == 1 and n.title]
        for name in sorted(titled, key=lambda n: (is_initial(n), n.rest[0].lower() not in FEMALE_NAMES, n.tokens)):
            self._join(name, self._begun_with(name) if is_initial(name) else self._titled(name))
        for figure in self.figures:
            figure.elder = self._namesakes.elder(figure, self.figures)
        for name in sorted((n for n in names if len(n.rest) == 1 and not n.title), key=lambda n: n.tokens):
            self._bare(name)
        self._short_forms()
        by_surname(self.figures)
        return self.figures

    def _join(self, name: Name, candidates: Sequence[Figure]) -> None:
        if len(candidates) != 1:
            self.figures.append(_figure(name))
            return
        _absorb(candidates[0], name)

    # -- names of several words ---------------------------------------------------------------------------------------

    def _full(self, name: Name) -> None:
        """Joins a name of several words with the one figure whose longer name begins or ends with it."""
        size = len(name.rest)
        parts = [(f, (f.full, f.full[:size], f.full[-size:], f.full[:1] + f.full[-1:])) for f in self.figures]
        fitting = [f for f, forms in parts if name.rest in forms and not _differ(name, f)]
        if name.titles and name.rest[0].lower() in PARTICLES:  # "Miss de Bourgh": a title and a surname
            fitting = [f for f in fitting if f.full == name.rest] or [f for f in fitting if _same_man(name, f)]
        if not fitting:
            fitting = [f for f in self.figures if self._short_of_given(name, f)]
        self._join(name, fitting)

    def _sexes_of_given_names(self, names: Sequence[Name]) -> None:
        """Gives a figure the sex of its given name used alone: "Verity" is a she, so Verity Orme is not "Mr. Orme"."""
        alone: dict[Surface, Gender] = {
            name.rest: name.gender for name in names if len(name.rest) == 1 and not name.titles
        }
        for figure in self.figures:
            figure.gender = figure.gender or alone.get(figure.full[:1], "")

    def _short_of_given(self, name: Name, figure: Figure) -> bool:
        """Whether "Lizzie Hale" is Elizabeth Hale. Of men it is not said: a son often bears his father's name."""
        if name.rest[1:] != figure.full[1:] or _differ(name, figure) or "male" in (name.gender, figure.gender):
            return False
        given = {name.rest[0].lower(), figure.full[0].lower()}
        return any(short_for(word) & given for word in given) and not self._company.apart(name, figure)

    # -- a title and one word -----------------------------------------------------------------------------------------

    def _titled(self, name: Name) -> list[Figure]:
        """Whom "Mr. Darcy" or "Lady Catherine" may name, among those already found."""
        word = name.rest[0]
        same = [f for f in self.figures if any(n.rest == name.rest and n.title == name.title for n in f.names)]
        if same:
            return same
        if name.title in BEFORE_A_GIVEN_NAME or name.title == "mrs":
            given = [f for f in self.figures if len(f.full) > 1 and f.full[0] == word and not _differ(name, f)]
            if given:
                return given
        if name.title == "mr" and not any(f.full[-1:] == (word,) for f in self.figures):
            given = [f for f in self.figures if f.full[:1] == (word,) and any(_mister(n) for n in f.names)]
            if given:  # as servants say "Mr. Edmund" of Mr. Edmund Voss
                return given
        if name.title in FEMALE_TITLES:
            return self._ladies(name) if name.title in _WOMAN else []
        bearers = [f for f in self.figures if f.full[-1:] == (word,) and f.gender != "female"]
        titled = [
            f
            for f in bearers
            if any(other.title == name.title for other in f.names)
            and _same_man(name, f)
            and not (name.title == "mr" and self._company.apart(name, f))
            and not self._namesakes.in_doubt(name, f)
        ]
        if len(titled) == 1:
            return titled
        fitting = bearers if len(bearers) == 1 and not self._namesakes.in_doubt(name, bearers[0]) else []
        if self._namesakes.called_by_surname(word):  # whom the narration calls Orlov is a man, whatever a Tavish may be
            return [f for f in fitting if _same_man(name, f) or not f.gender]
        return [f for f in fitting if _same_man(name, f) and self._may_be(name, f) and not short_for(f.full[0].lower())]

    def _begun_with(self, name: Name) -> list[Figure]:
        """Whom "Mr. E." may mean: those of that title whose surname begins so."""
        letter = name.rest[0][0]
        return [f for f in self.figures if any(n.title == name.title and n.rest[-1][0] == letter for n in f.names)]

    def _ladies(self, name: Name) -> list[Figure]:
        """The one woman of a surname whose given name the chapter has, where a Miss can only be she."""
        bearers = [f for f in self.figures if len(f.full) > 1 and f.full[-1] == name.rest[0] and f.gender != "male"]
        women = [f for f in bearers if f.gender == "female"]
        new = [f for f in women if self._namesakes.introduced(name, f) and not any(_miss_given(o) for o in f.names)]
        if name.title == "miss" and len(new) == 1 and not self._company.apart(name, new[0]):
            return new
        if len(women) != 1 or len(bearers) != 1:
            return []
        titles = {other.title for other in women[0].names} & _WOMAN
        if titles == {name.title} == {"mrs"}:  # "Mrs. Aldous Reed" is "Mrs. Reed" for short
            return women
        if name.title == "mrs":
            return women if self._is_wife(name, women[0], titles) else []
        # "Miss Elizabeth" is not "Miss Bennet", who is the eldest
        if any(other.title for other in women[0].names):
            return []
        if self._alone_of_her_family(name, women[0]):
            return women
        if not self._may_be(name, women[0]):
            return []
        return [] if self._namesakes.in_doubt(name, women[0]) else women

    def _alone_of_her_family(self, name: Name, woman: Figure) -> bool:
        """Whether only those who speak say "Miss Hale", the narration has Mary Hale, and nobody else of that surname is named."""
        family = {tokens for tokens in self._uses if tokens[-1] == name.rest[-1]}
        own = {other.tokens for other in woman.names} | {name.tokens}
        told = any(other.votes.told for other in woman.names)
        return family <= own and told and not name.votes.told and not self._company.apart(name, woman)

    def _is_wife(self, name: Name, woman: Figure, titles: set[str]) -> bool:
        """Whether "Mrs. Hale" is Mary Hale and not her mother.

        The narration has both names often enough to put one beside the other, and a daughter would be Mary for short.
        """
        full = sum(self._told.get(other.tokens, 0) for other in woman.names if len(other.rest) > 1)
        return min(full, name.votes.told) >= _OFTEN and "miss" not in titles and not self._company.apart(name, woman)

    def _may_be(self, name: Name, figure: Figure) -> bool:
        """Whether the chapter does not tell the two apart, though it names both often enough that it would.

        One whose given name nobody uses alone needs no such proof: he is introduced once and then called by his surname.
        """
        by_given_name = self._uses.get(figure.full[:1], 0)
        return not self._company.apart(name, figure) and (by_given_name == 0 or name.votes.total >= _OFTEN)

    # -- one word -----------------------------------------------------------------------------------------------------

    def _bare(self, name: Name) -> None:
        word = name.rest[0]
        given = [
            f
            for f in self.figures
            if len(f.full) > 1 and f.full[0] == word and not _not_called_so(f) and not f.names[0].epithet
        ]
        # "Lady Catherine", "Aunt Polly": the word after such a title is a given name as often as not
        given += [f for f in self.figures if f.full == (word,) and any(_before_a_given_name(n) for n in f.names)]
        given = [f for f in given if not _other_sex(name, f) and not _formal(f, name) and not f.elder]
        surname = [f for f in self.figures if f.full[-1:] == (word,) and f not in given and not _other_sex(name, f)]
        men = [f for f in surname if f.gender != "female"]
        if men:  # then "Miss Bingley" bears a surname
            given = [f for f in given if len(f.full) > 1 or f.gender != "female"]
        # of a name used a hundred times some speech is given to the wrong speaker
        likely = [f for f in given + men if not self._company.apart(name, f, max(3, name.votes.total // 10))]
        one_given = len(given) == 1 and not men
        if one_given or (not given and len(men) == 1 and (len(surname) == 1 or _surely_a_man(men[0]))):
            self._join(name, likely)
        elif len(given) + len(surname) > 1 and (given or men):
            self.figures.append(_figure(name, tuple(sorted(f.name for f in given + surname))))
        else:
            self.figures.append(_figure(name))

    def _short_forms(self) -> None:
        """Joins a figure that is only a short form of a given name with the one who bears the full form."""
        for figure in list(self.figures):
            others = [f for f in self.figures if f is not figure and not f.ambiguous and not _not_called_so(f)]
            name, *more = figure.names
            meant = calls_a_wife(figure, others) or (called_so_in_speech(name, others) if not more else [])
            if not figure.ambiguous and len(meant) == 1:
                shown = meant[0].name
                for each in figure.names:
                    _absorb(meant[0], each)
                meant[0].name = shown
                self.figures.remove(figure)


def _miss_given(name: Name) -> bool:
    """Whether it is what one calls a younger sister ("Miss Eliza")."""
    return bool(name.title) and len(name.rest) == 1


def _mister(name: Name) -> bool:
    return name.title == "mr" and len(name.rest) > 1


def _other_sex(name: Name, figure: Figure) -> bool:
    return bool(name.gender and figure.gender and name.gender != figure.gender)


def _differ(name: Name, figure: Figure) -> bool:
    if _other_sex(name, figure):
        return True
    if name.title == "mrs" and not figure.gender and len(figure.full) > 1 and len(name.rest) > 1:
        return True  # "Mrs. Aldous Reed" is Aldous Reed's wife
    return name.title in _WOMAN and any(o.title in _WOMAN and o.title != name.title for o in figure.names)


def _same_man(name: Name, figure: Figure) -> bool:
    titles = {other.title for other in figure.names} - {""}
    formal = [other for other in figure.names if other.title == "mr" and len(other.rest) > 1]
    plain = any(not other.titles and len(other.rest) > 1 for other in figure.names)
    if name.title == "mr" and formal and not plain:
        return False  # "Mr. John Voss" is called so to tell him from "Mr. Voss", his elder brother
    if titles:
        return name.title in titles or (name.title in _ANY_MAN and titles <= _ANY_MAN)
    if name.title in FEMALE_TITLES or figure.gender == "female":
        return False
    return figure.gender == "male" or name.title not in MALE_TITLES


def _before_a_given_name(name: Name) -> bool:
    """Whether the word after the title may well be a given name: with a Miss it is one where it is known as such."""
    if name.title == "miss":
        return name.rest[0].lower() in FEMALE_NAMES
    return name.title in BEFORE_A_GIVEN_NAME - _NOT_WITHOUT_TITLE


def _surely_a_man(figure: Figure) -> bool:
    return figure.gender == "male" or any(name.title for name in figure.names)


def _formal(figure: Figure, name: Name) -> bool:
    """Whether the narration calls the figure by title and surname, so that the given name it has as well is somebody else's."""
    formal = sum(n.votes.told for n in figure.names if n.title == "mr" and len(n.rest) == 1)
    return len(figure.full) > 1 and min(formal, name.votes.told) >= _SIDE_BY_SIDE


def _not_called_so(figure: Figure) -> bool:
    """Whether nobody calls the figure by the first word of its name: lords and ladies, and "Mrs. John Reed"."""
    husbands = all(name.title == "mrs" and name.rest[0].lower() not in FEMALE_NAMES for name in figure.names)
    return husbands or all(name.title in _NOT_WITHOUT_TITLE for name in figure.names)


def _absorb(figure: Figure, name: Name) -> None:
    figure.names.append(name)
    figure.surfaces.append(name.tokens)
    figure.gender = figure.gender or name.gender
    figure.name = display(figure.names)
    figure.confidence = max(figure.confidence, name.confidence)


def _figure(name: Name, ambiguous: tuple[str, ...] = ()) -> Figure:
    confidence = min(0.4, name.confidence) if ambiguous else name.confidence
    # "Mr. John Voss" is called so to tell him from "Mr. Voss"
    shown = name.text if name.type != "character" or name.title in ("mr", "mrs", "miss") else display([name])
    return Figure(shown, name.type, [name.tokens], [name], name.gender, confidence, ambiguous)


def joined(names: Sequence[Name], candidates: Sequence[Figure], figures: list[Figure]) -> None:
    """Gives the names to the one candidate, or makes a new figure of each."""
    for name in names:
        if len(candidates) == 1:
            _absorb(candidates[0], name)
        else:
            figures.append(_figure(name))
