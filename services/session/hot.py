"""The paths that must be fast, around the framework: submitting a move, acknowledging, and following a game.

FastAPI's dependency solving costs as much as all the rest of a durable move.
"""

from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from services.session import decide
from services.session.commands import seat_of
from services.session.engine import Engine
from services.session.facts import Fact, Played
from services.session.match import AnyMatch
from shared.http import UNREADABLE, Desk, explained, send_answer, takes
from shared.idempotency import idempotency_of
from shared.kernel import Move
from shared.log.hub import Hub
from shared.log.live import Person
from shared.problems import invalid
from shared.sse import cursor_of

_GAMES = "/session/games/"
_MOVES = "/moves"
_ACKS = "/acks"
_EVENTS = "/events"


class Acked(msgspec.Struct, frozen=True):
    """The body of an acknowledgement."""

    version: int


_acked = msgspec.json.Decoder(Acked).decode


class NoMove(Move, frozen=True, tag="no_move"):
    """What no game takes."""


class HotRoutes:
    def __init__(self, engine: Engine, hub: Hub, desk: Desk, moves: dict[str, Any]) -> None:
        self._engine = engine
        self._hub = hub
        self._desk = desk
        # A second kind of move makes `type` obligatory even for a game that has only one.
        self._moves = {game_type: msgspec.json.Decoder(form | NoMove) for game_type, form in moves.items()}

    def __call__(self, method: str, path: str) -> Callable[[Scope, Receive, Send], Awaitable[int]] | None:
        if path.startswith(_GAMES):
            if method == "POST" and path.endswith(_MOVES):
                return self._move
            if method == "POST" and path.endswith(_ACKS):
                return self._ack
            if method == "GET" and path.endswith(_EVENTS):
                return self._events
        return None

    def document(self, app: FastAPI) -> None:
        """Put these paths into the app's documentation; the framework never sees their requests."""
        schema = app.openapi()
        schema["paths"].update(_documentation())

    async def _move(self, scope: Scope, receive: Receive, send: Send) -> int:
        caller = self._desk.caller(scope)
        path, body = scope["path"], scope["parlor.body"]
        idem = idempotency_of(scope["parlor.headers"], caller.user, path, body)

        def command(match: AnyMatch) -> decide.Play:
            return decide.Play(seat_of(match, caller), self._parsed(match.game_type, body))

        game_id = path[len(_GAMES) : -len(_MOVES)]
        answer = await self._engine.submit(game_id, "move", command, idem, _accepted)
        await send_answer(scope, send, answer)
        return answer.status

    async def _ack(self, scope: Scope, receive: Receive, send: Send) -> int:
        caller = self._desk.caller(scope)
        path, body = scope["path"], scope["parlor.body"]
        idem = idempotency_of(scope["parlor.headers"], caller.user, path, body)

        def command(match: AnyMatch) -> decide.Ack:
            box = seat_of(match, caller)
            try:
                return decide.Ack(box, _acked(body).version)
            except UNREADABLE as error:
                raise invalid(explained(error)) from None

        answer = await self._engine.submit(path[len(_GAMES) : -len(_ACKS)], "ack", command, idem)
        await send_answer(scope, send, answer)
        return answer.status

    def _parsed(self, game_type: str, body: bytes) -> Move:
        try:
            move: Move = self._moves[game_type].decode(body)
        except UNREADABLE as error:
            raise invalid(f"This is no move of {game_type}: {explained(error)}") from None
        if isinstance(move, NoMove):
            raise invalid(f"This is no move of {game_type}.")
        return move

    async def _events(self, scope: Scope, receive: Receive, send: Send) -> int:
        caller = self._desk.caller(scope)
        live = await self._engine.game(scope["path"][len(_GAMES) : -len(_EVENTS)])
        person = Person(caller.user, caller.nick, caller.avatar)
        response = await self._hub.follow(live, person, cursor_of(scope))
        return await self._desk.stream(caller, response, scope, receive, send)


def _documentation() -> dict[str, Any]:
    game = {"name": "game_id", "in": "path", "required": True, "schema": {"type": "string"}}
    cursor = {"name": "Last-Event-ID", "in": "header", "schema": {"type": "string"}}
    return {
        f"{_GAMES}{{game_id}}{_MOVES}": {
            "post": {
                "tags": ["session"],
                "summary": "Play",
                "description": "Submit a move; the catalogue has the schema of each game's moves.",
                "parameters": [game],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"type": "object"}}},
                },
                "responses": {"200": {"description": "The move is in the log."}},
            }
        },
        f"{_GAMES}{{game_id}}{_ACKS}": {
            "post": {
                "tags": ["session"],
                "summary": "Acknowledge",
                "description": "Everything that was sent to the caller's seat up to that version has been received.",
                "parameters": [game],
                **takes(Acked),
                "responses": {"200": {"description": "Noted."}},
            }
        },
        f"{_GAMES}{{game_id}}{_EVENTS}": {
            "get": {
                "tags": ["session"],
                "summary": "Follow",
                "description": "Server-sent events: a snapshot, or what came after the cursor; then all as it happens.",
                "parameters": [game, cursor],
                "responses": {"200": {"description": "The stream.", "content": {"text/event-stream": {}}}},
            }
        },
    }


def _accepted(_: AnyMatch, version: int, facts: tuple[Fact, ...]) -> dict[str, Any]:
    """The last fact of a move is the move; the rules may have consumed it without accepting it."""
    move = facts[-1]
    assert isinstance(move, Played), "an accepted move is played"
    if move.discarded is None:
        return {"version": version, "accepted": True}
    return {"version": version, "accepted": False, "reason": move.discarded}
