"""A scripted client of the protocol, version 3, that knows nothing but to repeat what was not answered."""

import asyncio
import random
from contextlib import suppress
from typing import Any

import httpx

from tests.support.client import Json
from tests.support.relay import CLIENT_MSG, room_path
from tests.support.sse import Event, Parser
from tests.support.xsos import LINES

Board = list[int]


def is_over(board: Board) -> bool:
    return all(board) or any(board[a] and board[a] == board[b] == board[c] for a, b, c in LINES)


def marks(board: Board) -> int:
    return sum(map(bool, board))


class Rival:
    """Plays one game in one room over a bad network; each message is sent by a task of its own."""

    def __init__(self, http: httpx.AsyncClient, url: str, user: str, token: str, room: str, seed: int) -> None:
        self.board: Board = [0] * 9
        self.starts = False
        self.heard: list[int] = []
        self.statuses: list[str] = []
        self._http = http
        self._url = url
        self._user = user
        self._headers = {"Authorization": f"Bearer {token}", "Connection": "close"}
        self._room = room
        self._random = random.Random(seed)
        self._seq = 0
        self._cursor = "0"  # without a cursor, what was written to a stream that broke at once would count as taken
        self._sending: set[asyncio.Task[None]] = set()
        self._over = asyncio.Event()

    def __repr__(self) -> str:
        return f"board {self.board}, heard {self.heard}, cursor {self._cursor}, answers {self.statuses}"

    async def play(self) -> None:
        """Until the game is over, and everything that was sent has been answered."""
        await self._deliver(self._payload("join", name=self._user))
        listening = asyncio.ensure_future(self._listen())
        try:
            await self._over.wait()
            while self._sending:
                await asyncio.gather(*self._sending)
        finally:
            for task in (listening, *self._sending):
                task.cancel()
            await asyncio.gather(listening, *self._sending, return_exceptions=True)

    # -- sending ------------------------------------------------------------------------------------------

    def _payload(self, action: str, **fields: Any) -> Json:
        seq, self._seq = self._seq, self._seq + 1
        return {"version": 3, "seq": seq, "from": self._user, "utouId": self._room, "action": action, **fields}

    def _send(self, action: str, **fields: Any) -> None:
        payload = self._payload(action, **fields)
        task = asyncio.create_task(self._deliver(payload), name=f"{payload['seq']} {action}")
        self._sending.add(task)
        task.add_done_callback(self._sending.discard)

    async def _deliver(self, payload: Json) -> None:
        while True:
            with suppress(httpx.TransportError):
                response = await self._http.post(f"{self._url}{CLIENT_MSG}", json=payload, headers=self._headers)
                answer = response.json()
                self.statuses.append(answer["status"] if response.status_code == 200 else answer["code"])
                if response.status_code < 500:
                    return
            await asyncio.sleep(self._random.uniform(0.005, 0.03))

    # -- listening ----------------------------------------------------------------------------------------

    async def _listen(self) -> None:
        while True:
            headers = {**self._headers, "Last-Event-ID": self._cursor}
            parser = Parser()
            with suppress(httpx.TransportError, httpx.HTTPStatusError):
                async with self._http.stream(
                    "GET", f"{self._url}{room_path(self._room)}/events", headers=headers
                ) as stream:
                    stream.raise_for_status()
                    async for chunk in stream.aiter_raw():
                        for event in parser.feed(chunk):
                            self._take(event)
            await asyncio.sleep(self._random.uniform(0.0, 0.02))

    def _take(self, event: Event) -> None:
        if event.id is not None:
            self._cursor = event.id
        if event.name == "server_msg":
            self.heard.append(event.data["seq"])
            self._react(event.data)

    def _react(self, message: Json) -> None:
        match message["action"]:
            case "join":
                self.starts = True
                self._send("start_game", name=self._user)
            case "start_game":
                self._send("start_game_ack")
            case "start_game_ack":
                self._move()
            case "update_game" if marks(message["game"]) > marks(self.board):
                self.board = message["game"]
                if is_over(self.board):
                    self._send("game_over")
                    self._over.set()
                else:
                    self._move()
            case "game_over":
                self._over.set()

    def _move(self) -> None:
        """Play somewhere, and say so twice at once: the second may overtake the first."""
        cell = self._random.choice([cell for cell in range(9) if not self.board[cell]])
        self.board = [*self.board[:cell], -1 if self.starts else 1, *self.board[cell + 1 :]]
        for _ in range(2):
            self._send("update_game", game=self.board)
