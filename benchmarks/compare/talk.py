"""Loads of the relay and the lobby: messages between two, answers to a look, lines of a chat."""

from collections.abc import Sequence
from itertools import cycle

from benchmarks.compare.loads import PLAYERS, Load
from benchmarks.driver import Stream, request
from benchmarks.players import Player, in_parallel
from benchmarks.relay import Room


class Messages(Load):
    """Fifty rooms of the relay with one message in flight each."""

    beats = 36
    each = PLAYERS // 2

    async def prepare(self) -> None:
        self._rooms = [Room(self, self.players[2 * n : 2 * n + 2]) for n in range(self.each)]
        await in_parallel(lambda room: room.prepare(self.beats + 4), self._rooms)
        self.listen()

    async def beat(self) -> None:
        self.tally.expect(2 * self.each)
        for room in self._rooms:
            room.post()
        await self.tally.all_in()

    def answered(self, status: int, body: bytes) -> None:
        self.tally.answered(status, body)

    def arrived(self, room: Room, sent: float, more: bool) -> None:
        self.tally.came(1)

    def close(self) -> None:
        for room in self._rooms:
            room.check()
            room.close()


class Looks(Load):
    """`GET /lobby/channels` by fifty users at a time who have three channels each."""

    beats = 20
    each = PLAYERS // 2
    channels = 3

    async def prepare(self) -> None:
        await in_parallel(self._make_channels, self.players)
        looks = [(player, request("GET", "/lobby/channels", player.token)) for player in self.players]
        self._turns = cycle((looks[::2], looks[1::2]))
        self.listen()

    async def _make_channels(self, player: Player) -> None:
        for _ in range(self.channels):
            await player.post("/lobby/channels", {})

    async def beat(self) -> None:
        self.tally.expect(self.each)
        for player, raw in next(self._turns):
            player.connection.send(raw)
        await self.tally.all_in()


class LobbyStream(Stream):
    """A user's stream that counts lines of chats."""

    __slots__ = ()
    mark = b'"event":"msg"'


class Lines(Load):
    """Fifty chats of two, at tables of their own; one of the two speaks, and both hear it on their streams."""

    # Nobody may say more than ten things in ten seconds.
    beats = 10
    each = PLAYERS // 2

    async def prepare(self) -> None:
        said = await in_parallel(self._meet, [self.players[n : n + 2] for n in range(0, PLAYERS, 2)])
        self._turns = cycle(zip(*said, strict=True))
        self.listen()

    async def _meet(self, pair: Sequence[Player]) -> list[tuple[Player, bytes]]:
        """Both join the chat of a new table; answers what either will say."""
        table = (await pair[0].post("/lobby/rooms/xsos/tables", {"game_type": "xsos", "num_seats": 2}))["id"]
        lines = []
        for player in pair:
            channel = (await player.post("/lobby/channels", {}))["id"]
            await player.post(f"/lobby/channels/{channel}/chatjoin", {"room": table})
            lines.append(
                (player, request("POST", f"/lobby/channels/{channel}/chatmsg", player.token, {"text": "well"}))
            )
        for player in pair:
            raw = request("GET", "/lobby/events", player.token)
            stream, _ = await LobbyStream.open(player.port, raw, 0, self.tally.pushed)
            self.streams.append(stream)
        return lines

    async def beat(self) -> None:
        self.tally.expect(3 * self.each)
        for player, raw in next(self._turns):
            player.connection.send(raw)
        await self.tally.all_in()
