"""What an operator's machinery asks: is the process up, can it serve, and how is it doing."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter
from starlette.responses import Response

from services.console.context import Shared, document
from services.console.problems import reply
from services.documents import as_refusal, describe
from services.observing.metrics import CONTENT_TYPE
from services.projecting.health import ProjectionHealth

MAX_LAG: Final = 10_000
"""So many positions behind, a read model no longer counts as ready."""

routes = APIRouter(tags=["running"])


@routes.head("/healthz", include_in_schema=False)
@routes.get("/healthz", summary="The process is up", operation_id="healthz")
async def healthz() -> Response:
    return document({"status": "up"})


@routes.get("/readyz", summary="PostgreSQL answers and the read models keep up")
async def readyz(shared: Shared) -> Response:
    try:
        health = await shared.look(shared.application.read_models)
    except Exception as error:
        known = as_refusal(error)
        if known is None:
            raise
        return _not_ready([str(known)])
    against = {each: reason for each in health if (reason := reason_against(each))}
    reasons = [reason for each, reason in against.items() if each.required]
    if reasons:
        return _not_ready(reasons)
    lags = {each.name: {"lag": each.lag} for each in health}
    return document({"status": "ready", "projections": lags, "degraded": list(against.values())})


@routes.get("/metrics", summary="Metrics in the text format of Prometheus")
async def metrics(shared: Shared) -> Response:
    return Response(await shared.look(shared.metrics.exposition), media_type=CONTENT_TYPE)


def reason_against(health: ProjectionHealth) -> str | None:
    """Why a read model cannot be relied on now, or None."""
    if not health.built:
        return f"the read model {health.name} has not been built yet; see that `fabula project` runs"
    if health.stalled_at is not None:
        return (
            f"the read model {health.name} cannot pass position {health.stalled_at} ({health.error or 'no reason kept'}); "
            "see the log, then run `fabula replay`"
        )
    if health.lag > MAX_LAG:
        return f"the read model {health.name} is {health.lag} positions behind; see that `fabula project` runs"
    return None


def _not_ready(reasons: list[str]) -> Response:
    return reply(
        {**describe(503, "not-ready", "Not ready", "; ".join(reasons)), "reasons": reasons}, {"Retry-After": "2"}
    )
