"""Three people and a watcher at a table of Cabo, who know only what the product tells them."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from tests.support.client import Json, Player
from tests.support.problems import assert_problem
from tests.support.sse import Event, Events

Told = tuple[str, Json]  # a message's name and the fields that are its own

ENGINES = {"version", "gamestate", "sync", "waits", "timeBank", "legal_moves"}  # what comes with every message
PATIENT = {"move_time": 0, "start_time": 3600, "ack_time": 120, "limit": 1000}
WATCHER = 3  # the stream that has no seat


def told(event: Event) -> Told:
    return event.name, {name: value for name, value in event.data.items() if name not in ENGINES}


@dataclass
class Trio:
    """A game of three; boxes are their numbers, and `WATCHER` stands for whoever looks on."""

    game: str
    players: list[Player]
    streams: list[Events]

    @classmethod
    @asynccontextmanager
    async def seated(cls, seats: list[Player], watcher: Player, **options: int) -> AsyncIterator["Trio"]:
        """A game that waits for somebody to start the first round, with all four streams open."""
        body = {"game_type": "cabo", "seats": ["me", "open", "open"], "options": {**PATIENT, **options}}
        created = await seats[0].post("/session/games", body)
        assert created.status_code == 201, created.text
        game = created.json()["id"]
        for player in seats[1:]:
            assert (await player.join(game)).status_code == 200
        players = [*seats, watcher]
        async with AsyncExitStack() as stack:
            streams = [await stack.enter_async_context(player.events(game)) for player in players]
            for stream in streams:
                await stream.next("snapshot")
            yield cls(game, players, streams)

    async def view(self, box: int) -> Json:
        return await self.players[box].view(self.game)

    async def state(self, box: int = WATCHER) -> Json:
        gamestate: Json = (await self.view(box))["gamestate"]
        return gamestate

    async def order(self) -> tuple[int, int, int]:
        """Who moves, who is next, and who is neither."""
        turn = (await self.state())["turn"]
        return turn, (turn + 1) % 3, (turn + 2) % 3

    async def ack(self, box: int, version: int) -> int:
        response = await self.players[box].post(f"/session/games/{self.game}/acks", {"version": version})
        assert response.status_code == 200, response.text
        answered: int = response.json()["version"]
        return answered

    async def post(self, box: int, command: str, **fields: Any) -> int:
        """Make a move that is accepted; return its version."""
        response = await self.players[box].move(self.game, {"type": command, **fields})
        assert response.status_code == 200, f"{command}: {response.text}"
        version: int = response.json()["version"]
        return version

    async def play(self, box: int, command: str, **fields: Any) -> "Flow":
        """Make a move whose waves are to be looked at."""
        before = [await self.state(viewer) for viewer in range(4)]
        return Flow(self, await self.post(box, command, **fields), before)

    async def hurry(self, box: int, command: str, **fields: Any) -> Json:
        """Make a move and let everyone acknowledge everything; return what its maker sees then."""
        await self.post(box, command, **fields)
        return await self.settled(box)

    async def settled(self, box: int) -> Json:
        """Let everyone acknowledge everything; return what a box sees then."""
        view = await self.view(WATCHER)
        while waiting := [wait["box"] for wait in view["waits"] if wait["name"] == "ack"]:
            for each in waiting:
                await self.ack(each, view["version"])
            view = await self.view(WATCHER)
        for stream in self.streams:
            while (await stream.next()).data["version"] < view["version"]:
                pass
        return await self.state(box)

    async def start(self) -> None:
        """Begin a round, without looking."""
        starter = (await self.state())["starter"]
        await self.hurry(0 if starter is None else starter, "StartRound")

    async def turns_until(self, wanted: Callable[[Json], bool]) -> tuple[int, Json]:
        """Keep every drawn card, in a place that its player knows least of, until the player to move sees what is
        wanted; return that player and its gamestate."""
        for _ in range(200):
            box, _, _ = await self.order()
            seen = await self.state(box)
            if wanted(seen):
                return box, seen
            if seen["phase"] == "B":
                seen = await self.hurry(box, "TakeCardFromHeap")
                if wanted(seen):
                    return box, seen
            await self.hurry(box, "ReplaceCard", handCardIndex=_place_for(seen["drawn"], seen["known"]))
            if (await self.state())["phase"] == "A":
                await self.start()
        raise AssertionError("the cards never came")

    async def drawn(self, *values: int) -> int:
        """Play on until somebody has drawn one of these; return who."""
        box, _ = await self.turns_until(lambda seen: seen["drawn"] in values)
        return box


def _place_for(drawn: int, known: list[int | None]) -> int:
    """Beside an equal card if there is one; what is not known goes first."""
    places = [place for place, value in enumerate(known) if value != drawn]
    return min(places, key=lambda place: known[place] is not None, default=0)


@dataclass
class Flow:
    """One accepted move while its waves go out."""

    trio: Trio
    version: int
    before: list[Json]

    async def wave(self, expected: dict[int, Told | str]) -> dict[int, Event]:
        """The present wave reaches exactly these, with these messages; a bare name leaves the fields open."""
        events = {}
        for box, message in expected.items():
            event = await self.trio.streams[box].next()
            while event.name == "sync":
                event = await self.trio.streams[box].next()
            seen = told(event)
            assert (seen if isinstance(message, tuple) else seen[0]) == message, f"to {box}: {event}"
            assert event.data["version"] == self.version, f"to {box}, in another wave: {event}"
            assert event.data["gamestate"] == await self.trio.state(box)
            events[box] = event
        return events

    async def acks(self, *boxes: int, untold: tuple[int, ...]) -> None:
        """The next wave is sent by the last of these acknowledgements, and by none before it."""
        *early, last = boxes
        waits = (await self.trio.view(WATCHER))["waits"]
        assert [(wait["box"], wait["name"]) for wait in waits] == [(box, "ack") for box in sorted(boxes)]
        for box in early:
            assert await self.trio.ack(box, self.version) == self.version
        for box in range(3):
            refused = await self.trio.players[box].move(self.trio.game, {"type": "TakeCardFromHeap"})
            assert_problem(refused, 409, "waiting_for_acks")
        for box in untold:
            assert await self.trio.state(box) == self.before[box], f"{box} sees what it has not been told"
        self.version += 1
        assert await self.trio.ack(last, self.version - 1) == self.version

    async def others_first(
        self, last: int, message: Told, own: dict[int, Told | str] | None = None
    ) -> dict[int, Event]:
        """A message to all but one, then to that one and the watcher; `own` are those who are told something else."""
        others = [box for box in range(3) if box != last]
        expected: dict[int, Told | str] = {**dict.fromkeys(range(4), message), **(own or {})}
        first = await self.wave({box: expected[box] for box in others})
        await self.acks(*others, untold=(last, WATCHER))
        return first | await self.wave({box: expected[box] for box in (last, WATCHER)})
