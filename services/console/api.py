"""The HTTP application: routes, pages, problem documents, metrics. Built from an `Application`; owns nothing else."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI

from services.console import (
    asking,
    audit_pages,
    auditing,
    branching,
    docs,
    draft_pages,
    foreseeing,
    health,
    pages,
    problems,
    reading,
    suggesting,
    takedown,
    writing,
)
from services.console.context import Context
from services.console.middleware import Observed
from services.console.status import routes as status_routes
from services.documents import as_refusal
from services.observing.metrics import Metrics
from services.projecting.health import ProjectionHealth

if TYPE_CHECKING:
    from services.composition import Application

VERSION = "1"


def create_app(application: Application) -> FastAPI:
    """The ASGI application over the services of `application`, which the caller closes."""
    metrics = Metrics(lambda: _known(application), [application.intake.registry])
    context = Context(application, metrics)

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        yield
        context.close()

    app = FastAPI(
        title="Fabula",
        version=VERSION,
        description="The memory of a serialized-fiction platform: story state as of any chapter and any moment of belief.",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.context = context
    problems.install(app)
    app.add_middleware(Observed, metrics=metrics)
    for routes in (
        writing.routes,
        takedown.routes,
        branching.routes,
        reading.routes,
        suggesting.routes,
        auditing.routes,
        asking.routes,
        foreseeing.routes,
        health.routes,
        pages.routes,
        audit_pages.routes,
        draft_pages.routes,
    ):
        app.include_router(routes)
    app.include_router(status_routes)
    docs.install(app)
    return app


def _known(application: Application) -> Sequence[ProjectionHealth]:
    """How far the read models are, or nothing while the database is away: the other metrics are wanted then above all."""
    try:
        return application.read_models()
    except Exception as error:
        if as_refusal(error) is None:
            raise
        return ()
