"""Random commands on the channels of four users, while lobbies are killed: nothing ever contradicts another."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from services.lobby import machine
from shared.ids import new_id
from tests.support.client import LOOPBACK, Json
from tests.support.deployment import Halls, halls
from tests.support.sse import Parser

PATIENCE = 120.0  # seconds; it only says when nothing is hoped for any more
# Short enough that waits run out while the machine walks.
WAITS = {"BEGIN": "300", "REVANCHE": "600", "SITDOWN": "800"}

# What leads on from a state, and what does so less often.
WAYS = {
    "find": ("begin", "findcancel"), "begin": ("begin", "begin"), "okbegin": ("begin", "leave"),
    "game": ("leave", "leave"), "leave": ("return", "leave"), "watch": ("unwatch", "unwatch"),
    "revanche": ("revanche", "cancelrevanche"), "okrevanche": ("revanche", "cancelrevanche"),
    "takeplace": ("sitdown", "leave"), "taketurn": ("sitdown", "leave"),
    "chat": ("chatleave", "chatleave"), "subscribed": ("unsubscribe", "unsubscribe"),
}  # fmt: skip

users = st.integers(0, 3)
CROWDS = (1, 0, 6, 4)  # dice that say find, join, takeplace, taketurn
CHANNELS = 2 * len(CROWDS)
channels = st.integers(0, CHANNELS - 1)
dice = st.integers(0, 119)


class User:
    """Somebody with several channels, who goes to another lobby when one is gone."""

    def __init__(self, lobbies: list[httpx.Client], session: httpx.Client) -> None:
        self._lobbies = lobbies
        self._session = session
        self._first = 0  # which lobby is asked first
        signed_in = self._until_answered("POST", "/lobby/auth/guest", {"nick": "Somebody"}, {}).json()
        self.id: str = signed_in["user"]["id"]
        self.headers = {"Authorization": f"Bearer {signed_in['token']}"}
        self.channels: list[str] = []

    def open(self) -> int:
        self.channels.append(str(self.ask("POST", "/lobby/channels").json()["id"]))
        return len(self.channels) - 1

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        key = {"Idempotency-Key": new_id()} if method == "POST" else {}
        return self._until_answered(method, path, body, {**self.headers, **key})

    def state(self, channel: int) -> Json:
        listed = self.ask("GET", "/lobby/channels").json()["channels"]
        state: Json = next(each["state"] for each in listed if each["id"] == self.channels[channel])
        return state

    def transitions(self) -> int:
        """How many the user's channels have made."""
        return sum(int(self.ask("GET", f"/lobby/channels/{c}").json()["version"]) for c in self.channels)

    def history(self) -> list[Json]:
        """Every transition of the user's channels, in order, as a client that starts at the beginning is told."""
        total = self.transitions()
        told: list[Json] = []
        headers = {**self.headers, "Last-Event-ID": "0"}
        parser = Parser()
        deadline = time.monotonic() + PATIENCE
        with self._lobbies[0].stream("GET", "/lobby/events", headers=headers, timeout=30) as stream:
            for chunk in stream.iter_raw():  # at least a comment every 15 s
                told += [event.data for event in parser.feed(chunk) if event.name == "channel"]
                if len(told) >= total:
                    return told
                assert time.monotonic() < deadline, f"{total} transitions were made, and only these told: {told}"
        raise AssertionError("the stream ended")

    def _until_answered(self, method: str, path: str, body: Any, headers: dict[str, str]) -> httpx.Response:
        deadline = time.monotonic() + PATIENCE
        while True:
            places = [self._session] if path.startswith("/session") else self._lobbies
            place = places[self._first % len(places)]
            try:
                response = place.request(method, path, json=body, headers=headers)
                place.cookies.clear()
                if response.status_code != 503:
                    assert response.status_code < 500, response.text
                    return response
                trouble = response.text
            except httpx.TransportError as error:
                trouble = repr(error)
            assert time.monotonic() < deadline, f"{method} {path}: {trouble}"
            self._first += 1
            time.sleep(0.05)


class LobbyMachine(RuleBasedStateMachine):
    running: Halls

    def __init__(self) -> None:
        super().__init__()
        lobbies = [httpx.Client(base_url=each.url, timeout=30, **LOOPBACK) for each in self.running.lobbies]
        session = httpx.Client(base_url=self.running.sessions[0].url, timeout=30, **LOOPBACK)
        self._clients = [*lobbies, session]
        self.queue = new_id()
        self.users = [User([*lobbies] if i % 2 else lobbies[::-1], session) for i in range(4)]
        self.tables: list[str] = []
        self.killed = False

    @initialize()
    def crowds(self) -> None:
        """Everybody wants the same by two channels at once: partners, a seat, a box, a turn."""
        with ThreadPoolExecutor(8) as threads:
            for die in CROWDS:
                table = self._table(0)
                places = [(user, user.open()) for user in self.users for _ in range(2)]
                for done in [threads.submit(self._want, *place, die, table) for place in places]:
                    done.result()

    @rule(user=users, channel=channels, die=dice)
    def act(self, user: int, channel: int, die: int) -> None:
        """Somebody does what the channel's state allows."""
        self._act(self.users[user], channel, die)

    @rule(user=users, channel=channels, command=st.sampled_from(sorted(machine.COMMANDS)))
    def try_anything(self, user: int, channel: int, command: str) -> None:
        self._send(self.users[user], channel, command, {"table": new_id(), "room": "xsos", "box": 0, "text": "x"})

    @rule(die=dice)
    def rush(self, die: int) -> None:
        """Everybody does so at the same moment, and the free ones all want the same."""
        with ThreadPoolExecutor(8) as threads:
            places = [(user, channel) for user in self.users for channel in range(die % 4, CHANNELS, 4)]
            for done in [threads.submit(self._act, *place, die) for place in places]:
                done.result()

    def _act(self, user: User, channel: int, die: int) -> None:
        state = user.state(channel)
        match state["value"]:
            case "free":
                self._want(user, channel, die, self._table(die // 8))
            case "game" if state["game"]["id"] and die % 3:
                user.ask("POST", f"/session/games/{state['game']['id']}/resign")
            case value:
                likely, unlikely = WAYS[value]
                self._send(user, channel, likely if die % 4 else unlikely)

    def _want(self, user: User, channel: int, die: int, table: str) -> None:
        if die % 2:
            criteria = [{"game_type": "xsos", "num_seats": 2}]
            self._send(user, channel, "find", {"queue": self.queue, "criteria": criteria})
        else:
            command = ("join", "watch", "taketurn", "takeplace")[die // 2 % 4]
            box = {"box": die // 8 % 2} if command == "takeplace" else {}
            self._send(user, channel, command, {"table": table, **box})

    def _send(self, user: User, channel: int, command: str, body: Any = None) -> httpx.Response:
        response = user.ask("POST", f"/lobby/channels/{user.channels[channel]}/{command}", body)
        assert response.status_code in (200, 404, 409, 422), response.text
        return response

    def _table(self, which: int) -> str:
        """One of the two latest tables, so that people meet there."""
        if which % 5 == 0 or not self.tables:
            made = self.users[0].ask("POST", "/lobby/rooms/xsos/tables", {"game_type": "xsos", "num_seats": 2})
            assert made.status_code == 201
            self.tables.append(made.json()["id"])
        return self.tables[-1 - which % min(2, len(self.tables))]

    @precondition(lambda self: not self.killed)
    @rule(which=st.integers(0, 1))
    def kill_a_lobby(self, which: int) -> None:
        self.killed = True
        server = self.running.lobbies[which]
        server.kill()
        server.launch()

    def teardown(self) -> None:
        try:
            for server in self.running.lobbies:
                server.wait_until_ready()
            self._agree()
            histories = self._histories()
            self._matched_once(histories)
            self._seated_once(histories)
        finally:
            for client in self._clients:
                client.close()

    def _agree(self) -> None:
        """Once everything has settled, no channel is in a state that its table, game or queue contradicts."""
        deadline = time.monotonic() + PATIENCE
        while complaints := self._complaints():
            assert time.monotonic() < deadline, complaints
            time.sleep(0.2)
        for table in self.tables:
            found = self.users[0].ask("GET", f"/lobby/tables/{table}")
            if found.status_code == 200:
                seated = Counter(box["user"] for box in found.json()["boxes"] if box["user"])
                assert all(n == 1 for n in seated.values()), f"somebody sits twice at {found.json()}"

    def _complaints(self) -> list[str]:
        return [each for user in self.users for c in range(CHANNELS) for each in self._contradictions(user, c)]

    def _contradictions(self, user: User, channel: int) -> Iterator[str]:
        state = user.state(channel)
        value = state["value"]
        if value in ("begin", "okbegin"):
            yield f"{state} waits for the begin"
        if value in ("game", "leave", "revanche", "okrevanche"):
            game = user.ask("GET", f"/session/games/{state['game']['id']}").json()
            if game["self"] is None:
                yield f"{state}, but no seat in {game}"
            if game["status"] == "waiting" and len(game["players"]) == 2:
                yield f"{state}, but nobody starts {game}"
            over = game["status"] == "finished"
            if over != (value in ("revanche", "okrevanche")):
                yield f"{state}, but the game is {game['status']}"
        if value in ("takeplace", "taketurn"):
            found = user.ask("GET", f"/lobby/tables/{state['tableId']}")
            boxes = found.json()["boxes"] if found.status_code == 200 else []
            mine = [box["state"] for box in boxes if box["user"] == user.id]
            if mine != (["reserved"] if value == "takeplace" else []):
                yield f"{state}, but the table has {boxes}"
        if value == "find" and user.ask("GET", f"/lobby/queues/{self.queue}").json()["mine"] is None:
            yield f"{state}, but no ticket in the queue"

    def _histories(self) -> list[list[Json]]:
        """Every user's, at one and the same moment: who still searches may be matched while we read."""
        deadline = time.monotonic() + PATIENCE
        while True:
            before = [user.transitions() for user in self.users]
            histories = [user.history() for user in self.users]
            if before == [user.transitions() for user in self.users]:
                return histories
            assert time.monotonic() < deadline, "it does not come to rest"

    def _matched_once(self, histories: list[list[Json]]) -> None:
        """A search ends by one match or one cancellation, and a match has as many channels as seats."""
        matches: dict[str, set[str]] = defaultdict(set)
        for history in histories:
            searching: dict[str, bool] = {}
            for event in history:
                channel = event["channel"]
                if event["event"] == "E2":
                    assert not searching.get(channel), event
                    searching[channel] = True
                elif event["event"] in ("E3", "E12"):
                    assert searching.get(channel), event
                    searching[channel] = False
                if event["event"] == "E3":
                    match = event["state"]["match"]
                    assert channel not in matches[match], f"{channel} is in {match} twice"
                    matches[match].add(channel)
        assert {len(party) for party in matches.values()} <= {2}, matches

    def _seated_once(self, histories: list[list[Json]]) -> None:
        """Nobody is at a game by two channels at a time, and no game has somebody in two boxes."""
        games = set()
        for user, history in zip(self.users, histories, strict=True):
            at: dict[str, str] = {}
            for event in history:
                at.pop(event["channel"], None)
                if event["state"]["value"] in ("game", "leave"):
                    game = str(event["state"]["game"]["id"])
                    assert game not in at.values(), f"{user.id} is at {game} twice: {event}"
                    at[event["channel"]] = game
                    games.add(game)
        for game in games:
            seated = [player["user"] for player in self.users[0].ask("GET", f"/session/games/{game}").json()["players"]]
            assert len(set(seated)) == len(seated), f"{game} is played by {seated}"


def walk(tmp_path_factory: pytest.TempPathFactory, examples: int, steps: int) -> None:
    database = f"sqlite:///{tmp_path_factory.mktemp('walk') / 'parlor.db'}"
    waits = {f"PARLOR_{name}_WAIT_MS": ms for name, ms in WAITS.items()}
    with halls(database, waits) as running:
        LobbyMachine.running = running
        run_state_machine_as_test(
            LobbyMachine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=steps,
                deadline=None,
                derandomize=True,
                phases=(Phase.generate,),  # repeating a walk in search of a shorter one takes too long
                suppress_health_check=list(HealthCheck),
            ),
        )


@pytest.mark.long
@pytest.mark.timeout(900)
def test_random_walks_of_four_users_while_lobbies_are_killed(tmp_path_factory: pytest.TempPathFactory) -> None:
    walk(tmp_path_factory, examples=2, steps=20)


@pytest.mark.soak
def test_many_random_walks(tmp_path_factory: pytest.TempPathFactory) -> None:
    walk(tmp_path_factory, examples=25, steps=60)
