"""A finished game is paid out, rated and archived once, even if the lobby is killed between any two of these."""

import asyncio
import random
from pathlib import Path

import httpx
import pytest

from shared.ids import new_id
from tests.support.client import Json, Player, open_client
from tests.support.databases import Database, Sqlite
from tests.support.deployment import fleet
from tests.support.lobby import Seat, feed, search
from tests.support.product import Server, short_directory
from tests.support.redis_server import RedisServer
from tests.support.stakes import GRANTED, changes, entries
from tests.support.waiting import eventually

pytestmark = pytest.mark.both_databases

BET, WON = 500, 950
# Nothing begins or ends because a busy machine kept somebody from saying so.
NO_HURRY = {f"PARLOR_{name}_WAIT_MS": "600000" for name in ("BEGIN", "REVANCHE", "SITDOWN")}


async def brief(seat: Seat) -> Json:
    """The channel's state as the list of channels shows it: a lobby that runs alone cannot see into games."""
    channels = (await seat.player.get("/lobby/channels")).json()["channels"]
    [found] = [each["state"] for each in channels if each["id"] == seat.id]
    assert isinstance(found, dict)
    return found


async def reached(seat: Seat, value: str) -> Json:
    return await eventually(lambda: brief(seat), lambda state: state["value"] == value)


async def rematch(seats: list[Seat], command: str) -> str:
    """All say so, and are at a new game."""
    for seat in seats:
        await reached(seat, command)
        await seat.do(command)
    states = [await reached(seat, "game") for seat in seats]
    return str(states[0]["game"]["id"])


async def settled(player: Player, games: int, won: bool) -> None:
    paid = [("BET", -BET), ("WIN", WON)] if won else [("BET", -BET)]
    expected = [("GRANT", GRANTED), *paid * games]
    found = await eventually(lambda: changes(player, 1), lambda them: len(them) >= len(expected))
    assert found == expected


async def rated(player: Player, games: int) -> None:
    async def ratings() -> list[tuple[str, int]]:
        body = (await player.get(f"/lobby/users/{player.id}")).json()
        return [(each["game_type"], each["games"]) for each in body["ratings"]]

    await eventually(ratings, lambda found: found == [("xsos", games)])


async def play(server: Server, lobby: httpx.AsyncClient, session: httpx.AsyncClient, kills: int) -> None:
    dice = random.Random(9)
    ann, bob = [await Player.guest(lobby, nick) for nick in ("Ann", "Bob")]
    seats = [await Seat.open(player) for player in (ann, bob)]
    queue = f"q-{new_id()}"
    for seat in seats:
        await seat.do("find", search(queue, cash_bet=BET))
    game = await rematch(seats, "begin")
    games = 1

    server.kill()  # between the bets and the result: nobody is there to hear it
    assert (await ann.at(session).resign(game)).status_code == 200
    server.start()
    for _ in range(kills - 1):
        await settled(bob, games, won=True)
        game = await rematch(seats, "revanche")
        games += 1
        assert (await ann.at(session).resign(game)).status_code == 200
        await asyncio.sleep(dice.random() * 0.1)  # not to wait for something: the moment of the crash is chance
        server.kill()
        server.start()
    await settled(ann, games, won=False)
    await settled(bob, games, won=True)
    for player in (ann, bob):
        await rated(player, games)
        async with feed(player, "0") as told:
            while len([event for event in told.received if event.name == "wallet"]) < len(await entries(player)):
                await told.next("wallet")
            ledger = [entry["balance"] for entry in reversed(await entries(player))]
            assert [event.data["balance"] for event in told.received if event.name == "wallet"] == ledger
    assert (await ann.at(session).replay(game))["result"]["winners"]


async def kill_and_play(database: Database, kills: int) -> None:
    url, counts = database.url(f"payout-{new_id()}"), {"lobby": 1, "session": 1}
    with (
        short_directory() as home,
        RedisServer(home) as redis,
        fleet(home, redis.url, url, counts, NO_HURRY) as running,
    ):
        (lobby,), (session,) = running["lobby"], running["session"]
        async with open_client(lobby.url) as at_lobby, open_client(session.url) as at_session:
            await play(lobby, at_lobby, at_session, kills)


async def test_a_lobby_killed_between_the_result_and_the_payout_pays_once(tmp_path: Path) -> None:
    """On SQLite, for the sake of time; the long form runs on both."""
    await kill_and_play(Sqlite(tmp_path), kills=1)


@pytest.mark.soak
async def test_a_lobby_killed_at_every_payout_pays_each_once(database: Database) -> None:
    await kill_and_play(database, kills=12)
