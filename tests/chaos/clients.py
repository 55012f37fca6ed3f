"""A player that no crash can stop: it repeats a command until it is answered and resumes its stream where it broke."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import httpx

from tests.chaos.tally import Tally
from tests.support.client import Json, Player
from tests.support.convergence import fold
from tests.support.sse import Event, Parser

PATIENCE = 60.0  # seconds; a restart on a busy machine takes a few, so who waits longer has been forgotten
SILENCE = 20.0  # seconds; the server promises a comment every 15
SHORTEST_PAUSE, LONGEST_PAUSE = 0.05, 0.5  # seconds between two tries


def open_client(url: str) -> httpx.AsyncClient:
    """A client for one table; making fifty that could speak TLS would take seconds."""
    return httpx.AsyncClient(base_url=url, timeout=10.0, trust_env=False, verify=False)


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
        async for number in attempts(f"POST {path}"):
            if number:
                self._tally.repeats += 1
            try:
                response = await self.player.post(path, body, key=key)
            except httpx.TransportError:
                continue
            if response.status_code == 503:
                continue
            accepted = response.is_success
            assert accepted, f"POST {path} {body}, try {number + 1}: {response.status_code} {response.text}"
            answer: Json = response.json()
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


class Follower:
    """One seat's stream of a game: what was seen over all its connections, and what the client believes by it."""

    def __init__(self, client: Client, game: str, tally: Tally) -> None:
        self.seen: list[Event] = []
        self.view: Json = {}
        self._client = client
        self._path = f"/session/games/{game}/events"
        self._tally = tally
        self._news = asyncio.Event()

    @property
    def is_over(self) -> bool:
        return self.view.get("status") in ("finished", "aborted")

    async def follow(self) -> None:
        """Read the stream until the game is over, however often it breaks."""
        while not self.is_over:
            async for _ in attempts(f"GET {self._path}"):
                before = len(self.seen)
                with suppress(httpx.TransportError):
                    await self._read()
                if self.is_over or len(self.seen) > before:
                    break

    async def _read(self) -> None:
        player = self._client.player
        headers = player.credentials
        if self.seen:
            headers["Last-Event-ID"] = str(self.seen[-1].id)
        timeout = httpx.Timeout(10.0, read=SILENCE)
        async with player.http.stream("GET", self._path, headers=headers, timeout=timeout) as response:
            if response.status_code == 503:
                return
            assert response.status_code == 200, f"GET {self._path}: {response.status_code}"
            if self.seen:
                self._tally.resumes += 1
            parser = Parser()
            async for chunk in response.aiter_raw():
                for event in parser.feed(chunk):
                    if event.name != "presence":
                        self._take(event)
                if self.is_over:
                    return

    def _take(self, event: Event) -> None:
        self.seen.append(event)
        base = max(i for i, each in enumerate(self.seen) if each.name == "snapshot")
        self.view = fold(self.seen[base], self.seen[base + 1 :])
        self._news.set()

    async def until(self, purpose: str, holds: Callable[[Json], Any]) -> Json:
        """Wait until the client believes something."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + PATIENCE
        while not (self.view and holds(self.view)):
            self._news.clear()
            try:
                await asyncio.wait_for(self._news.wait(), deadline - loop.time())
            except TimeoutError:
                ids = [event.id for event in self.seen]
                raise AssertionError(f"{self._path}: still no {purpose} after {PATIENCE:.0f} s; seen {ids}") from None
        return self.view

    async def until_version(self, version: int) -> None:
        await self.until(f"version {version}", lambda view: view["version"] >= version)
