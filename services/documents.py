"""The JSON a user reads: the command line and the HTTP API write the same bytes for the same reply.

Problems follow RFC 9457: `type`, `title`, `status`, and a `detail` that says what to do.
"""

from __future__ import annotations

import json
import math
from typing import Any, Final, NoReturn, TypeAlias

import orjson

from events.errors import DomainRefusal, FabulaError, InvalidInput, Unavailable

Document: TypeAlias = dict[str, Any]

PROBLEM_TYPE: Final = "urn:fabula:problem:"
_OPTIONS: Final = orjson.OPT_NON_STR_KEYS
_DEEPEST: Final = 100
"""Lists and objects that may lie in one another: records have less than ten, and what reads them further on calls itself."""


_LONGEST_SHOWN: Final = 80

_SAID_BY_POSTGRES: Final = {
    "psycopg.DiskFull": "PostgreSQL has no room left on its disk. Make room",
    "psycopg.ReadOnlySqlTransaction": "PostgreSQL takes no writes: it is a standby, or set to read only. Point "
    "FABULA_POSTGRES to the server that does",
    "psycopg.InsufficientPrivilege": "PostgreSQL does not let this user do what is needed. Grant it, or give FABULA_POSTGRES "
    "a user who may",
}
"""What to do about an error of the server that is none of the program's."""


class MalformedJson(DomainRefusal):
    title = "The input is not JSON"
    slug = "malformed-json"
    status = 400


class RepeatedField(MalformedJson):
    title = "A field is given twice"
    slug = "repeated-field"


def decode(raw: bytes, what: str) -> Any:
    """The value that UTF-8 JSON stands for. Raises MalformedJson, naming `what`.

    JSON is what RFC 8259 says it is: no NaN, no infinity. An object that has a field twice is refused, since readers do not
    agree on which of the two counts. Half a surrogate pair is let through, for the services to clean in one place.
    """

    def as_object(fields: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(fields)
        if len(found) < len(fields):
            raise RepeatedField(f"{what} has the field {_twice(fields)!a} twice in one object; say what it is once")
        return found

    try:
        value = json.loads(raw, parse_constant=_no_constant, parse_float=_finite, object_pairs_hook=as_object)
    except RecursionError:
        raise _too_deep(what) from None
    except ValueError as error:
        raise MalformedJson(f"{what} is not JSON ({str(error)[:200]}); send JSON in UTF-8") from None
    if _deeper_than(value, _DEEPEST):
        raise _too_deep(what)
    return value


def _twice(fields: list[tuple[str, Any]]) -> str:
    """The first field that was there before, shortened."""
    seen: set[str] = set()
    for name, _ in fields:
        if name in seen:
            return name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}…"
        seen.add(name)
    raise AssertionError("no field is there twice")


def _deeper_than(value: Any, levels: int) -> bool:
    """Whether more than so many lists and objects lie in one another."""
    level = [value]
    for _ in range(levels):
        inside = (item.values() if isinstance(item, dict) else item for item in level if isinstance(item, dict | list))
        level = [item for items in inside for item in items if isinstance(item, dict | list)]
    return bool(level)


def _too_deep(what: str) -> MalformedJson:
    return MalformedJson(f"{what} is nested too deeply; send plainer JSON")


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a JSON number")


def _finite(digits: str) -> float:
    number = float(digits)
    if not math.isfinite(number):
        raise ValueError(f"{digits[:20]} is beyond the range of a number")
    return number


def encode(document: Document) -> bytes:
    """The document as UTF-8 JSON, keys in the order given, without a final newline.

    Half a surrogate pair, which UTF-8 cannot hold, becomes U+FFFD.
    """
    try:
        return orjson.dumps(document, option=_OPTIONS)
    except TypeError:
        return orjson.dumps(_whole(document), option=_OPTIONS)


def _whole(value: Any) -> Any:
    """The value with every lone surrogate replaced; what is no JSON stays, for the encoder to refuse."""
    if isinstance(value, str):
        return whole_text(value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    return value


def whole_text(text: str) -> str:
    """The text with every lone surrogate replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def problem(error: Exception) -> Document:
    """The problem document of an error. Of an unexpected one only its kind is told, never what it says."""
    if isinstance(error, FabulaError):
        return describe(error.status, error.slug, error.title, str(error) or error.title)
    translated = as_refusal(error)
    if translated is not None:
        return problem(translated)
    return describe(
        500,
        "unexpected",
        "Something unexpected went wrong",
        f"{type(error).__name__}: this is a defect. Try again; if it stays, report it with the log of this moment.",
    )


def describe(status: int, slug: str, title: str, detail: str) -> Document:
    return {"type": PROBLEM_TYPE + slug, "title": title, "status": status, "detail": whole_text(detail)}


def as_refusal(error: Exception) -> FabulaError | None:
    """The error of ours that says the same as one of a service's driver, or None for what nobody foresaw."""
    if isinstance(error, FabulaError):
        return error
    if isinstance(error, UnicodeEncodeError):
        return _unusable(error.object[error.start : error.end])
    kinds = {f"{kind.__module__.partition('.')[0]}.{kind.__name__}" for kind in type(error).__mro__}
    for kind, said in _SAID_BY_POSTGRES.items():
        if kind in kinds:
            return Unavailable(f"{said}, then try again: nothing was half done.")
    if kinds & {"psycopg.OperationalError", "psycopg_pool.PoolTimeout"}:
        return Unavailable(
            "PostgreSQL did not answer. See what `fabula doctor` says about it, then try again: nothing was half done."
        )
    if "psycopg.DataError" in kinds and ("NUL" in str(error) or "\\u0000" in str(error)):
        return InvalidInput("the input has a NUL character, which is no part of any name or text; remove it")
    if "services.LocalServiceError" in kinds:
        return Unavailable(str(error))
    return None


def _unusable(characters: str) -> FabulaError:
    return InvalidInput(f"the input has {characters!r}, which is no character of Unicode; remove it")
