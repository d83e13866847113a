"""A language model's client drives the MCP server: a real process, over standard input and output, and over HTTP."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Awaitable, Callable
from importlib.metadata import version
from typing import Any

from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp_types import CallToolResult, TextContent

from services.client.awaited import READING, WRITING
from services.composition import Application
from services.mcp.server import embedded, server
from services.settings import Settings
from tests.serving_fixtures import ROOT, entity, owns

FIRST = "Mara Voss held the brass key."
MARA = [entity("e1", "Mara Voss"), owns("o1", "brass key", "Mara Voss", "held the brass key")]
SECOND = "Mara gave the brass key to Tomas Reyle."
TOMAS = [entity("e1", "Tomas Reyle"), owns("o1", "brass key", "Tomas Reyle", "gave the brass key to Tomas Reyle")]


def told(environment: dict[str, str], story: str) -> None:
    with Application(Settings.from_env(environment)) as application:
        application.publisher.publish(story, 1, FIRST, records=MARA)
        application.publisher.publish(story, 2, SECOND, records=TOMAS)


def driven(environment: dict[str, str], *options: str, by: Callable[[Client], Awaitable[None]]) -> None:
    """Starts `fabula mcp` and lets a client of the SDK drive it."""
    parameters = StdioServerParameters(
        command=sys.executable, args=["-m", "services.cli.main", "mcp", *options], env=environment, cwd=str(ROOT)
    )

    async def main() -> None:
        async with Client(stdio_client(parameters)) as client:
            await by(client)

    asyncio.run(asyncio.wait_for(main(), 120))


def document(result: CallToolResult) -> dict[str, Any]:
    assert not result.is_error, result.content
    assert isinstance(result.structured_content, dict)
    return result.structured_content


def said(result: CallToolResult) -> str:
    assert isinstance(result.content[0], TextContent)
    return result.content[0].text


def test_a_client_reads_a_story_over_standard_input_and_output(environment: dict[str, str], story: str) -> None:
    told(environment, story)

    async def drive(client: Client) -> None:
        assert client.server_info is not None
        assert client.server_info.version == version("fabula")
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert {"state", "history", "entity", "packet", "ask", "check", "audit", "branches"} <= tools.keys()
        assert not {"publish", "retract", "merge", "exempt", "branch", "promote", "drop_branch"} & tools.keys()
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools.values())
        assert "as of this chapter" in tools["state"].input_schema["properties"]["at"]["description"]

        first = await client.call_tool("state", {"story": story, "at": 1, "key": "owner("})
        assert [each["value"] for each in document(first)["state"]] == ["Mara Voss"]
        assert json.loads(said(first)) == document(first)
        last = await client.call_tool("state", {"story": story, "key": "owner("})
        assert [each["value"] for each in document(last)["state"]] == ["Tomas Reyle"]

        packet = await client.call_tool("packet", {"story": story, "question": "Who has the key?", "at": 1})
        assert {item["chapter"] for item in document(packet)["items"]} == {1}

        answer = document(
            await client.call_tool("ask", {"story": story, "question": "Who has the brass key?", "at": 1})
        )
        assert set(answer["evidence_ids"]) <= {item["id"] for item in answer["packet"]["items"]}
        assert "Tomas" not in json.dumps(answer)

        unknown = await client.call_tool("state", {"story": "nobodys-story"})
        assert unknown.is_error
        assert "There is no such story" in said(unknown)
        assert "fabula stories" in said(unknown)
        assert (await client.call_tool("publish", {"story": story, "chapter": 3, "text": "No."})).is_error

    driven(environment, by=drive)


def test_every_operation_that_reads_is_a_tool_and_every_one_that_writes_is_refused(
    environment: dict[str, str], story: str
) -> None:
    told(environment, story)
    reading, writing = ({name for each in classes for name in public(each)} for classes in (READING, WRITING))
    assert {
        "recap",
        "promises",
        "knowledge",
        "trajectory",
        "chains",
        "impact",
        "constraints",
        "diff_branches",
    } <= reading
    assert {"publish", "retract", "merge", "split", "checkpoint", "due", "exempt", "branch", "promote"} <= writing

    async def drive(client: Client) -> None:
        before = document(await client.call_tool("audit", {"story": story}))
        assert {tool.name for tool in (await client.list_tools()).tools} == reading
        for name in sorted(writing):
            refused = await client.call_tool(
                name, {"story": story, "chapter": 1, "text": "No.", "name": "no", "thread": "no"}
            )
            assert refused.is_error, name
            assert name in said(refused)
        assert document(await client.call_tool("audit", {"story": story})) == before

    driven(environment, by=drive)


def public(of: type) -> list[str]:
    return [name for name, value in vars(of).items() if not name.startswith("_") and callable(value)]


def test_with_write_a_client_can_publish(environment: dict[str, str], story: str) -> None:
    async def drive(client: Client) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        annotations = tools["publish"].annotations
        assert annotations is not None
        assert not annotations.read_only_hint
        reply = await client.call_tool("publish", {"story": story, "chapter": 1, "text": FIRST, "records": MARA})
        assert document(reply)["revision"] == 1
        state = await client.call_tool("state", {"story": story, "key": "owner("})
        assert [each["value"] for each in document(state)["state"]] == ["Mara Voss"]
        refused = await client.call_tool("publish", {"story": story, "chapter": 0, "text": FIRST})
        assert refused.is_error
        assert "chapter" in said(refused)

    driven(environment, "--write", by=drive)


def test_without_a_server_at_the_url_a_tool_says_so(environment: dict[str, str]) -> None:
    async def drive(client: Client) -> None:
        result = await client.call_tool("stories", {})
        assert result.is_error
        assert "fabula serve" in said(result)

    driven(environment, "--url", "http://127.0.0.1:9", by=drive)


def test_the_streamable_http_application_answers_the_same(environment: dict[str, str], story: str) -> None:
    import httpx2
    from mcp.client.streamable_http import streamable_http_client

    told(environment, story)

    async def main() -> None:
        with Application(Settings.from_env(environment)) as application:
            async with embedded(application) as fabula:
                made = server(fabula)
                app = made.streamable_http_app(host="127.0.0.1")
                transport = httpx2.ASGITransport(app=app)
                async with (
                    made.session_manager.run(),
                    httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1:8078") as http,
                    Client(streamable_http_client("http://127.0.0.1:8078/mcp", http_client=http)) as client,
                ):
                    state = await client.call_tool("state", {"story": story, "at": 1, "key": "owner("})
                    assert [each["value"] for each in document(state)["state"]] == ["Mara Voss"]

    asyncio.run(asyncio.wait_for(main(), 60))
