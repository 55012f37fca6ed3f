"""The paths around the framework: sending a message and following a room, which must be fast, and viewing one.

A room's name may contain anything, slashes included; only the path as it was sent tells it exactly.
"""

from collections.abc import Awaitable, Callable
from typing import Any
from urllib.parse import unquote_to_bytes

import msgspec
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from services.relay.exchange import Exchange
from services.relay.machine import RoomLog, room_id
from services.relay.messages import AnyMessage, parse
from services.relay.repeats import Repeats
from services.relay.streams import Streams
from shared import sse
from shared.auth import Caller
from shared.http import Desk, send_answer
from shared.idempotency import Answer, Idempotency, idempotency_of
from shared.ids import UserId
from shared.log.keys import Partition, partition_of
from shared.problems import Problem

_CLIENT_MSG = "/relay/client_msg"
_ROOMS = "/relay/rooms/"


class HotRoutes:
    def __init__(self, exchange: Exchange, streams: Streams, repeats: Repeats, desk: Desk) -> None:
        self._exchange = exchange
        self._streams = streams
        self._repeats = repeats
        self._desk = desk

    def __call__(self, method: str, path: str) -> Callable[[Scope, Receive, Send], Awaitable[int]] | None:
        if path == _CLIENT_MSG and method == "POST":
            return self._client_msg
        if method == "GET" and path.startswith(_ROOMS):
            return self._room
        return None

    def document(self, app: FastAPI) -> None:
        """Put these paths into the app's documentation; the framework never sees their requests."""
        schema = app.openapi()
        schema["paths"].update(_documentation())

    async def _client_msg(self, scope: Scope, receive: Receive, send: Send) -> int:
        caller = self._desk.caller(scope)
        body = scope["parlor.body"]
        idem = idempotency_of(scope["parlor.headers"], caller.user, _CLIENT_MSG, body)
        answer = await self._answer(caller.user, body, idem)
        await send_answer(scope, send, answer)
        return answer.status

    async def _answer(self, user: UserId, body: bytes, idem: Idempotency | None) -> Answer:
        if idem is None:
            return await self._exchange.send(_own(parse(body), user), body, None)
        try:
            message, unfit = _own(parse(body), user), None
        except Problem as problem:
            message, unfit = None, problem
        # A key that was used before is told of first, whatever it comes with.
        if kept := await self._repeats.recall(idem, _partition(message) if message else None):
            return kept
        if message is None:
            assert unfit is not None, "either it could be read or not"
            raise unfit
        return await self._exchange.send(message, body, idem)

    async def _room(self, scope: Scope, receive: Receive, send: Send) -> int:
        caller = self._desk.caller(scope)
        match scope["raw_path"][len(_ROOMS) :].split(b"/"):
            case [name]:
                view = await self._exchange.view(_utou(name), caller.user)
                await send_answer(scope, send, Answer(200, msgspec.json.encode(view)))
                return 200
            case [name, b"events"]:
                return await self._events(_utou(name), caller, scope, receive, send)
            case _:
                raise Problem("not_found")

    async def _events(self, utou: str, caller: Caller, scope: Scope, receive: Receive, send: Send) -> int:
        response = await self._streams.follow(utou, caller, sse.cursor_of(scope))
        try:
            return await self._desk.stream(caller, response, scope, receive, send)
        finally:
            self._streams.ended(response)


def _own(message: AnyMessage, user: UserId) -> AnyMessage:
    if message.sender != user:
        raise Problem("forbidden", "`from` must be the caller.")
    return message


def _partition(message: AnyMessage) -> Partition:
    return partition_of(RoomLog.service, room_id(message.utouId))


def _utou(raw: bytes) -> str:
    return unquote_to_bytes(raw).decode(errors="replace")


def _documentation() -> dict[str, Any]:
    room = {"name": "utouId", "in": "path", "required": True, "schema": {"type": "string"}}
    cursor = {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}}
    return {
        _CLIENT_MSG: {
            "post": {
                "tags": ["relay"],
                "summary": "Send",
                "description": "A payload of the protocol, version 3, for the other player of its room.",
                "requestBody": {"required": True, "content": {"application/json": {"schema": {"type": "object"}}}},
                "responses": {"200": {"description": "What became of it."}},
            }
        },
        f"{_ROOMS}{{utouId}}": {
            "get": {
                "tags": ["relay"],
                "summary": "View",
                "description": "The room, for its players.",
                "parameters": [room],
                "responses": {"200": {"description": "The room."}},
            }
        },
        f"{_ROOMS}{{utouId}}/events": {
            "get": {
                "tags": ["relay"],
                "summary": "Follow",
                "description": "Server-sent events: a snapshot and what was not taken yet, or what came after the"
                " cursor; then all as it happens.",
                "parameters": [room, cursor],
                "responses": {"200": {"description": "The stream.", "content": {"text/event-stream": {}}}},
            }
        },
    }
