"""A player that no crash can stop: it repeats a command until it is answered and resumes its stream where it broke."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import httpx

from tests.chaos.tally import Tally
from tests.support.client import LOOPBACK, Json, Player
from tests.support.convergence import after
from tests.support.sse import Event, Parser

PATIENCE = 120.0  # seconds; a restart on a busy machine takes some, so who waits longer has been forgotten
SILENCE = 30.0  # seconds; the server promises a comment every 15
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 1.0  # seconds between two tries


def open_client(url: str) -> httpx.AsyncClient:
    """A client for one table."""
    return httpx.AsyncClient(base_url=url, timeout=20.0, **LOOPBACK)


async def attempts(purpose: str) -> AsyncIterator[int]:
    """Count tries, with a pause of growing and random length between them, as long as patience lasts."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + PATIENCE
    number, pause = 0, SHORTEST_PAUSE
    while loop.time() < deadline:
        yield number
        number += 1
        await asyncio.sleep(random.uniform(pause / 2, pause))
        pause = min(2 * pause, LONGEST_PAUSE)
    raise AssertionError(f"{purpose}: no answer in {PATIENCE:.0f} s and {number} tries")


async def sign_in(http: httpx.AsyncClient, chance: random.Random, tally: Tally) -> "Client":
    """A guest at an ingress. This has no key: one that nobody heard of is no loss."""
    async for _ in attempts("POST /lobby/auth/guest"):
        try:
            response = await http.post("/lobby/auth/guest", json={"nick": "Guest"})
        except httpx.TransportError:
            continue
        http.cookies.clear()
        if response.status_code == 503:
            continue
        assert response.status_code == 201, response.text
        signed_in = response.json()
        return Client(Player(http, signed_in["user"], signed_in["token"]), [http], chance, tally)
    raise AssertionError("unreachable: attempts end by raising")


class Client:
    """A signed-in player, who turns to any replica with any request."""

    def __init__(self, player: Player, sessions: list[httpx.AsyncClient], chance: random.Random, tally: Tally) -> None:
        self._players = [player.at(http) for http in sessions]
        self._chance = chance
        self._tally = tally

    @property
    def player(self) -> Player:
        """The player at one replica or another."""
        player = self._chance.choice(self._players)
        player.heard.clear()
        return player

    async def insist(self, path: str, body: Json | None, key: str) -> Json:
        """Send a command under one key again and again until it is accepted; being refused is a failure."""
        accepted = await self.propose(path, body, key, frozenset())
        assert accepted is not None, "what may not be refused was accepted"
        return accepted

    async def propose(self, path: str, body: Json | None, key: str, refusals: frozenset[str]) -> Json | None:
        """The same for a command that may be refused with one of these codes, and is None then."""
        async for number in attempts(f"POST {path}"):
            if number:
                self._tally.repeats += 1
            try:
                response = await self.player.post(path, body, key=key)
            except httpx.TransportError:
                continue
            if response.status_code == 503:
                continue
            answer: Json = response.json()
            if response.status_code == 409 and answer["code"] in refusals:
                return None
            assert response.is_success, f"POST {path} {body}, try {number + 1}: {response.status_code} {response.text}"
            return answer
        raise AssertionError("unreachable: attempts end by raising")

    async def ask(self, path: str, params: dict[str, str] | None = None) -> Json:
        """Send a query until it is answered."""
        async for _ in attempts(f"GET {path}"):
            try:
                response = await self.player.get(path, params)
            except httpx.TransportError:
                continue
            if response.status_code == 503:
                continue
            assert response.status_code == 200, f"GET {path} {params}: {response.status_code} {response.text}"
            answer: Json = response.json()
            return answer
        raise AssertionError("unreachable: attempts end by raising")


class Trail:
    """One stream of a player: what was seen over all its connections."""

    def __init__(self, client: Client, path: str, tally: Tally, cursor: str | None = None) -> None:
        self.seen: list[Event] = []
        self.path = path
        self._client = client
        self._cursor = cursor
        self._tally = tally
        self._news = asyncio.Event()
        self._opened = False

    @property
    def is_over(self) -> bool:
        """Is there nothing more to come? Whoever follows something endless is cancelled."""
        return False

    async def follow(self) -> None:
        """Read the stream until it is over, however often it breaks."""
        while not self.is_over:
            self._opened = False
            async for _ in attempts(f"GET {self.path}"):
                with suppress(httpx.TransportError):
                    await self._read()
                if self._opened:
                    break

    async def _read(self) -> None:
        player = self._client.player
        headers = player.credentials
        if self._cursor is not None:
            headers["Last-Event-ID"] = self._cursor
        timeout = httpx.Timeout(20.0, read=SILENCE)
        async with player.http.stream("GET", self.path, headers=headers, timeout=timeout) as response:
            if response.status_code == 503:
                return
            assert response.status_code == 200, f"GET {self.path}: {response.status_code}"
            self._opened = True
            if self.seen:
                self._tally.resumes += 1
            parser = Parser()
            async for chunk in response.aiter_raw():
                for event in parser.feed(chunk):
                    if event.name != "presence":
                        self._cursor = event.id
                        self.seen.append(event)
                        self.take(event)
                        self._news.set()
                if self.is_over:
                    return

    def take(self, event: Event) -> None:
        """Hear of one more event."""

    async def until(self, purpose: str, holds: Callable[[], Any]) -> None:
        """Wait until something holds by what was seen; patience ends when nothing happens any more."""
        while not holds():
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), PATIENCE)
            except TimeoutError:
                ids = [event.id for event in self.seen]
                raise AssertionError(f"{self.path}: no {purpose}, {PATIENCE:.0f} s after the last of {ids}") from None


class Follower(Trail):
    """One seat's stream of a game, and what the client believes by it."""

    def __init__(self, client: Client, game: str, tally: Tally) -> None:
        super().__init__(client, f"/session/games/{game}/events", tally)
        self.view: Json = {}

    @property
    def is_over(self) -> bool:
        return self.view.get("status") in ("finished", "aborted")

    def take(self, event: Event) -> None:
        self.view = dict(event.data) if event.name == "snapshot" else after(self.view, event)

    async def until_view(self, purpose: str, holds: Callable[[Json], Any]) -> Json:
        """Wait until the client believes something."""
        await self.until(purpose, lambda: self.view and holds(self.view))
        return self.view

    @property
    def beginnings(self) -> int:
        """How often the stream has begun, or begun anew."""
        return sum(event.name == "snapshot" for event in self.seen)

    async def until_other(self, beginnings: int, version: int) -> None:
        """Wait until the client believes something else than it did then."""
        await self.until_view("change", lambda view: self.beginnings > beginnings or view["version"] != version)

    async def until_version(self, version: int) -> None:
        await self.until_view(f"version {version}", lambda view: view["version"] >= version)
