"""The paragraphs, for a story as it stands after a chapter: whom and what they are about is drawn from its state."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from services.auditing.checking import findings as kinds
from services.evaluation.checking.casting import Cast, Made, ignorant, pair, tellable, worded
from services.evaluation.checking.edits import (
    Paragraph,
    at,
    event,
    knows,
    lies,
    owns,
    related,
    speaks,
    thread,
)


def paragraphs(cast: Cast, random: Random) -> Iterator[Paragraph]:
    """One contradiction and one clean paragraph in every wording that the cast has the material for."""
    yield from worded(cast, random, _WORDINGS)
    yield from _late(cast, random)


def _dead(cast: Cast, random: Random) -> Iterator[Made]:
    d, (a, b) = random.choice(cast.dead), pair(cast, random, *cast.dead)
    yield (f"{d} came in without knocking and hung a wet coat on the peg. “You are late,” {d} said to {a}.",
           (speaks(d, a, "chides", f"{d} chides {a} for coming late."),))  # fmt: skip
    yield (
        f"By noon {d} had the shutters off and was counting the takings aloud.",
        (event(f"{d} counts the takings.", d),),
    )
    yield (f"{a} found {d} at the table, peeling an apple in one long ribbon.",
           ({"kind": "situation", "summary": f"{a} and {d} sit over an apple.", "participants": [a, d]},))  # fmt: skip
    yield (f"{d} made up a bundle of bread and cheese, and was gone up the north road before {b} woke.",
           (event(f"{d} sets out on the north road.", {"entity": d, "role": "traveller"}),))  # fmt: skip
    yield f"{d} was in high good humour that day.", (
        {"kind": "character_delta", "character": d, "attribute": "emotion", "value": "cheerful"},
    )  # fmt: skip


def _dead_clean(cast: Cast, random: Random) -> Iterator[Made]:
    d, (a, b) = random.choice(cast.dead), pair(cast, random, *cast.dead)
    yield (
        f"That night {a} dreamed that {d} came in and asked for salt.",
        (event(f"{d} asks for salt.", d, a, modality="dream"),),
    )
    yield (f"{a} unfolded the letter once more. In it {d} asked for nothing but a fire and a little patience.",
           (event(f"{a} reads the letter that {d} left.", {"entity": a, "role": "reader"}, {"entity": d, "role": "author"}),))  # fmt: skip
    yield (f"Two winters before, {d} had walked this very street with {b}, and laughed at the ice.",
           (event(f"{d} walks with {b}.", d, b, modality="past"),))  # fmt: skip
    yield (f"“{d} would have hated this soup,” said {a}, and ate all of it.",
           (event(f"{a} speaks of {d} over the soup.", a, {"entity": d, "role": "spoken of"}),))  # fmt: skip
    yield (f"In the market they told each other that {d} had been seen at the crossroads.",
           (at(d, "the crossroads", modality="reported"),))  # fmt: skip


def _owned(cast: Cast, random: Random) -> Iterator[Made]:
    (o, x), y = random.choice(cast.owned), ""
    y, z = pair(cast, random, x, *cast.dead)
    yield f"{y} turned the {o} over and over, as one does with a thing that one has had for years.", (owns(o, y),)
    yield f"From {y}’s belt hung the {o}, where everybody could see it.", (owns(o, y),)
    yield f"“Mine,” said {y}, and patted the pocket with the {o} in it.", (owns(o, y),)
    yield f"All that week {z} went about with the {o} and made free with it.", (event(f"{z} uses the {o}.", z),)
    yield f"{y} held the {o} up to the light, and read what was scratched on it.", (
        event(f"{y} reads the scratches.", y, requires=[{"key": f"owner({o})", "value": y}]),
    )  # fmt: skip


def _owned_clean(cast: Cast, random: Random) -> Iterator[Made]:
    o, x = random.choice(cast.owned)
    y, z = pair(cast, random, x, *cast.dead)
    yield f"{x} put the {o} into {y}’s hand, and would hear of no thanks.", (owns(o, y),)
    yield (f"While {x} slept, {z} stole the {o}. It was under {z}’s mattress by morning.",
           (owns(o, z, quote=f"It was under {z}’s mattress"),))  # fmt: skip
    yield (f"{y} asked to see the {o}. {x} would not bring it out, and said so.",
           (owns(o, x), speaks(y, x, "asks", f"{y} asks {x} to show it.")))  # fmt: skip
    yield (
        f"{z} thought of the {o} a good deal, and of what might be done with it.",
        (event(f"{z} thinks of the {o}.", z),),
    )
    yield f"“If the {o} were {y}’s,” said {z}, “we should all sleep sounder.”", (owns(o, y, modality="hypothetical"),)


def _placed(cast: Cast, random: Random) -> Iterator[Made]:
    p, _ = pair(cast, random, *cast.dead)
    one, other = random.sample(cast.places, 2)
    yield (f"{p} sat at {one} with both elbows on the table. At that same moment {p} stood at {other} and watched the smoke.",
           (at(p, one, quote=f"{p} sat at {one}"), at(p, other, quote=f"{p} stood at {other}")))  # fmt: skip
    yield (f"The clock struck nine at {one}, where {p} was asleep. The same stroke found {p} wide awake at {other}.",
           (at(p, one, quote=f"at {one}, where {p} was asleep"), at(p, other, quote=f"{p} wide awake at {other}")))  # fmt: skip
    if cast.lying:
        o, place = random.choice(cast.lying)
        elsewhere = next(each for each in random.sample(cast.places, len(cast.places)) if each != place)
        yield f"At {elsewhere} the {o} stood on the sill, dusted and at rest.", (lies(o, elsewhere),)
        yield f"Nobody at {elsewhere} had looked at the {o} in the corner for years.", (lies(o, elsewhere),)


def _placed_clean(cast: Cast, random: Random) -> Iterator[Made]:
    p, q = pair(cast, random, *cast.dead)
    one, other = random.sample(cast.places, 2)
    yield (f"{p} sat at {one} until the candle was out. Then {p} walked over to {other} and stayed till dawn.",
           (at(p, one, quote=f"{p} sat at {one}"), at(p, other, quote=f"{p} walked over to {other}")))  # fmt: skip
    yield f"{p} was at {one} all evening, and {q} at {other}.", (at(p, one), at(q, other))
    yield f"{p} was at {one}, and meant to be at {other} by Friday.", (at(p, one), at(p, other, modality="planned"))
    if cast.lying:
        o, place = random.choice(cast.lying)
        elsewhere = next(each for each in random.sample(cast.places, len(cast.places)) if each != place)
        yield f"{p} carried the {o} to {elsewhere} and set it on the sill.", (lies(o, elsewhere),)


def _known(cast: Cast, random: Random) -> Iterator[Made]:
    fact, x = random.choice(tellable(cast))
    k, m = random.sample(ignorant(cast, fact, x), 2)
    yield f"{k} had it all straight: {fact}.", (knows(k, fact),)
    yield (f"Nothing about it was news to {m}, who was quite certain of it. {fact}.",
           (knows(m, fact, quote="Nothing about it was news"),))  # fmt: skip
    yield f"“It is no use pretending,” said {k}. “{fact}.”", (knows(k, fact),)
    yield f"{m} went about with it like a stone in the shoe: {fact}, and nobody to say it to.", (knows(m, fact),)


def _known_clean(cast: Cast, random: Random) -> Iterator[Made]:
    fact, x = random.choice(tellable(cast))
    k, m = random.sample(ignorant(cast, fact, x), 2)
    yield (f"{x} took {k} aside and told the whole of it: {fact}. After that {k} was certain.",
           (speaks(x, k, "tells", f"{x} tells {k}: {fact}.", quote=f"{x} took {k} aside"),
            knows(k, fact, quote=f"After that {k} was certain")))  # fmt: skip
    yield f"{m} wondered now and then whether it might be so: {fact}.", (knows(m, fact, stance="suspects"),)
    yield f"{x} had not forgotten it: {fact}.", (knows(x, fact),)
    yield f"On Monday {m} read it in black and white on the church door: {fact}.", (knows(m, fact),)


def _tied(cast: Cast, random: Random) -> Iterator[Made]:
    for a, b, polarity in random.sample(cast.ties, min(3, len(cast.ties))):
        if polarity > 0:
            yield (
                f"{a} and {b} were sworn enemies that winter, and the street stepped around it.",
                (related(a, b, "enemies", -0.8),),
            )
            yield f"{a} could not stand the sight of {b}, as everyone knew.", (related(a, b, "at odds", -0.7),)
        else:
            yield f"{a} and {b} went about arm in arm, the best of companions.", (related(a, b, "friends", 0.8),)


def _tied_clean(cast: Cast, random: Random) -> Iterator[Made]:
    a, b, polarity = random.choice(cast.ties)
    if polarity > 0:
        yield (f"{a} found out that {b} had lied to all of them, and said so before the whole table. They were enemies after that.",
               (speaks(a, b, "accuses", f"{a} accuses {b} of lying.", polarity=-0.8, quote="had lied to all of them"),
                related(a, b, "enemies", -0.8, quote="They were enemies after that")))  # fmt: skip
        yield (
            f"As children {a} and {b} had been enemies for a whole summer.",
            (related(a, b, "enemies", -0.6, modality="past"),),
        )
        yield f"{a} and {b} were as good friends as ever.", (related(a, b, "friends", 0.8),)
    else:
        yield (f"{b} pulled {a} out of the mill race by the collar, and was forgiven everything. They were friends after that.",
               (event(f"{b} saves {a} from the mill race.", b, a, quote="out of the mill race"),
                related(a, b, "friends", 0.8, quote="They were friends after that")))  # fmt: skip
        yield f"{a} had no more liking for {b} than before.", (related(a, b, "at odds", -0.6),)


def _closed(cast: Cast, random: Random) -> Iterator[Made]:
    t = random.choice(cast.closed)
    yield f"They were no nearer to an end of the matter of {t}.", (thread(t, "advanced"),)
    yield f"The whole business of {t} stood where it had stood on the first day.", (thread(t, "opened"),)
    yield f"As for {t}, there was everything still to do.", (thread(t, "advanced"),)


def _closed_clean(cast: Cast, random: Random) -> Iterator[Made]:
    t, (a, _) = random.choice(cast.closed), pair(cast, random, *cast.dead)
    yield f"As for {t}, that was done with, and nobody missed it.", (thread(t, "paid_off"),)
    yield (f"{a} came upon a second key to the matter of {t}, and it broke open again.",
           (thread(t, "advanced", description="It comes undone again."),))  # fmt: skip
    yield (
        f"A box without a label stood on {a}’s doorstep, and nobody had sent it.",
        (thread("the box on the doorstep", "opened"),),
    )


def _rules(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    yield (
        f"At low water {a} rang the drowned bell, twice, and went home to supper.",
        (event(f"{a} rings the drowned bell.", a),),
    )
    yield (f"{b} opened the white gate by night, without so much as a candle.",
           (event(f"{b} opens the white gate without a candle.", b),))  # fmt: skip
    yield (f"{a}, who was ferryman that week, carried salt across the mere and thought nothing of it.",
           (event(f"The ferryman {a} carries salt across the mere.", a),))  # fmt: skip
    yield (f"{b} told the stranger the name of the well for a pinch of snuff.",
           (event(f"{b} tells the stranger the name of the well.", b),))  # fmt: skip


def _rules_clean(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    yield (
        f"{a} sat by the drowned bell for an hour and did not ring it.",
        (event(f"{a} does not ring the drowned bell.", a),),
    )
    yield (f"{b} opened the white gate with a candle from the altar.",
           (event(f"{b} opens the white gate with a candle lit in church.", b),))  # fmt: skip
    yield (
        f"The ferryman carried {a} and two sheep across the mere.",
        (event(f"The ferryman carries {a} across the mere.", a),),
    )
    yield (f"The stranger asked {b} for the name of the well, and went away without it.",
           (event(f"The stranger asks {b} for the name of the well.", b),))  # fmt: skip


def _named(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    hale = {"kind": "entity", "type": "character", "name": "Corvin Hale"}
    yield (f"Corvin Hale, whom the children called the Ragman, put down his tray and nodded to {a}.",
           ({**hale, "aliases": ["the Ragman"]},))  # fmt: skip
    yield ("The Ragman went home by the back lane, took off his rags, and was Corvin Hale.",
           ({"kind": "entity", "type": "character", "name": "the Ragman", "aliases": ["Corvin Hale"]},))  # fmt: skip
    yield (f"“Good evening, Silas Thorne,” said {a} to the hooded lodger.",
           (speaks(a, "Silas Thorne", "greets", f"{a} greets the lodger."),))  # fmt: skip
    yield (f"{b} called up the stairs to the lodger. “Are you coming, Mr. Thorne?”",
           (speaks(b, "the hooded lodger", "calls", f"{b} calls the lodger.", quote="“Are you coming, Mr. Thorne?”"),))  # fmt: skip


def _named_clean(cast: Cast, random: Random) -> Iterator[Made]:
    a, b = pair(cast, random, *cast.dead)
    hale = {"kind": "entity", "type": "character", "name": "Corvin Hale"}
    yield (f"The Ragman pulled off his cap before {a}. It was Corvin Hale; it had been Corvin Hale all along.",
           ({**hale, "aliases": ["the Ragman"]}, {"kind": "identity", "a": "the Ragman", "b": "Corvin Hale"}))  # fmt: skip
    yield "Corvin Hale, the Steward to his face and Hawk behind his back, came by.", ({**hale, "aliases": ["Hawk"]},)
    yield ("“Good evening, Silas Thorne,” said the widow Brand to the hooded lodger.",
           (speaks("the widow Brand", "Silas Thorne", "greets", "The widow greets the lodger."),))  # fmt: skip
    yield (f"“Good evening, sir,” said {b} to the hooded lodger.",
           (speaks(b, "the hooded lodger", "greets", f"{b} greets the lodger."),))  # fmt: skip


def _late(cast: Cast, random: Random) -> Iterator[Paragraph]:
    a, _ = pair(cast, random, *cast.dead)
    quiet = (event(f"{a} mends a chair.", a),)
    mended = f"{a} mended the chair by the window and spoke of other things."
    kind, now = kinds.OVERDUE, cast.chapter
    for t in random.sample(cast.open, min(2, len(cast.open))):
        yield Paragraph(kind, mended, quiet, kind, {t.casefold(): now - 1})
        yield Paragraph(None, mended, quiet, kind, {t.casefold(): now + 3})
        closed = (thread(t, "paid_off"),)
        yield Paragraph(None, f"And so the matter of {t} came to its end.", closed, kind, {t.casefold(): now})
    if "the mill debt" in cast.open:
        past = f"The harvest was long over, and {a} had the barn swept."
        yield Paragraph(kind, past, (event(f"{a} sweeps the barn.", a),), kind)
        yield Paragraph(kind, f"The week after the harvest {a} slept till noon.", (event(f"{a} sleeps.", a),), kind)
        coming = f"The harvest was still far off, and {a} had the barn swept."
        yield Paragraph(None, coming, (event(f"{a} sweeps the barn.", a),), kind)


_WORDINGS: Final = {
    kinds.DEAD_ACT: (_dead, _dead_clean), kinds.OWNERSHIP: (_owned, _owned_clean), kinds.TWO_PLACES: (_placed, _placed_clean),
    kinds.UNTOLD: (_known, _known_clean), kinds.RELATIONSHIP: (_tied, _tied_clean), kinds.REOPENED: (_closed, _closed_clean),
    kinds.RULE: (_rules, _rules_clean), kinds.ALIAS: (_named, _named_clean),
}  # fmt: skip
KINDS: Final = (
    kinds.DEAD_ACT, kinds.OWNERSHIP, kinds.TWO_PLACES, kinds.UNTOLD, kinds.RELATIONSHIP, kinds.REOPENED, kinds.RULE,
    kinds.ALIAS, kinds.OVERDUE,
)  # fmt: skip
