"""Folding a text so that a quotation finds its place although typography differs.

Two texts that a reader would call the same words fold to the same string: runs of white space, kinds of quotation mark and
dash, ellipses, ligatures, Unicode normal forms, soft hyphens and zero-width characters do not matter. Letters, accents and case do.
Folding never looks outside the text it is given, so ``folded(text[a:b])`` is comparable with ``folded(quote)``.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from dataclasses import dataclass
from functools import cache, lru_cache

# Joined with their neighbours, or invisible: they carry no letters of their own.
_IGNORABLE = "\u00ad\u034f\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufe00-\ufe0f\ufeff\U000e0100-\U000e01ef"
_DASHES = "\\-\u2010-\u2015\u2212\u2500\u2501\u2e3a\u2e3b\ufe31\ufe32\ufe58\ufe63\uff0d"
_DOUBLE_QUOTES = "\u201c\u201d\u201e\u201f\u00ab\u00bb\u2033\u2036\u275d\u275e\u300c\u300d\u301d\u301e\u301f\ufe41\ufe42\uff02\uff62\uff63"
_SINGLE_QUOTES = (
    "\u2018\u2019\u201a\u201b\u2039\u203a\u2032\u2035\u00b4`\uff40\u02bc\u275b\u275c\u300e\u300f\ufe43\ufe44\uff07"
)
_QUOTES: dict[int, str | int] = {
    **dict.fromkeys(map(ord, _DOUBLE_QUOTES), '"'),
    **dict.fromkeys(map(ord, _SINGLE_QUOTES), "'"),
}

_PICTOGRAPHS = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2190-\u21ff\u2300-\u27bf\u2900-\u297f\u2b00-\u2bff"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_FLAGS = "\U0001f1e6-\U0001f1ff"
_LEADING_JAMO = "\u1100-\u115f\ua960-\ua97c"
_SYLLABLES = "\uac00-\ud7a3"
# Scripts that put no space between words, with their punctuation and the full-width forms.
_UNSPACED = "\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uffef\U00020000-\U0003ffff"
_IDEOGRAPHS = (
    "\u3001-\u3002\u300a-\u300f\u3400-\u4dbf\u4e00-\u9fff\u3041-\u3096\u30a1-\u30fa\u30fc\uff01-\uff0c\uff0f-\uff5e"
)
# Characters of a run that fold one to one.
_ONE_TO_ONE: dict[int, str | int] = {
    **_QUOTES,
    **{c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F) if c not in (0xFF02, 0xFF07, 0xFF0D, 0xFF0E, 0xFF40)},
}


@dataclass(frozen=True, slots=True)
class Folding:
    """A folded text and, for each of its characters, the half-open span of the original it stands for.

    Characters that stand for one indivisible piece of the original (a ligature, a combining sequence) share one span.
    """

    text: str
    starts: array[int]
    ends: array[int]

    def is_seam(self, offset: int) -> bool:
        """Whether the folded text may be cut at `offset` without cutting a piece of the original."""
        return not 0 < offset < len(self.starts) or self.starts[offset] != self.starts[offset - 1]

    def without_case(self) -> Folding:
        """The same folding, also blind to case."""
        text = self.text.casefold()
        if len(text) == len(self.text):
            return Folding(text, self.starts, self.ends)
        starts, ends = array("I"), array("I")
        for character, start, end in zip(self.text, self.starts, self.ends, strict=True):
            for _ in character.casefold():
                starts.append(start)
                ends.append(end)
        return Folding(text, starts, ends)


class _Writer:
    """Collects folded pieces; holds white space back until it is known to stand between two spaced words."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.starts = array("I")
        self.ends = array("I")
        self._space: tuple[int, int] | None = None
        self._tight = True

    def space(self, start: int, end: int) -> None:
        if self._space is None:
            self._space = (start, end)

    def run(self, text: str, start: int, *, tight: bool) -> None:
        """Characters that fold one to one."""
        self._settle(tight_before=tight, tight_after=tight)
        self.pieces.append(text if text.isascii() and "`" not in text else text.translate(_ONE_TO_ONE))
        self.starts.extend(range(start, start + len(text)))
        self.ends.extend(range(start + 1, start + len(text) + 1))

    def piece(self, text: str, start: int, end: int, *, tight: bool) -> None:
        """One indivisible piece of the original, whatever number of characters it folds to."""
        self._settle(tight_before=tight, tight_after=tight)
        self.pieces.append(text)
        self.starts.extend([start] * len(text))
        self.ends.extend([end] * len(text))

    def _settle(self, *, tight_before: bool, tight_after: bool) -> None:
        if self._space is not None and not (self._tight or tight_before):
            self.pieces.append(" ")
            self.starts.append(self._space[0])
            self.ends.append(self._space[1])
        self._space = None
        self._tight = tight_after


def fold(text: str) -> Folding:
    """Fold `text`; linear in its length, eight bytes a character beside the folded string itself."""
    writer = _Writer()
    unspaced = _unspaced()
    for token in _tokens().finditer(text):
        kind, start, end = token.lastgroup, token.start(), token.end()
        if kind == "plain":
            writer.run(token.group(), start, tight=False)
        elif kind == "ideographs":
            writer.run(token.group(), start, tight=True)
        elif kind == "space":
            writer.space(start, end)
        elif kind == "dash":
            writer.piece("-", start, end, tight=True)
        elif kind == "dots":
            writer.piece("...", start, end, tight=False)
        elif kind in ("cluster", "marked") and (letters := _folded_cluster(token.group())):
            writer.piece(letters, start, end, tight=bool(unspaced.match(token.group()) or unspaced.match(letters)))
    return Folding("".join(writer.pieces), writer.starts, writer.ends)


def folded(text: str) -> str:
    """`text` as it is compared with other texts; empty where there is nothing but white space and invisible characters."""
    return fold(text).text


def is_grapheme_boundary(text: str, offset: int) -> bool:
    """Whether `text` can be cut at `offset` without cutting a user-perceived character (UAX #29, the rules that prose meets)."""
    if not 0 < offset < len(text):
        return True
    before, after = text[offset - 1], text[offset]
    if after < "\u0300":
        return not (before == "\r" and after == "\n")
    extenders = _extenders()
    if after in extenders:
        return False
    if before == "\u200d" and _is(_PICTOGRAPHS, after):
        base = offset - 2
        while base >= 0 and text[base] in extenders:
            base -= 1
        return base < 0 or not _is(_PICTOGRAPHS, text[base])
    if _is(_FLAGS, before) and _is(_FLAGS, after):
        first = offset - 1
        while first > 0 and _is(_FLAGS, text[first - 1]):
            first -= 1
        return (offset - first) % 2 == 0
    return not (_is(_LEADING_JAMO, before) and _is(_LEADING_JAMO + _SYLLABLES, after))


@cache
def _class(ranges: str) -> re.Pattern[str]:
    return re.compile(f"[{ranges}]")


def _is(ranges: str, character: str) -> bool:
    return _class(ranges).match(character) is not None


@cache
def _unspaced() -> re.Pattern[str]:
    return _class(_UNSPACED)


@cache
def _extenders() -> frozenset[str]:
    """Characters that belong to the one before them: marks, joiners, variation selectors, skin tones, vowel and final jamo."""
    planes = [*range(0x300, 0x20000), *range(0xE0020, 0xE0080), *range(0xE0100, 0xE01F0)]
    marks = {chr(c) for c in planes if unicodedata.category(chr(c)).startswith("M")}
    jamo = {chr(c) for c in [*range(0x1160, 0x1200), *range(0xD7B0, 0xD7FC)]}
    tones = {chr(c) for c in range(0x1F3FB, 0x1F400)}
    tags = {chr(c) for c in range(0xE0020, 0xE0080)}
    return frozenset(marks | jamo | tones | tags | {"\u200c", "\u200d", "\uff9e", "\uff9f"})


def _plain() -> str:
    """Spaced-script characters that fold one to one wherever they stand, as the inside of a character class."""
    special = set("-.") | _extenders()
    characters = [chr(c) for c in [*range(0x21, 0x7F), *range(0xC0, 0x530)]]
    itself = [re.escape(c) for c in characters if c not in special and unicodedata.normalize("NFKC", c) == c]
    return "".join(itself) + "\u2018-\u201f" + _SYLLABLES


def _ranges(characters: frozenset[str]) -> str:
    """The inside of a character class. As ranges, because the engine tries astral members one after the other."""
    ranges: list[list[int]] = []
    for code in sorted(map(ord, characters)):
        if ranges and code == ranges[-1][1] + 1:
            ranges[-1][1] = code
        else:
            ranges.append([code, code])
    return "".join(f"{chr(low)}-{chr(high)}" for low, high in ranges)


@cache
def _tokens() -> re.Pattern[str]:
    extend = f"[{_ranges(_extenders())}]"
    plain, invisible = f"[{_plain()}]", f"[{_IGNORABLE}]"
    # A visible mark after any of these makes it part of a combining sequence, which is folded as a whole.
    whole = f"(?!(?!{invisible}){extend})"
    unmarked = f"(?!{extend})"
    return re.compile(
        f"(?P<plain>{plain}+(?:(?:\\. ?| ){plain}+){{0,200}}{unmarked})"
        f"|(?P<ideographs>[{_IDEOGRAPHS}]+{unmarked})"
        f"|(?P<marked>\\w{extend}+)"
        f"|(?P<broken>\u00ad{invisible}*[^\\S\r\n]*[\r\n]\\s*)"
        f"|(?P<space>\\s[\\s{_IGNORABLE}]*{whole})"
        f"|(?P<dash>[{_DASHES}](?:{invisible}*[{_DASHES}])*{unmarked})"
        f"|(?P<dots>(?:\u2026|\\.)(?:\\s?(?:\u2026|\\.)){{2,}}{unmarked}|\u2026+{unmarked})"
        f"|(?P<cluster>(?:[{_FLAGS}]{{2}}|[{_LEADING_JAMO}]+[{_SYLLABLES}]?|.){extend}*"
        f"(?:(?<=\u200d)[{_PICTOGRAPHS}]{extend}*)*)",
        re.DOTALL,
    )


@lru_cache(maxsize=4096)
def _folded_cluster(cluster: str) -> str:
    visible = re.sub(f"[{_IGNORABLE}]", "", cluster)
    compatible = unicodedata.normalize("NFKC", visible)
    # Spacing accents decompose to a space and a mark: as themselves they stay one visible character.
    if any(c.isspace() for c in compatible):
        compatible = unicodedata.normalize("NFC", visible)
    return compatible.translate(_QUOTES)
