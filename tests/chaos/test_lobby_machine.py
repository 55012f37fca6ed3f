"""Random commands on eight channels of four users, while lobbies are killed: nothing ever contradicts another."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

from shared.ids import new_id
from tests.acceptance.test_lobby_replicas import Halls, halls
from tests.support.client import Json
from tests.support.sse import Parser

PATIENCE = 40.0
# Short enough that waits run out while the machine walks.
WAITS = {"BEGIN": "300", "REVANCHE": "600", "SITDOWN": "800"}

users = st.integers(0, 3)
channels = st.integers(0, 1)


class User:
    """Somebody with two channels, who goes to another lobby when one is gone."""

    def __init__(self, lobbies: list[httpx.Client], session: httpx.Client) -> None:
        self._lobbies = lobbies
        self._session = session
        signed_in = self._until_answered("POST", "/lobby/auth/guest", {"nick": "Somebody"}, {}).json()
        self.id: str = signed_in["user"]["id"]
        self.headers = {"Authorization": f"Bearer {signed_in['token']}"}
        self.channels = [str(self.ask("POST", "/lobby/channels").json()["id"]) for _ in range(2)]

    def ask(self, method: str, path: str, body: Any = None) -> httpx.Response:
        key = {"Idempotency-Key": new_id()} if method == "POST" else {}
        return self._until_answered(method, path, body, {**self.headers, **key})

    def state(self, channel: int) -> Json:
        listed = self.ask("GET", "/lobby/channels").json()["channels"]
        state: Json = next(each["state"] for each in listed if each["id"] == self.channels[channel])
        return state

    def history(self) -> list[Json]:
        """Every transition of the user's channels, in order, as a client that starts at the beginning is told."""
        total = sum(int(self.ask("GET", f"/lobby/channels/{c}").json()["version"]) for c in self.channels)
        told: list[Json] = []
        headers = {**self.headers, "Last-Event-ID": "0"}
        parser = Parser()
        deadline = time.monotonic() + PATIENCE
        with self._lobbies[0].stream("GET", "/lobby/events", headers=headers, timeout=20) as stream:
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
            try:
                response = places[0].request(method, path, json=body, headers=headers)
                places[0].cookies.clear()
                if response.status_code != 503:
                    assert response.status_code < 500, response.text
                    return response
                trouble = response.text
            except httpx.TransportError as error:
                trouble = repr(error)
            assert time.monotonic() < deadline, f"{method} {path}: {trouble}"
            places.append(places.pop(0))
            time.sleep(0.05)


class LobbyMachine(RuleBasedStateMachine):
    running: Halls

    def __init__(self) -> None:
        super().__init__()
        lobbies = [httpx.Client(base_url=each.url, timeout=20, trust_env=False) for each in self.running.lobbies]
        session = httpx.Client(base_url=self.running.sessions[0].url, timeout=20, trust_env=False)
        self._clients = [*lobbies, session]
        self.queue = new_id()
        self.users = [User([*lobbies] if i % 2 else lobbies[::-1], session) for i in range(4)]
        self.tables: list[str] = []
        self.killed = False

    def _send(self, user: int, channel: int, command: str, body: Any = None) -> httpx.Response:
        asking = self.users[user]
        response = asking.ask("POST", f"/lobby/channels/{asking.channels[channel]}/{command}", body)
        assert response.status_code in (200, 404, 409), response.text
        return response

    @rule(user=users, channel=channels)
    def find(self, user: int, channel: int) -> None:
        criteria = [{"game_type": "xsos", "num_seats": 2}]
        self._send(user, channel, "find", {"queue": self.queue, "criteria": criteria})

    @rule(user=users, channel=channels, command=st.sampled_from(
        ["findcancel", "begin", "revanche", "cancelrevanche", "leave", "return", "sitdown", "unwatch"]
    ))  # fmt: skip
    def command(self, user: int, channel: int, command: str) -> None:
        self._send(user, channel, command)

    @rule(user=users)
    def make_table(self, user: int) -> None:
        made = self.users[user].ask("POST", "/lobby/rooms/xsos/tables", {"game_type": "xsos", "num_seats": 2})
        assert made.status_code == 201
        self.tables.append(made.json()["id"])

    @precondition(lambda self: self.tables)
    @rule(user=users, channel=channels, which=st.integers(0, 9), command=st.sampled_from(
        ["join", "watch", "taketurn", "takeplace"]
    ))  # fmt: skip
    def at_a_table(self, user: int, channel: int, which: int, command: str) -> None:
        body = {"table": self.tables[which % len(self.tables)]}
        self._send(user, channel, command, {**body, "box": which % 2} if command == "takeplace" else body)

    @rule(user=users, channel=channels)
    def resign(self, user: int, channel: int) -> None:
        state = self.users[user].state(channel)
        if state["value"] == "game" and state["game"]["id"]:
            self.users[user].ask("POST", f"/session/games/{state['game']['id']}/resign")

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
            self._matched_once()
        finally:
            for client in self._clients:
                client.close()

    def _agree(self) -> None:
        """Once everything has settled, no channel is in a state that its table, game or queue contradicts."""
        deadline = time.monotonic() + PATIENCE
        while complaints := [each for user in self.users for c in (0, 1) for each in self._contradictions(user, c)]:
            assert time.monotonic() < deadline, complaints
            time.sleep(0.2)
        for table in self.tables:
            found = self.users[0].ask("GET", f"/lobby/tables/{table}")
            if found.status_code == 200:
                seated = Counter(box["user"] for box in found.json()["boxes"] if box["user"])
                assert all(n == 1 for n in seated.values()), f"somebody sits twice at {found.json()}"

    def _contradictions(self, user: User, channel: int) -> Iterator[str]:
        state = user.state(channel)
        value = state["value"]
        if value in ("begin", "okbegin"):
            yield f"{state} waits for the begin"
        if value in ("game", "leave", "revanche", "okrevanche"):
            game = user.ask("GET", f"/session/games/{state['game']['id']}").json()
            if game["self"] is None:
                yield f"{state}, but no seat in {game}"
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

    def _matched_once(self) -> None:
        """A search ends by one match or one cancellation, and a match has as many channels as seats."""
        matches: dict[str, set[str]] = defaultdict(set)
        for user in self.users:
            searching: dict[str, bool] = {}
            for event in user.history():
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


def test_random_walks_of_four_users_while_lobbies_are_killed(tmp_path_factory: pytest.TempPathFactory) -> None:
    walk(tmp_path_factory, examples=2, steps=25)


@pytest.mark.soak
def test_many_random_walks(tmp_path_factory: pytest.TempPathFactory) -> None:
    walk(tmp_path_factory, examples=25, steps=60)
