"""The lobby's paths."""

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request, Response

from services.lobby.identity import Credentials, Guest, Identity
from shared import catalogue
from shared.auth import COOKIE
from shared.http import CallerDep, RawBody, decoded, takes
from shared.runtime import Runtime
from shared.sign_in import shown, welcome

routes = APIRouter(prefix="/lobby", tags=["lobby"])


async def _identity(request: Request) -> Identity:
    identity: Identity = request.app.state.identity
    return identity


async def _runtime(request: Request) -> Runtime:
    runtime: Runtime = request.app.state.runtime
    return runtime


IdentityDep = Annotated[Identity, Depends(_identity)]
RuntimeDep = Annotated[Runtime, Depends(_runtime)]


async def _limited(request: Request, runtime: RuntimeDep) -> None:
    runtime.sign_ins.take(request.client.host if request.client else "")


@routes.post("/auth/guest", status_code=201, dependencies=[Depends(_limited)], openapi_extra=takes(Guest))
async def guest(raw: RawBody, identity: IdentityDep, request: Request) -> Response:
    """Play without an account."""
    return welcome(await identity.guest(decoded(raw, Guest)), request)


@routes.post("/auth/register", status_code=201, dependencies=[Depends(_limited)], openapi_extra=takes(Credentials))
async def register(raw: RawBody, identity: IdentityDep, runtime: RuntimeDep, request: Request) -> Response:
    """Make an account; a guest's token keeps its id."""
    caller = runtime.tokens.find(request.scope["parlor.headers"])
    return welcome(await identity.register(decoded(raw, Credentials), caller), request)


@routes.post("/auth/login", dependencies=[Depends(_limited)], openapi_extra=takes(Credentials))
async def login(raw: RawBody, identity: IdentityDep, request: Request) -> Response:
    """Come back to an account."""
    return welcome(await identity.login(decoded(raw, Credentials)), request, status=200)


@routes.post("/auth/logout", status_code=204, dependencies=[Depends(_limited)])
async def logout(identity: IdentityDep, runtime: RuntimeDep, request: Request) -> Response:
    """Revoke the token and clear the cookie."""
    caller = runtime.tokens.find(request.scope["parlor.headers"])
    if caller:
        await identity.logout(caller)
    response = Response(status_code=204)
    response.delete_cookie(COOKIE, httponly=True, samesite="strict")
    return response


@routes.get("/me")
async def me(caller: CallerDep) -> dict[str, Any]:
    """Who the caller is."""
    return {"user": shown(caller)}


@routes.get("/games")
async def games(runtime: RuntimeDep) -> dict[str, Any]:
    """The catalogue, as the session service publishes it."""
    return {"games": await catalogue.published(runtime.redis)}
