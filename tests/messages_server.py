"""A local server that speaks the Messages API, for tests: it answers what a script says and remembers what it was asked.

Nothing here was recorded from the real service; every reply is made up by the tests.
"""

from __future__ import annotations

import json
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Literal

from services.extraction.claude.options import ClaudeOptions

Body = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Answer:
    """What the server does with one request.

    `status` other than 200 is an error of the API; `cut` ends a stream in its middle, `error_midway` reports one there;
    `stall` says nothing for so long, `drip` waits so long before each event of a stream. `item` is how the request ends
    where it is one of a batch; `tool` says the text as the input of a tool instead.
    """

    text: str = '{"records": []}'
    stop: str = "end_turn"
    status: int = 200
    retry_after: str | None = None
    thinking: str | None = None
    stall: float = 0.0
    drip: float = 0.0
    cut: bool = False
    error_midway: str | None = None
    item: Literal["succeeded", "errored", "expired", "canceled"] = "succeeded"
    tool: bool = False
    input_tokens: int = 1_000
    cache_write: int = 0
    cache_read: int = 0
    output_tokens: int = 500


def records(*listed: Body) -> Answer:
    """A well-formed reply that lists these records."""
    return Answer(text=json.dumps({"records": list(listed)}, ensure_ascii=False))


def busy(status: Literal[429, 529] = 429, retry_after: str | None = None) -> Answer:
    return Answer(status=status, retry_after=retry_after)


Script = Callable[[Body, int], Answer]
"""From a request's body and its number, from 0, to the answer."""


@dataclass
class MessagesServer:
    """A running server. `answer` is what it does; `asked` are the bodies it got, in order."""

    url: str
    answer: Script
    asked: list[Body] = field(default_factory=list)
    batches: dict[str, list[Body]] = field(default_factory=dict)
    batch_ended: bool = True
    breaks: Literal["", "before the batch", "after the batch"] = ""
    """Where the connection breaks when a batch is created."""
    lock: threading.Lock = field(default_factory=threading.Lock)
    now: str = field(default_factory=lambda: datetime.now(UTC).isoformat())

    def options(self, **changes: Any) -> ClaudeOptions:
        """Options of an extractor that asks this server."""
        return ClaudeOptions(**{"api_key": "test", "base_url": self.url, **changes})

    def script(self, *answers: Answer) -> None:
        """Answer the requests in order; the last answer is given to all that follow."""
        self.answer = lambda _, n: answers[min(n, len(answers) - 1)]

    def note(self, body: Body) -> Answer:
        with self.lock:
            self.asked.append(body)
            number = len(self.asked) - 1
        return self.answer(body, number)


@contextmanager
def messages_server() -> Iterator[MessagesServer]:
    """A server on loopback, in a thread of this process."""
    server = MessagesServer("", lambda _, __: Answer())

    class Handler(_Handler):
        served = server

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    server.url = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        http.shutdown()
        http.server_close()
        thread.join(timeout=5)


def text_of(body: Body) -> str:
    """The fenced text of a request, with its fence."""
    return str(body["messages"][0]["content"][0]["text"])


def is_follow_up(body: Body) -> bool:
    return len(body["messages"][0]["content"]) > 1


class _Handler(BaseHTTPRequestHandler):
    served: MessagesServer
    protocol_version = "HTTP/1.1"

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        return

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with suppress(BrokenPipeError, ConnectionResetError):
            if self.path == "/v1/messages/batches":
                self._new_batch(body)
            elif self.path == "/v1/messages":
                self._message(body)
            else:
                self._error(404, "not_found_error")

    def do_GET(self) -> None:
        parts = self.path.split("?")[0].split("/")
        if parts[1:] == ["v1", "messages", "batches"]:
            names = reversed(self.served.batches)
            self._json(200, {"data": [self._batch(name) for name in names], "has_more": False, "first_id": None})
            return
        batch = self.served.batches.get(parts[4]) if len(parts) > 4 else None
        if batch is None:
            self._error(404, "not_found_error")
        elif parts[-1] == "results":
            self._send(200, "\n".join(json.dumps(self._result(each)) for each in batch), "application/x-jsonl")
        else:
            self._json(200, self._batch(parts[4]))

    def _message(self, body: Body) -> None:
        answer = self.served.note(body)
        time.sleep(answer.stall)
        if answer.status != 200:
            self._error(answer.status, _ERRORS.get(answer.status, "api_error"), answer.retry_after)
        elif body.get("stream"):
            self._stream(body, answer)
        else:
            self._json(200, _message(body, answer))

    def _stream(self, body: Body, answer: Answer) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        events = list(_events(_message(body, answer)))
        if answer.cut or answer.error_midway:
            events = events[: len(events) // 2]
        if answer.error_midway:
            events.append({"type": "error", "error": {"type": answer.error_midway, "message": "midway"}})
        for event in events:
            time.sleep(answer.drip)
            self.wfile.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
            self.wfile.flush()
        self.close_connection = True

    def _new_batch(self, body: Body) -> None:
        if self.served.breaks == "before the batch":
            self.close_connection = True
            return
        with self.served.lock:
            name = f"msgbatch_{secrets.token_hex(6)}"
            self.served.batches[name] = body["requests"]
        if self.served.breaks:
            self.close_connection = True
            return
        self._json(200, self._batch(name))

    def _batch(self, name: str) -> Body:
        ended = self.served.batch_ended
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        counts["succeeded" if ended else "processing"] = len(self.served.batches[name])
        return {
            "id": name,
            "type": "message_batch",
            "processing_status": "ended" if ended else "in_progress",
            "request_counts": counts,
            "created_at": self.served.now,
            "expires_at": self.served.now,
            "ended_at": self.served.now if ended else None,
            "results_url": f"{self.served.url}/v1/messages/batches/{name}/results" if ended else None,
        }

    def _result(self, request: Body) -> Body:
        answer = self.served.note(request["params"])
        if answer.item in ("expired", "canceled"):
            return {"custom_id": request["custom_id"], "result": {"type": answer.item}}
        if answer.status != 200 or answer.item == "errored":
            error = {"type": "error", "error": {"type": "api_error", "message": "failed"}, "request_id": None}
            return {"custom_id": request["custom_id"], "result": {"type": "errored", "error": error}}
        message = _message(request["params"], answer)
        return {"custom_id": request["custom_id"], "result": {"type": "succeeded", "message": message}}

    def _error(self, status: int, kind: str, retry_after: str | None = None) -> None:
        error = {"type": "error", "error": {"type": kind, "message": f"made up: {kind}"}}
        self._send(status, json.dumps(error), "application/json", retry_after)

    def _json(self, status: int, body: Body) -> None:
        self._send(status, json.dumps(body), "application/json")

    def _send(self, status: int, text: str, kind: str, retry_after: str | None = None) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("content-type", kind)
        self.send_header("content-length", str(len(data)))
        if retry_after is not None:
            self.send_header("retry-after", retry_after)
        self.end_headers()
        self.wfile.write(data)


_ERRORS = {
    400: "invalid_request_error",
    401: "authentication_error",
    429: "rate_limit_error",
    529: "overloaded_error",
}


def _message(body: Body, answer: Answer) -> Body:
    content: list[Body] = [{"type": "text", "text": answer.text}]
    if answer.tool:
        content = [{"type": "tool_use", "id": "toolu_1", "name": "records", "input": json.loads(answer.text)}]
    if answer.thinking is not None:
        content.insert(0, {"type": "thinking", "thinking": answer.thinking, "signature": "made up"})
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": body["model"],
        "content": content,
        "stop_reason": answer.stop,
        "stop_sequence": None,
        "usage": {
            "input_tokens": answer.input_tokens,
            "cache_creation_input_tokens": answer.cache_write,
            "cache_read_input_tokens": answer.cache_read,
            "output_tokens": answer.output_tokens,
        },
    }


def _events(message: Body) -> Iterator[Body]:
    yield {"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}
    for index, block in enumerate(message["content"]):
        yield from _block(index, block)
    delta = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": delta, "usage": {"output_tokens": message["usage"]["output_tokens"]}}
    yield {"type": "message_stop"}


def _block(index: int, block: Body) -> Iterator[Body]:
    if block["type"] == "thinking":
        start: Body = {"type": "thinking", "thinking": "", "signature": ""}
        deltas: Sequence[Body] = [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    else:
        tool = block["type"] == "tool_use"
        start = {**block, "input": {}} if tool else {"type": "text", "text": ""}
        text = json.dumps(block["input"]) if tool else block["text"]
        kind, slot = ("input_json_delta", "partial_json") if tool else ("text_delta", "text")
        deltas = [{"type": kind, slot: text[at : at + 200]} for at in range(0, len(text), 200)]
    yield {"type": "content_block_start", "index": index, "content_block": start}
    for delta in deltas:
        yield {"type": "content_block_delta", "index": index, "delta": delta}
    yield {"type": "content_block_stop", "index": index}
