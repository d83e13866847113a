"""What enters as records: a list, or a sidecar object, checked against the models before anything is written."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from events.domain_events import Json
from events.errors import InvalidInput, InvalidRecords
from events.keys import parse
from events.records import KINDS, AnyRecord

SCHEMA: Final = "fabula.records/1"
MAX_RECORDS: Final = 50_000
_RECORDS: Final[TypeAdapter[list[Any]]] = TypeAdapter(list[AnyRecord])
_DEPENDENCY: Final = re.compile(r"^([1-9]\d{0,6}):(\S+)$")
_UNENCODABLE: Final = re.compile("[\ud800-\udfff]")


def validate(records: Json, *, chapter: int | None = None) -> list[dict[str, Any]]:
    """The records of a sidecar object or of a plain list, as plain data.

    With `chapter` the dependencies are checked too: none on a later chapter, none in a circle.
    Raises `InvalidRecords`, which names the record and the field.
    """
    listed = _listed(records)
    cleaned = [_clean(record) for record in listed]
    _check_models(cleaned)
    ids = _check_ids(cleaned)
    for record in cleaned:
        _check_requirements(record)
        if chapter is not None:
            _check_dependencies(record, chapter, ids)
    if chapter is not None:
        _check_circles(cleaned, chapter)
    return cleaned


def dependency(name: str, chapter: int) -> tuple[int, str]:
    """The chapter and id that a record name in `depends_on` means; a bare id is one of the same file."""
    match = _DEPENDENCY.match(name)
    return (int(match[1]), match[2]) if match else (chapter, name)


def _listed(records: Json) -> list[Any]:
    if isinstance(records, dict):
        if records.get("schema", SCHEMA) != SCHEMA:
            raise InvalidRecords(f"The sidecar has schema {records['schema']!r}; write {SCHEMA!r}.")
        if unknown := sorted(set(records) - {"schema", "records"}):
            raise InvalidRecords(f"The sidecar has unknown fields {unknown}; it has `schema` and `records` only.")
        records = records.get("records")
    if not isinstance(records, list):
        raise InvalidRecords("`records` is a list of records, or a sidecar object that has one under `records`.")
    if len(records) > MAX_RECORDS:
        raise InvalidRecords(f"{len(records)} records for one chapter; at most {MAX_RECORDS} are taken.")
    return records


def _clean(value: Json) -> Any:
    """The same data with what no database keeps taken out of its texts: NUL, and surrogates without their pair."""
    if isinstance(value, str):
        return _UNENCODABLE.sub("�", value.replace("\0", ""))
    if isinstance(value, list):
        return [_clean(item) for item in value]
    if isinstance(value, dict):
        return {_clean(k): _clean(v) for k, v in value.items() if v is not None or k == "value"}
    return value


def _check_models(records: list[Any]) -> None:
    try:
        _RECORDS.validate_python(records)
    except ValidationError as error:
        faults = [_fault(records, e["loc"], e["msg"], e["type"]) for e in error.errors(include_url=False)[:5]]
        more = error.error_count() - len(faults)
        raise InvalidRecords("; ".join(faults) + (f"; and {more} more" if more > 0 else "") + ".") from None


def _fault(records: list[Any], where: tuple[int | str, ...], message: str, kind: str) -> str:
    number = int(where[0]) if where else 0
    record = records[number] if number < len(records) else None
    name = f"record {number + 1}"
    if isinstance(record, dict) and isinstance(record.get("id"), str):
        name += f" ({record['id'][:40]})"
    if kind == "union_tag_invalid" and isinstance(record, dict):
        return f"{name}: unknown kind {str(record.get('kind'))[:40]!r}; the kinds are {', '.join(KINDS)}"
    field = ".".join(str(part) for part in where[2:])
    return f"{name}{', ' + field if field else ''}: {message[:200]}"


def _check_ids(records: list[dict[str, Any]]) -> set[str]:
    seen: set[str] = set()
    for record in records:
        if record["id"] in seen:
            raise InvalidRecords(f"The id {record['id']!r} is used twice; ids are unique in a file.")
        seen.add(record["id"])
    return seen


def _check_requirements(record: dict[str, Any]) -> None:
    for requirement in record.get("requires", ()):
        if "value" not in requirement:
            raise InvalidRecords(f"{record['id']}: `requires` needs a `value` for {requirement['key']!r}.")
        try:
            parse(requirement["key"])
        except InvalidInput as error:
            raise InvalidRecords(f"{record['id']}, requires: {error}") from None


def _check_dependencies(record: dict[str, Any], chapter: int, ids: Collection[str]) -> None:
    for name in record.get("depends_on", ()):
        of, local = dependency(name, chapter)
        if of > chapter:
            raise InvalidRecords(f"{record['id']} depends on {name}, in a later chapter; depend on what came before.")
        if of == chapter and local not in ids:
            raise InvalidRecords(
                f"{record['id']} depends on {name}, which this file does not have; write <chapter>:<id>."
            )


def _check_circles(records: list[dict[str, Any]], chapter: int) -> None:
    after = {
        r["id"]: [local for of, local in (dependency(n, chapter) for n in r.get("depends_on", ())) if of == chapter]
        for r in records
    }
    done: set[str] = set()
    for start in after:
        path: list[tuple[str, int]] = [(start, 0)]
        on_path = {start}
        while path:
            name, at = path.pop()
            if name in done or at >= len(after[name]):
                done.add(name)
                on_path.discard(name)
                continue
            path.append((name, at + 1))
            following = after[name][at]
            if following in on_path:
                raise InvalidRecords(
                    f"{following} depends on itself, by way of {name}; take one of the dependencies out."
                )
            if following not in done:
                path.append((following, 0))
                on_path.add(following)
