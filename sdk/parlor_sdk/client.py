"""Two clients with the same methods: `AsyncClient` is awaited, `Client` blocks.

Both send every command with an idempotency key and repeat it while the server is away, so a command that was answered
took effect exactly once. Their event streams resume after the last event seen and lose nothing.
"""

import asyncio
import time
from collections.abc import AsyncGenerator, Generator, Mapping, Sequence
from contextlib import aclosing, closing
from types import TracebackType
from typing import Any, Self

import httpx

from parlor_sdk import calls
from parlor_sdk.calls import Attempts, Call, Following, Json
from parlor_sdk.sse import Event, Parser


class _Who:
    """Who is signed in, and how long a server that is away is tried again."""

    def __init__(self, token: str | None, patience: float) -> None:
        self.token = token
        self.user: Json | None = None
        self._patience = patience

    def _signed_in(self, body: Json) -> Json:
        self.token, self.user = body["token"], body["user"]
        return body


class AsyncClient(_Who):
    """Talks to one server as one user."""

    def __init__(self, url: str, token: str | None = None, *, patience: float = 30.0) -> None:
        """`patience` is for how many seconds a server that is away is tried again."""
        super().__init__(token, patience)
        self._http = httpx.AsyncClient(base_url=url, timeout=10.0, trust_env=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    async def sign_in_as_guest(self, nick: str) -> Json:
        return self._signed_in(await self._send(calls.guest(nick)))

    async def log_in(self, nick: str, password: str) -> Json:
        return self._signed_in(await self._send(calls.login(nick, password)))

    async def create(
        self, game_type: str, seats: Sequence[str], options: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> str:
        """Make a game and return its id; a seat is `me`, `open` or `bot:<name>`."""
        made = await self._send(calls.create(game_type, seats, options, key))
        return str(made["id"])

    async def join(self, game: str, *, key: str | None = None) -> Json:
        return await self._send(calls.in_game(game, "join", key=key))

    async def move(self, game: str, move: Mapping[str, Any], *, key: str | None = None) -> Json:
        return await self._send(calls.in_game(game, "moves", dict(move), key))

    async def resign(self, game: str, *, key: str | None = None) -> Json:
        return await self._send(calls.in_game(game, "resign", key=key))

    async def view(self, game: str) -> Json:
        return await self._send(calls.view(game))

    async def replay(self, game: str) -> Json:
        return await self._send(calls.replay(game))

    async def events(self, game: str, cursor: str | int | None = None) -> AsyncGenerator[Event, None]:
        """Everything that happens in a game, until it is over; without a cursor a `snapshot` comes first.

        A broken stream is resumed by itself. If what came meanwhile is no longer kept, the next event is a `snapshot`
        whose `reason` is `gap`.
        """
        following = Following(game, cursor, self._patience)
        while not following.over:
            try:
                async with aclosing(self._stream(following)) as stream:
                    async for event in stream:
                        yield event
                        if following.over:
                            return
            except httpx.TransportError:
                pass  # resumed after a pause
            await asyncio.sleep(following.lost())

    async def _stream(self, following: Following) -> AsyncGenerator[Event, None]:
        headers = following.headers(self.token)
        async with self._http.stream("GET", following.path, headers=headers, timeout=calls.STREAM_TIMEOUT) as response:
            if not following.is_open(response):
                await response.aread()
                following.check(response)
                return
            parser = Parser()
            async for chunk in response.aiter_bytes():
                for event in parser.feed(chunk):
                    following.take(event)
                    yield event

    async def _send(self, call: Call) -> Json:
        attempts = Attempts(self._patience)
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                headers = call.headers(self.token)
                outcome = await self._http.request(call.method, call.path, json=call.body, headers=headers)
                self._http.cookies.clear()  # the token says who we are
            except httpx.TransportError as error:
                outcome = error
            verdict = attempts.judge(outcome)
            if isinstance(verdict, dict):
                return verdict
            await asyncio.sleep(verdict)


class Client(_Who):
    """Talks to one server as one user, and blocks meanwhile."""

    def __init__(self, url: str, token: str | None = None, *, patience: float = 30.0) -> None:
        """`patience` is for how many seconds a server that is away is tried again."""
        super().__init__(token, patience)
        self._http = httpx.Client(base_url=url, timeout=10.0, trust_env=False)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._http.close()

    def sign_in_as_guest(self, nick: str) -> Json:
        return self._signed_in(self._send(calls.guest(nick)))

    def log_in(self, nick: str, password: str) -> Json:
        return self._signed_in(self._send(calls.login(nick, password)))

    def create(
        self, game_type: str, seats: Sequence[str], options: Mapping[str, Any] | None = None, *, key: str | None = None
    ) -> str:
        """Make a game and return its id; a seat is `me`, `open` or `bot:<name>`."""
        made = self._send(calls.create(game_type, seats, options, key))
        return str(made["id"])

    def join(self, game: str, *, key: str | None = None) -> Json:
        return self._send(calls.in_game(game, "join", key=key))

    def move(self, game: str, move: Mapping[str, Any], *, key: str | None = None) -> Json:
        return self._send(calls.in_game(game, "moves", dict(move), key))

    def resign(self, game: str, *, key: str | None = None) -> Json:
        return self._send(calls.in_game(game, "resign", key=key))

    def view(self, game: str) -> Json:
        return self._send(calls.view(game))

    def replay(self, game: str) -> Json:
        return self._send(calls.replay(game))

    def events(self, game: str, cursor: str | int | None = None) -> Generator[Event, None, None]:
        """As `AsyncClient.events`."""
        following = Following(game, cursor, self._patience)
        while not following.over:
            try:
                with closing(self._stream(following)) as stream:
                    for event in stream:
                        yield event
                        if following.over:
                            return
            except httpx.TransportError:
                pass  # resumed after a pause
            time.sleep(following.lost())

    def _stream(self, following: Following) -> Generator[Event, None, None]:
        headers = following.headers(self.token)
        with self._http.stream("GET", following.path, headers=headers, timeout=calls.STREAM_TIMEOUT) as response:
            if not following.is_open(response):
                response.read()
                following.check(response)
                return
            parser = Parser()
            for chunk in response.iter_bytes():
                for event in parser.feed(chunk):
                    following.take(event)
                    yield event

    def _send(self, call: Call) -> Json:
        attempts = Attempts(self._patience)
        while True:
            outcome: httpx.Response | httpx.TransportError
            try:
                headers = call.headers(self.token)
                outcome = self._http.request(call.method, call.path, json=call.body, headers=headers)
                self._http.cookies.clear()  # the token says who we are
            except httpx.TransportError as error:
                outcome = error
            verdict = attempts.judge(outcome)
            if isinstance(verdict, dict):
                return verdict
            time.sleep(verdict)
