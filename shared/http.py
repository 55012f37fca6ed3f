"""The pieces of which the services' routes are made."""

import re
from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, FastAPI, Request, Response
from starlette.exceptions import HTTPException
from starlette.types import Receive, Scope, Send

from shared.auth import Caller, Tokens
from shared.edge import AWAY, as_problem
from shared.idempotency import Answer, Idempotency, idempotency_of
from shared.limits import RateLimit
from shared.problems import Problem, invalid
from shared.sse import EventStream

T = TypeVar("T")

# What decoding a body may raise, whatever the client sends.
UNREADABLE = (msgspec.MsgspecError, RecursionError, UnicodeDecodeError)


class Desk:
    """Checks who calls, and how often: the same for routes of the framework and around it."""

    def __init__(self, tokens: Tokens, users: RateLimit) -> None:
        self.tokens = tokens
        self._users = users

    def caller(self, scope: Any) -> Caller:
        caller = self.tokens.caller(scope["parlor.headers"])
        self._users.take(caller.user)
        return caller

    async def stream(self, caller: Caller, response: EventStream, scope: Any, receive: Receive, send: Send) -> int:
        """Send an event stream, for as long as the caller's token counts."""
        response.headers = [*response.headers, *scope["parlor.reply_headers"]]
        scope["parlor.started"] = True
        with self.tokens.until_revoked(caller, response.stream.close):
            await response(scope, receive, send)
        return 200


# Asynchronous although they never wait: the framework sends plain functions to a thread.
async def _caller(request: Request) -> Caller:
    desk: Desk = request.app.state.desk
    return desk.caller(request.scope)


async def _raw_body(request: Request) -> bytes:
    body: bytes = request.scope["parlor.body"]
    return body


async def _idempotency(request: Request, caller: Annotated[Caller, Depends(_caller)]) -> Idempotency | None:
    scope = request.scope
    return idempotency_of(scope["parlor.headers"], caller.user, scope["path"], scope["parlor.body"])


CallerDep = Annotated[Caller, Depends(_caller)]
RawBody = Annotated[bytes, Depends(_raw_body)]
IdempotencyDep = Annotated[Idempotency | None, Depends(_idempotency)]


def decoded(raw: bytes, form: type[T]) -> T:
    """A body in its form; raises the 422 problem."""
    try:
        return msgspec.json.decode(raw, type=form)
    except UNREADABLE as error:
        raise invalid(explained(error)) from None


def nothing(raw: bytes) -> None:
    """Commands without a body take none, or an empty object."""
    if raw.strip():
        decoded(raw, dict[str, Any])


def answered(answer: Answer) -> Response:
    headers = {"Idempotent-Replayed": "true"} if answer.replayed else None
    return Response(answer.body, answer.status, headers, media_type="application/json")


async def send_answer(scope: Scope, send: Send, answer: Answer) -> None:
    """`answered` for a route around the framework."""
    headers = [
        (b"content-type", b"application/json"),
        (b"content-length", b"%d" % len(answer.body)),
        *scope["parlor.reply_headers"],
    ]
    if answer.replayed:
        headers.append((b"idempotent-replayed", b"true"))
    if not scope["parlor.connection"].answer(scope, answer.status, headers, answer.body):
        await send({"type": "http.response.start", "status": answer.status, "headers": headers})
        await send({"type": "http.response.body", "body": answer.body})


def takes(form: Any) -> dict[str, Any]:
    """The documentation of a body that a route decodes by itself."""
    (schema,), components = msgspec.json.schema_components([form], ref_template="#/$defs/{name}")
    if components:
        schema = {**schema, "$defs": components}
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": schema}}}}


def new_app(title: str, service: str, desk: Desk, **kwargs: Any) -> FastAPI:
    """An app whose every error is a problem and whose documentation lies under its own prefix."""
    app = FastAPI(
        title=title,
        openapi_url=f"/{service}/openapi.json",
        docs_url=f"/{service}/docs",
        redoc_url=None,
        redirect_slashes=False,  # an unknown path is a problem, not a detour
        **kwargs,
    )
    app.state.desk = desk

    async def dress(request: Request, error: Exception) -> Response:
        problem = as_problem(error)
        response = Response(problem.body(), problem.status)
        response.raw_headers = [*problem.headers(), (b"content-length", str(len(response.body)).encode())]
        return response

    for kind in (Problem, HTTPException, *AWAY, Exception):
        app.add_exception_handler(kind, dress)
    return app


def explained(error: Exception) -> str:
    """The decoder's words, without anything that the client sent."""
    said = re.sub(r"[^\x20-\x7e]", "?", str(error)) or "The body is not valid."
    return said[:300]
