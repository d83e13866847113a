"""The numbers that headings use: arabic, Roman, English words, Chinese characters."""

from __future__ import annotations

import re
import unicodedata

_ROMAN = re.compile(r"(?=[MDCLXVI])M{0,3}(CM|CD|D?C{0,3})(XC|XL|L?X{0,3})(IX|IV|V?I{0,3})", re.IGNORECASE)
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
_CARDINALS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen"
)
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth "
    "fifteenth sixteenth seventeenth eighteenth nineteenth"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_WORDS = {
    **{word: n for n, word in enumerate(_CARDINALS.split(), 1)},
    **{word: n for n, word in enumerate(_ORDINALS.split(), 1)},
    **{word: 10 * n for n, word in enumerate(_TENS.split(), 2)},
    **{word[:-1] + "ieth": 10 * n for n, word in enumerate(_TENS.split(), 2)},
    "hundred": 100,
    "hundredth": 100,
}
_CHINESE_DIGITS = {c: n for n, c in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2, "兩": 2}
_CHINESE_UNITS = {"十": 10, "百": 100, "千": 1000}

_WORD = "(?:" + "|".join(sorted(_WORDS, key=len, reverse=True)) + ")"
NUMBER_WORDS = rf"(?:the\s+)?(?:an?\s+(?=hundred))?{_WORD}(?:(?:\s+and\s+|[-\u2010\u2011\s]+){_WORD})*"
"""A pattern of spelled-out numbers, cardinal or ordinal."""


def number(text: str) -> int | None:
    """The number that `text` as a whole spells, or None."""
    text = unicodedata.normalize("NFKC", text).strip()
    if text.isascii() and text.isdigit():
        return int(text) if len(text) <= 6 else None
    return roman(text) or _words(text) or _chinese(text)


def roman(text: str) -> int | None:
    """The number of a well-formed Roman numeral of one case, or None."""
    if not _ROMAN.fullmatch(text) or not (text.isupper() or text.islower()):
        return None
    digits = [_ROMAN_DIGITS[c] for c in text.upper()]
    return sum(-d if d < max(digits[i:]) else d for i, d in enumerate(digits))


def _words(text: str) -> int | None:
    words = [w for w in re.split(r"[-\u2010\u2011\s]+", text.lower()) if w not in ("", "the", "and", "a", "an")]
    if not words or any(w not in _WORDS for w in words):
        return None
    total = 0
    for value in (_WORDS[w] for w in words):
        total = max(total, 1) * 100 if value == 100 else total + value
    return total


def _chinese(text: str) -> int | None:
    if not text or any(c not in _CHINESE_DIGITS and c not in _CHINESE_UNITS for c in text):
        return None
    if not any(c in _CHINESE_UNITS for c in text):
        return int("".join(str(_CHINESE_DIGITS[c]) for c in text)) if len(text) <= 6 else None
    total, digit = 0, 0
    for character in text:
        if character in _CHINESE_UNITS:
            total += max(digit, 1) * _CHINESE_UNITS[character]
            digit = 0
        else:
            digit = _CHINESE_DIGITS[character]
    return total + digit
