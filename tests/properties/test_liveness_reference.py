"""Liveness held against the rules as they are written, worked out the slow way, on stories without aliases."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given, settings
from hypothesis import strategies as st

from events.validity import Assertion, fold
from tests.stories import Story, owns

OWNERS = ("Mara", "Tomas", "Ilse")
THINGS = ("key", "will")
IDS = ("a", "b", "c")


@dataclass(frozen=True)
class Line:
    """A record of the story: who owns what, on what it depends, and what it requires."""

    id: str
    thing: str
    owner: str
    depends: tuple[tuple[int, str], ...] = ()
    requires: tuple[tuple[str, str | None], ...] = ()

    @property
    def content(self) -> tuple[str, str]:
        return (self.thing, self.owner)


@dataclass
class Revision:
    sequence: int
    lines: tuple[Line, ...] = field(default=())


@st.composite
def line(draw: st.DrawFn, chapter: int, name: str, above: tuple[str, ...]) -> Line:
    earlier = [(c, i) for c in range(1, chapter) for i in IDS] + [(chapter, i) for i in above]
    depends = draw(st.lists(st.sampled_from(earlier), max_size=1)) if earlier else []
    requires = draw(st.lists(st.tuples(st.sampled_from(THINGS), st.sampled_from((*OWNERS, None))), max_size=1))
    return Line(name, draw(st.sampled_from(THINGS)), draw(st.sampled_from(OWNERS)), tuple(depends), tuple(requires))


@st.composite
def publications(draw: st.DrawFn) -> list[tuple[int, tuple[Line, ...]]]:
    found = []
    for _ in range(draw(st.integers(1, 8))):
        chapter = draw(st.integers(1, 4))
        names = IDS[: draw(st.integers(0, 3))]
        found.append((chapter, tuple(draw(line(chapter, n, names[:p])) for p, n in enumerate(names))))
    return found


def expected(found: list[tuple[int, tuple[Line, ...]]]) -> dict[str, bool]:
    """Which records of the current revisions are live."""
    chapters: dict[int, list[Revision]] = {}
    for sequence, (chapter, lines) in enumerate(found, 1):
        chapters.setdefault(chapter, []).append(Revision(sequence, lines))
    live: dict[str, bool] = {}
    held: dict[str, str] = {}

    def bound(chapter: int, name: str, published: int) -> Line | None:
        revisions = chapters.get(chapter, [])
        seen = [r for r in revisions if r.sequence < published]
        for revision in seen[-1:] + [r for r in revisions if r.sequence > published]:
            for candidate in revision.lines:
                if candidate.id == name:
                    return candidate
        return None

    for chapter in sorted(chapters):
        current = chapters[chapter][-1]
        for one in current.lines:
            stands = True
            for of, name in one.depends:
                if of == chapter:
                    stands &= live.get(f"{chapter}:{name}", False)
                    continue
                ground = bound(of, name, current.sequence)
                mates = chapters[of][-1].lines if of in chapters else ()
                stands &= ground is not None and any(
                    m.content == ground.content and live[f"{of}:{m.id}"] for m in mates
                )
            stands &= all(held.get(thing) == value for thing, value in one.requires)
            live[f"{chapter}:{one.id}"] = stands
            if stands:
                held[one.thing] = one.owner
    return live


@settings(max_examples=400)
@given(publications())
def test_liveness_is_what_the_rules_say(found: list[tuple[int, tuple[Line, ...]]]) -> None:
    story = Story()
    for chapter, lines in found:
        story.publish(
            chapter,
            *(
                owns(
                    one.owner,
                    one.thing,
                    id=one.id,
                    depends_on=[f"{c}:{i}" for c, i in one.depends],
                    requires=[{"key": f"owner({thing})", "value": value} for thing, value in one.requires],
                )
                for one in lines
            ),
        )
    wanted = expected(found)
    assert {name: story.live(name) for name in wanted} == wanted


words = st.builds(
    lambda c, s, v, n: Assertion((c, 0, s, n, f"u{n}"), "k", v, f"u{n}"),
    st.integers(1, 6),
    st.integers(0, 3),
    st.sampled_from(("x", "y", None)),
    st.integers(0, 10_000),
)


@settings(max_examples=300)
@given(st.lists(words, unique_by=lambda a: a.uid))
def test_at_every_chapter_the_fold_gives_the_last_word_up_to_it(assertions: list[Assertion]) -> None:
    intervals = fold(assertions)
    for chapter in range(1, 8):
        heard = sorted((a for a in assertions if a.chapter <= chapter), key=lambda a: a.order)
        wanted = heard[-1].value if heard else None
        holding = [i.value for i in intervals if i.holds_after(chapter)]
        assert holding == ([] if wanted is None else [wanted])


@settings(max_examples=200)
@given(st.lists(words, unique_by=lambda a: a.uid), st.randoms(use_true_random=False))
def test_the_fold_does_not_care_about_the_order_it_is_given(assertions: list[Assertion], random: object) -> None:
    assert fold(assertions) == fold(random.sample(assertions, len(assertions)))  # type: ignore[attr-defined]
