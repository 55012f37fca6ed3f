"""The relay's paths, except those in `hot`."""

from typing import Annotated

from fastapi import APIRouter, Depends, Request, Response

from services.relay.liff import IdToken, Liff
from shared.http import RawBody, decoded, takes
from shared.runtime import Runtime
from shared.sign_in import welcome

routes = APIRouter(prefix="/relay", tags=["relay"])


async def _liff(request: Request) -> Liff:
    liff: Liff = request.app.state.liff
    return liff


async def _limited(request: Request) -> None:
    runtime: Runtime = request.app.state.runtime
    runtime.sign_ins.take(request.client.host if request.client else "")


@routes.post("/auth/liff", status_code=201, dependencies=[Depends(_limited)], openapi_extra=takes(IdToken))
async def sign_in(raw: RawBody, request: Request, liff: Annotated[Liff, Depends(_liff)]) -> Response:
    """Come in with the ID token that LINE has given a LIFF app."""
    return welcome(liff.signed_in(decoded(raw, IdToken)), request)
