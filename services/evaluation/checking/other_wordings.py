"""Further wordings of the same contradictions, and of what only looks like them: written before any check was mended on a miss.

No word that a check goes by was chosen on these; they say how it does on wordings that it was not made for.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from services.auditing.checking import findings as kinds
from services.evaluation.checking.casting import Cast, Made, ignorant, pair, tellable, worded
from services.evaluation.checking.edits import Paragraph, at, event, knows, lies, owns, related, speaks, thread


def other_paragraphs(cast: Cast, random: Random) -> Iterator[Paragraph]:
    """One contradiction and one clean paragraph in every further wording that the cast has the material for."""
    yield from worded(cast, random, _WORDINGS)


def _dead(cast: Cast, random: Random) -> Iterator[Made]:
    d, (a, b) = random.choice(cast.dead), pair(cast, random, *cast.dead)
    yield (f"The door opened, and {d} looked in. {a} did not even turn.", (event(f"{d} looks in.", d),))
    yield (
        f"{a} met {d} on the bridge towards evening, with a basket.",
        (event(f"{a} and {d} meet on the bridge.", a, d),),
    )
    yield (f"All through supper {d} was sulky.",
           ({"kind": "character_delta", "character": d, "attribute": "emotion", "value": "sulky"},))  # fmt: skip
    yield (f"{b} and {d} were playing draughts when the lamp went out.", (event(f"{b} and {d} play draughts.", b, d),))


def _dead_clean(cast: Cast, random: Random) -> Iterator[Made]:
    d, (a, b) = random.choice(cast.dead), pair(cast, random, *cast.dead)
    yield (
        f"{a} laid a sprig of rosemary on the grave of {d}.",
        (event(f"{a} brings rosemary to the grave of {d}.", a),),
    )
    yield (f"{b} often thought of {d}, and of the songs of those evenings.", (event(f"{b} thinks of {d}.", b),))
    yield (f"“I met {d} in a dream,” said {a}.", (speaks(a, b, "tells", f"{a} tells a dream of {d}."),))
    yield (f"It was the chair in which {d} used to sit, and {b} would not have it moved.",
           (event(f"{b} keeps the chair.", b),))  # fmt: skip


def _owned(cast: Cast, random: Random) -> Iterator[Made]:
    (o, x), y = random.choice(cast.owned), ""
    y, z = pair(cast, random, x, *cast.dead)
    yield (f"{y} took the {o} from its hook, where it had always hung, and polished it.", (owns(o, y),))
    yield (f"The {o} was {z}’s, and had been from the first.", (owns(o, z),))
    yield (f"{z} never went anywhere without the {o} in a coat pocket.", (owns(o, z),))
    yield (f"{y} was wearing the {o} that morning.", (event(f"{y} wears the {o}.", y),))


def _owned_clean(cast: Cast, random: Random) -> Iterator[Made]:
    o, x = random.choice(cast.owned)
    y, z = pair(cast, random, x, *cast.dead)
    yield (f"{z} had never set eyes on the {o}.", (event(f"{z} has not seen the {o}.", z),))
    yield (f"{x} lent {y} the {o} for the day.", (owns(o, y),))
    yield (
        f"“Whose is the {o}?” asked {y}. “Not yours,” said {z}.",
        (speaks(y, z, "asks", f"{y} asks whose the {o} is."),),
    )
    yield (f"{x} held the {o} tight, and {y} saw it.", (event(f"{x} holds the {o}.", x),))


def _placed(cast: Cast, random: Random) -> Iterator[Made]:
    p, _ = pair(cast, random, *cast.dead)
    one, other = random.sample(cast.places, 2)
    yield (f"{p} was at {one} at midnight. At midnight, too, {p} was at {other}, and wide awake.",
           (at(p, one, quote=f"{p} was at {one}"), at(p, other, quote=f"{p} was at {other}")))  # fmt: skip
    yield (f"{p} lay in bed at {one}. In the same minute {p} knelt at {other} and lit a match.",
           (at(p, one, quote=f"{p} lay in bed at {one}"), at(p, other, quote=f"{p} knelt at {other}")))  # fmt: skip
    if cast.lying:
        o, place = random.choice(cast.lying)
        elsewhere = next(each for each in random.sample(cast.places, len(cast.places)) if each != place)
        yield (f"The {o} was lying at {elsewhere}, as it did every day.", (lies(o, elsewhere),))


def _placed_clean(cast: Cast, random: Random) -> Iterator[Made]:
    p, q = pair(cast, random, *cast.dead)
    one, other = random.sample(cast.places, 2)
    yield (f"{p} stayed at {one}. {q} waited at {other} and grew cold.", (at(p, one), at(q, other)))
    yield (f"{p} lay at {one} and thought of {other}.", (at(p, one),))
    yield (f"{p} stood at {one} in the forenoon. In the evening {p} stood at {other}.",
           (at(p, one, quote=f"{p} stood at {one}"), at(p, other, quote=f"{p} stood at {other}")))  # fmt: skip


def _known(cast: Cast, random: Random) -> Iterator[Made]:
    fact, x = random.choice(tellable(cast))
    k, m = random.sample(ignorant(cast, fact, x), 2)
    yield (f"{k} knew well enough that {fact}.", (knows(k, fact),))
    yield (f"“But {fact},” {m} put in, “and there’s an end of it.”", (knows(m, fact),))
    yield (f"{k} had no doubt of it whatever. {fact}.", (knows(k, fact, quote="had no doubt of it whatever"),))


def _known_clean(cast: Cast, random: Random) -> Iterator[Made]:
    fact, x = random.choice(tellable(cast))
    k, m = random.sample(ignorant(cast, fact, x), 2)
    yield (f"{m} had no notion that {fact}.", (knows(m, fact, stance="unaware"),))
    yield (f"“Can it be true that {fact}?” asked {k}.", (knows(k, fact, stance="suspects"),))
    yield (f"A boy brought {k} word of it at dawn: {fact}.", (knows(k, fact, learned_via="a boy brings word"),))


def _tied(cast: Cast, random: Random) -> Iterator[Made]:
    for a, b, polarity in random.sample(cast.ties, min(2, len(cast.ties))):
        if polarity > 0:
            yield f"{a} had always detested {b}, and did so still.", (related(a, b, "detests", -0.8),)
            yield f"There was nothing but spite between {a} and {b}.", (related(a, b, "spite", -0.7),)
        else:
            yield f"{a} was devoted to {b}.", (related(a, b, "devoted", 0.8),)


def _tied_clean(cast: Cast, random: Random) -> Iterator[Made]:
    a, b, polarity = random.choice(cast.ties)
    if polarity > 0:
        yield f"{a} was glad to see {b}, who was a good friend.", (related(a, b, "friends", 0.8),)
        yield (f"“You would think that {a} and {b} were enemies,” said the baker.",
               (related(a, b, "enemies", -0.6, modality="hypothetical"),))  # fmt: skip
    else:
        yield f"{a} did not look at {b}, nor {b} at {a}.", (related(a, b, "at odds", -0.6),)


def _closed(cast: Cast, random: Random) -> Iterator[Made]:
    t = random.choice(cast.closed)
    yield f"Nobody had an answer yet in the matter of {t}.", (thread(t, "advanced"),)
    yield f"There still remained {t} to be dealt with.", (thread(t, "advanced"),)


def _closed_clean(cast: Cast, random: Random) -> Iterator[Made]:
    t, (a, _) = random.choice(cast.closed), pair(cast, random, *cast.dead)
    yield f"{a} was glad that the matter of {t} was behind them all.", (thread(t, "paid_off"),)
    yield f"Sometimes {a} still thought of {t}.", (event(f"{a} thinks of it.", a),)


def _rules(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    yield (f"Then {a} gave the drowned bell such a pull that it rang over the whole valley.",
           (event(f"{a} rings the drowned bell.", a),))  # fmt: skip
    yield (f"“The well is called Asa’s Eye,” said {b} to the stranger.",
           (event(f"{b} tells the stranger the name of the well.", b),))  # fmt: skip


def _rules_clean(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    yield (
        f"{a} would have liked to ring the drowned bell.",
        (event(f"{a} wishes to ring it.", a, modality="hypothetical"),),
    )
    yield f"The white gate stayed shut, for {b} had no candle.", (event(f"{b} has no candle.", b),)


def _named(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    ragman = {"kind": "entity", "type": "character", "name": "the Ragman", "aliases": ["Corvin Hale"]}
    yield f"The Ragman, or Corvin Hale as his mother had named him, sold {a} a paper of pins.", (ragman,)
    yield (f"“Sit down, Silas,” said {b}, and the hooded lodger sat down.",
           (speaks(b, "the hooded lodger", "invites", f"{b} offers the lodger a chair."),))  # fmt: skip


def _named_clean(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    yield (f"Corvin Hale bought a paper of pins from the Ragman, and {a} saw it.",
           (event("Corvin Hale buys pins from the Ragman.", "Corvin Hale", "the Ragman"),))  # fmt: skip
    yield (f"“Sit down, sir,” said {b}, and the hooded lodger sat down.",
           (speaks(b, "the hooded lodger", "invites", f"{b} offers the lodger a chair."),))  # fmt: skip


_WORDINGS: Final = {
    kinds.DEAD_ACT: (_dead, _dead_clean), kinds.OWNERSHIP: (_owned, _owned_clean), kinds.TWO_PLACES: (_placed, _placed_clean),
    kinds.UNTOLD: (_known, _known_clean), kinds.RELATIONSHIP: (_tied, _tied_clean), kinds.REOPENED: (_closed, _closed_clean),
    kinds.RULE: (_rules, _rules_clean), kinds.ALIAS: (_named, _named_clean),
}  # fmt: skip
