"""Runs a case: a script of steps against a served API, in a story of its own. Returns what did not hold, as sentences.

A case is {"name", "about", "script": [step, …]}; a step is one of

    {"publish": n, "text", "records"?, "title"?, "unchanged"?, "rejected"?, "status"?, "warns"?}
    {"retract": n, "status"?}
    {"merge": [a, b], "since"?, "status"?}     {"split": [alias, from], "status"?}     {"checkpoint": name, "at"?, "status"?}
    {"mark": name}                             the last position, under a name
    {"state": {"at", "as_recorded"?}, "has": {key: value}, "lacks": [key prefixes], "since": {key: chapter}, "incomplete"?}
    {"history": key, "current": [[value, from, to], …]}
    {"entity": name, "at"?, "is": {field: value}}
    {"timeline": {"at"?}, "present": {name: [chapters]}, "mentioned": {name: [chapters]}}
    {"audit": {"chapter"?, "record"?, "since"?}, "has": [event], "lacks": [event]}
    {"same_digest": [point, point]}
    {"blind": {"question", "at", "method", "budget"}, "then": [steps]}   the packet is the same before and after the steps

`at` is a chapter or the name of a checkpoint, `as_recorded` a mark.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Mapping
from typing import Any, Final
from urllib.parse import quote

import httpx

Step = Mapping[str, Any]
SUCCESS: Final = (200, 201)


class Run:
    """One case in its story: where the log stood at each mark, and what has failed so far."""

    def __init__(self, api: httpx.Client) -> None:
        self._api = api
        self._root = f"/v1/stories/case-{secrets.token_hex(6)}"
        self._marks: dict[str, int] = {}
        self._position = 0
        self._where = ""
        self.faults: list[str] = []

    def play(self, steps: list[Step], prefix: str = "") -> None:
        for number, step in enumerate(steps, 1):
            self._where = f"{prefix}{number}"
            name = next((each for each in self._kinds() if each in step), None)
            if name is None:
                self._fault(f"no such step: {sorted(step)}")
            else:
                self._kinds()[name](step)

    def _kinds(self) -> dict[str, Callable[[Step], None]]:
        names = (
            "publish", "retract", "merge", "split", "checkpoint", "mark", "state", "history", "entity", "timeline",
            "audit", "same_digest", "blind",
        )  # fmt: skip
        return {name: getattr(self, f"_{name}") for name in names}

    # --- writing ---

    def _publish(self, step: Step) -> None:
        body = {key: step[key] for key in ("text", "records", "title") if key in step}
        reply = self._write(step, "PUT", f"/chapters/{step['publish']}", {**body, "wait": True})
        if reply is None:
            return
        self._expect("unchanged", reply.get("unchanged"), step)
        if "rejected" in step:
            got = sorted(each["record"] for each in reply["rejected"])
            self._same("the records rejected", got, sorted(step["rejected"]))
        for words in step.get("warns", ()):
            if not any(words in warning for warning in reply["warnings"]):
                self._fault(f"no warning has {words!r}: {reply['warnings']}")

    def _retract(self, step: Step) -> None:
        self._write(step, "DELETE", f"/chapters/{step['retract']}", None)

    def _merge(self, step: Step) -> None:
        a, b = step["merge"]
        since = {"since": step["since"]} if "since" in step else {}
        self._write(step, "POST", "/merge", {"a": a, "b": b, **since})

    def _split(self, step: Step) -> None:
        alias, from_ = step["split"]
        self._write(step, "POST", "/split", {"alias": alias, "from": from_})

    def _checkpoint(self, step: Step) -> None:
        body = {"at": step["at"]} if "at" in step else {}
        self._write(step, "PUT", f"/checkpoints/{quote(step['checkpoint'])}", body)

    def _write(self, step: Step, method: str, path: str, body: Any) -> dict[str, Any] | None:
        """Send a write; its reply, or None where another status was expected or a success failed to come."""
        answer = self._api.request(method, self._root + path, json=body)
        if "status" in step:
            self._same(f"the status ({answer.text[:200]})", answer.status_code, step["status"])
            if answer.status_code not in SUCCESS:
                return None
        elif answer.status_code not in SUCCESS:
            self._fault(f"{method} {path} answered {answer.status_code}: {answer.text[:300]}")
            return None
        reply: dict[str, Any] = answer.json()
        self._position = max(self._position, reply.get("position") or 0)
        return reply

    def _mark(self, step: Step) -> None:
        self._marks[step["mark"]] = self._position

    # --- reading ---

    def _state(self, step: Step) -> None:
        reply = self._read("/state", self._point(step["state"]))
        if reply is None:
            return
        rows = {row["key"]: row for row in reply["state"]}
        for key, value in step.get("has", {}).items():
            self._same(f"the value of {key} at {step['state']}", rows.get(key, {}).get("value"), value)
        for key, chapter in step.get("since", {}).items():
            self._same(f"since when {key} holds", rows.get(key, {}).get("valid_from"), chapter)
        for stem in step.get("lacks", ()):
            if found := [key for key in rows if key.startswith(stem)]:
                self._fault(f"at {step['state']} there is {found}")
        self._expect("incomplete", reply.get("incomplete"), step)

    def _history(self, step: Step) -> None:
        reply = self._read("/history", {"key": step["history"]})
        if reply is not None:
            current = [each for each in reply["intervals"] if each["recorded_to"] is None]
            got = sorted([each["value"], each["valid_from"], each["valid_to"]] for each in current)
            self._same(f"the history of {step['history']}", got, sorted(step["current"]))

    def _entity(self, step: Step) -> None:
        reply = self._read(f"/entities/{quote(step['entity'], safe='')}", {"at": step.get("at")})
        if reply is not None:
            for field, value in step["is"].items():
                self._same(f"{field} of {step['entity']}", reply.get(field), value)

    def _timeline(self, step: Step) -> None:
        reply = self._read("/timeline", self._point(step["timeline"]))
        if reply is None:
            return
        rows = {row["name"]: row for row in reply["characters"]}
        for sign in ("present", "mentioned"):
            for name, chapters in step.get(sign, {}).items():
                self._same(f"where {name} is {sign}", rows.get(name, {}).get(sign), chapters)

    def _audit(self, step: Step) -> None:
        spec = step["audit"]
        reply = self._read("/audit", {key: spec.get(key) for key in ("chapter", "record")})
        if reply is None:
            return
        events = [e for e in reply["events"] if e["position"] > self._marks.get(spec.get("since"), 0)]
        shown = [(e["type"], e["record"], e["reason"]) for e in events]
        for wanted in step.get("has", ()):
            if not any(_matches(event, wanted) for event in events):
                self._fault(f"the audit lacks {wanted}: {shown[:12]}")
        for unwanted in step.get("lacks", ()):
            if any(_matches(event, unwanted) for event in events):
                self._fault(f"the audit has {unwanted}")
        for event in events:
            consequence = event["type"] in ("RecordInvalidated", "RecordReinstated")
            if consequence and not (event["caused_by"] and event["correlation"]):
                self._fault(f"the event at {event['position']} names no cause or no publication")

    def _same_digest(self, step: Step) -> None:
        replies = [self._read("/state", self._point(point)) for point in step["same_digest"]]
        digests = [None if reply is None else reply["digest"] for reply in replies]
        if None in digests or len(set(digests)) != 1:
            self._fault(f"digests differ: {digests}")

    def _blind(self, step: Step) -> None:
        before = self._api.post(self._root + "/packet", json=step["blind"])
        where = self._where
        self.play(step["then"], where + ".")
        self._where = where
        after = self._api.post(self._root + "/packet", json=step["blind"])
        if before.status_code != 200:
            self._fault(f"the packet was refused: {before.text[:300]}")
        elif not before.json()["items"]:
            self._fault("the packet is empty")
        elif before.content != after.content:
            self._fault("the packet changed once later chapters existed")

    def _read(self, path: str, query: Mapping[str, Any]) -> dict[str, Any] | None:
        given = {key: value for key, value in query.items() if value is not None}
        answer = self._api.get(self._root + path, params=given)
        if answer.status_code != 200:
            self._fault(f"GET {path} {given} answered {answer.status_code}: {answer.text[:300]}")
            return None
        reply: dict[str, Any] = answer.json()
        return reply

    def _point(self, spec: Mapping[str, Any]) -> dict[str, Any]:
        mark = spec.get("as_recorded")
        return {"at": spec.get("at"), "as_recorded": None if mark is None else self._marks[mark]}

    # --- judging ---

    def _expect(self, field: str, got: Any, step: Step) -> None:
        if field in step:
            self._same(field, got, step[field])

    def _same(self, what: str, got: Any, wanted: Any) -> None:
        if got != wanted:
            self._fault(f"{what} is {json.dumps(got)}, expected {json.dumps(wanted)}")

    def _fault(self, text: str) -> None:
        self.faults.append(f"step {self._where}: {text}")


def _matches(event: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    return all(event.get(key) == value for key, value in wanted.items())


def run(case: Mapping[str, Any], api: httpx.Client) -> list[str]:
    """Play a case; what did not hold."""
    played = Run(api)
    played.play(list(case["script"]))
    return played.faults
