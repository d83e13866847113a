"""The page at /docs: every route, from the OpenAPI description, without a script from anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from starlette.responses import HTMLResponse, Response

from services.console.markup import Element, document, table, tag

if TYPE_CHECKING:
    from fastapi import FastAPI

_METHODS: Final = ("get", "put", "post", "delete")


def install(app: FastAPI) -> None:
    """Serve the page; it is made once, from the description the application gives of itself."""

    @app.get("/docs", include_in_schema=False)
    def docs() -> Response:
        return HTMLResponse(page(app.openapi()))


def page(openapi: dict[str, Any]) -> bytes:
    routes = [
        _route(method, path, operation)
        for path, operations in openapi["paths"].items()
        for method, operation in operations.items()
        if method in _METHODS
    ]
    about = tag(
        "p",
        "Replies are JSON; errors are problem documents (RFC 9457) whose ",
        tag("code", "detail"),
        " says what to do. The full description: ",
        tag("a", "openapi.json", href="/openapi.json"),
        ".",
    )
    return document("HTTP API", about, routes)


def _route(method: str, path: str, operation: dict[str, Any]) -> Element:
    rows = [
        (tag("code", each["name"]), each["in"], each.get("description", ""), "required" if each.get("required") else "")
        for each in operation.get("parameters", [])
        if each["in"] == "query"
    ]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    for name, schema in body.get("properties", {}).items():
        needed = "required" if name in body.get("required", []) else ""
        rows.append((tag("code", name), "body", schema.get("description", ""), needed))
    heading = tag("h2", tag("code", f"{method.upper()} {path}"))
    parameters = table(("field", "in", "meaning", ""), rows, "") if rows else None
    return tag("section", heading, tag("p", operation.get("summary", "")), parameters)
