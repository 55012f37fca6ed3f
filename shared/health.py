"""Is it alive, is it ready, what does it measure: the same three answers from every service."""

from fastapi import APIRouter, Response
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from shared import db
from shared.runtime import Runtime


def router(service: str, runtime: Runtime) -> APIRouter:
    routes = APIRouter(prefix=f"/{service}", tags=["operations"])

    @routes.get("/health/live")
    async def live() -> dict[str, str]:
        """The process answers."""
        return {"status": "live"}

    @routes.get("/health/ready")
    async def ready() -> dict[str, str]:
        """Redis and the database answer too; otherwise 503."""
        await runtime.probe.ping()
        await db.check(runtime.db)
        return {"status": "ready"}

    @routes.get("/metrics", include_in_schema=False)
    async def metrics() -> Response:
        return Response(generate_latest(), media_type=CONTENT_TYPE_LATEST)

    return routes
