"""People who play one game of any type to its end while replicas come and go, and write down what they do and see."""

import asyncio
import random
from dataclasses import dataclass
from functools import partial
from typing import Any

import httpx

from tests.chaos.clients import Client, Follower, Trail, sign_in
from tests.chaos.tally import Tally
from tests.support.client import Json
from tests.support.sse import Event

# Of the refusals of a move, those that mean that another seat was faster; where seats take turns, nobody can be.
OVERTAKEN = frozenset({"not_your_turn", "illegal_move", "wrong_phase", "waiting_for_acks", "wrong_state"})
SIMULTANEOUS = ("cabo", "durak")
TOO_LATE = frozenset({"wrong_state"})
PATIENT = {"move_time": 0}
OPTIONS: dict[str, Json] = {
    "gomoku": {"size": 9, **PATIENT},
    "go": {"size": 9, **PATIENT},
    "cabo": {"limit": 1, "start_time": 3600, "ack_time": 120, **PATIENT},
}
SEATS = {
    "xsos": [2],
    "gomoku": [2],
    "go": [2],
    "tsuro": [2, 3, 4],
    "cabo": [2, 3],
    "durak_podkidnoi": [2, 3],
    "durak_podkidnoi_2x2": [4],
    "durak_perevodnoi": [2, 3],
}
UPDATES = 10  # that each of two clients of the relay sends


@dataclass(frozen=True)
class Move:
    """A move that was answered with this version."""

    version: int
    box: int
    move: Json


class Guests:
    """Some people with one way to the ingress."""

    def __init__(self, number: int, http: httpx.AsyncClient, chance: random.Random, tally: Tally) -> None:
        self.clients: list[Client] = []
        self.number = number
        self._http = http
        self._chance = chance
        self._tally = tally
        self._commands = 0

    async def play(self) -> None:
        """Meet, and play to the end."""
        raise NotImplementedError

    async def _come(self, count: int) -> None:
        self.clients = [await sign_in(self._http, self._chance, self._tally) for _ in range(count)]

    def _key(self) -> str:
        self._commands += 1
        return f"{self.number}-{self._commands}"


class Party(Guests):
    """A game that one of them makes in the session service and the others join."""

    def __init__(
        self, number: int, http: httpx.AsyncClient, chance: random.Random, tally: Tally, game_type: str, longest: int
    ) -> None:
        """After the longest number of moves they resign: random stones would fill any board."""
        super().__init__(number, http, chance, tally)
        self.game_type = game_type
        self.game = ""
        self.followers: list[Follower] = []  # by box, as `clients`
        self.answered: list[Move] = []
        self.seats = chance.choice(SEATS[game_type])
        self._longest = longest

    async def play(self) -> None:
        await self._come(self.seats)
        await self._meet()
        await self._game()

    async def _meet(self) -> None:
        seats = ["me", *["open"] * (self.seats - 1)]
        body = {"game_type": self.game_type, "seats": seats, "options": OPTIONS.get(self.game_type, PATIENT)}
        self.game = (await self.clients[0].insist("/session/games", body, self._key()))["id"]
        for client in self.clients[1:]:
            await client.insist(f"/session/games/{self.game}/join", None, self._key())

    async def _game(self) -> None:
        self.followers = [Follower(client, self.game, self._tally) for client in self.clients]
        async with asyncio.TaskGroup() as group:
            for box in range(self.seats):
                group.create_task(self.followers[box].follow())
                group.create_task(self._take_part(box))

    async def _take_part(self, box: int) -> None:
        """Acknowledge what waits for that, and move when it is this seat's turn."""
        follower, acked, decided = self.followers[box], 0, 0

        def to_ack(view: Json) -> bool:
            waits = any(wait["box"] == box and wait["name"] == "ack" for wait in view["waits"])
            return waits and int(view["version"]) > acked

        def to_move(view: Json) -> bool:
            """The last message of a version brings the legal moves."""
            return bool(view.get("legal_moves")) and int(view["version"]) > decided

        while True:
            await self._tally.think()
            view = await follower.until_view("turn", lambda view: follower.is_over or to_ack(view) or to_move(view))
            if follower.is_over:
                return
            version: int = view["version"]
            if to_ack(view):
                acked = version
                await self._post(box, "acks", {"version": version})
                continue
            decided = version
            if len(self.answered) >= self._longest:
                await self._post(box, "resign", None)
            else:
                await self._move(box, self._chance.choice(view["legal_moves"]))

    async def _move(self, box: int, move: Json) -> None:
        """Send a move; sometimes twice at once, as an impatient client does."""
        path, key = f"/session/games/{self.game}/moves", self._key()
        refusals = OVERTAKEN if self.game_type.startswith(SIMULTANEOUS) else frozenset[str]()
        copies = [
            self.clients[box].propose(path, move, key, refusals) for _ in range(self._chance.choice([1, 1, 1, 2]))
        ]
        accepted = [answer for answer in await asyncio.gather(*copies) if answer is not None]
        assert all(answer == accepted[0] for answer in accepted), f"one command, two answers: {accepted}"
        if accepted:
            version: int = accepted[0]["version"]
            self.answered.append(Move(version, box, move))
            self._tally.accepted()
            await self.followers[box].until_version(version)

    async def _post(self, box: int, verb: str, body: Json | None) -> None:
        """A command that others may have made pointless."""
        await self.clients[box].propose(f"/session/games/{self.game}/{verb}", body, self._key(), TOO_LATE)


class Channel(Trail):
    """A user's stream of the lobby, in which one channel is followed."""

    def __init__(self, client: Client, tally: Tally) -> None:
        super().__init__(client, "/lobby/events", tally)
        self.client = client
        self.id = ""
        self.state: Json = {}

    def take(self, event: Event) -> None:
        if event.name == "channel":
            self.state = event.data["state"]

    async def until_state(self, *values: str) -> None:
        await self.until(" or ".join(values), lambda: self.state.get("value") in values)

    async def open(self, key: str) -> None:
        await self.until("snapshot", lambda: self.seen)
        self.id = (await self.client.insist("/lobby/channels", {}, key))["id"]

    async def command(self, name: str, body: Json | None, key: str, refusals: frozenset[str] = frozenset()) -> None:
        await self.client.propose(f"/lobby/channels/{self.id}/{name}", body, key, refusals)


class Matched(Party):
    """People who find each other in a queue of the lobby, agree to begin, and decline a rematch."""

    channels: list[Channel]

    async def play(self) -> None:
        await self._come(self.seats)
        self.channels = [Channel(client, self._tally) for client in self.clients]
        async with asyncio.TaskGroup() as group:
            following = [group.create_task(channel.follow()) for channel in self.channels]
            await self._meet()
            await self._game()
            await asyncio.gather(*(self._go(channel) for channel in self.channels))
            for each in following:
                each.cancel()

    async def _meet(self) -> None:
        criteria = [{"game_type": self.game_type, "num_seats": self.seats}]
        for channel in self.channels:
            await channel.open(self._key())
            await channel.command("find", {"queue": f"q-{self.number}", "criteria": criteria}, self._key())
        await asyncio.gather(*(self._begin(channel) for channel in self.channels))
        self.game = self.channels[0].state["game"]["id"]
        players = (await self.clients[0].ask(f"/session/games/{self.game}"))["players"]
        boxes = {player["user"]: player["box"] for player in players}
        self.clients.sort(key=lambda client: boxes[client.player.id])

    async def _begin(self, channel: Channel) -> None:
        await channel.until_state("begin")
        await channel.command("begin", None, self._key())
        await channel.until_state("game")

    async def _go(self, channel: Channel) -> None:
        await channel.until_state("revanche", "free")
        await channel.command("cancelrevanche", None, self._key(), TOO_LATE)  # unless somebody has already
        await channel.until_state("free")


class Letters(Trail):
    """What the relay brings to one player of a room."""

    @property
    def received(self) -> list[Json]:
        return [event.data for event in self.seen if event.name == "server_msg"]

    def has(self, count: int, action: str) -> bool:
        return [each["action"] for each in self.received].count(action) >= count


class Relayed(Guests):
    """Two clients that run their own game and let the relay carry their messages."""

    def __init__(self, number: int, http: httpx.AsyncClient, chance: random.Random, tally: Tally) -> None:
        super().__init__(number, http, chance, tally)
        self.room = f"room-{chance.getrandbits(64):x}"
        self.sent: list[list[Json]] = [[], []]
        self.trails: list[Letters] = []

    async def play(self) -> None:
        await self._come(2)
        for box in (0, 1):
            await self._send(box, "join", name="Guest")
        path = f"/relay/rooms/{self.room}/events"
        self.trails = [Letters(client, path, self._tally, cursor="0") for client in self.clients]
        async with asyncio.TaskGroup() as group:
            following = [group.create_task(trail.follow()) for trail in self.trails]
            await self._send(0, "start_game", name="Guest")
            await self._send(1, "start_game_ack")
            for n in range(UPDATES):
                await asyncio.gather(*(self._send(box, "update_game", game=[n, box]) for box in (0, 1)))
            for trail in self.trails:
                await trail.until("update", partial(trail.has, UPDATES, "update_game"))
            await self._send(0, "game_over", game=[0])
            await self.trails[1].until("end", partial(self.trails[1].has, 1, "game_over"))
            for each in following:
                each.cancel()

    async def _send(self, box: int, action: str, **fields: Any) -> None:
        await self._tally.think()
        client, seq = self.clients[box], len(self.sent[box])
        sender = client.player.id
        payload = {"version": 3, "seq": seq, "from": sender, "utouId": self.room, "action": action, **fields}
        self.sent[box].append(payload)
        await client.insist("/relay/client_msg", payload, self._key())
        self._tally.accepted()
