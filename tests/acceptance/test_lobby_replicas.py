"""Two lobbies and two session services on one Redis: any of them serves any request, and losing one loses nothing."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest

from shared.ids import new_id
from tests.support.client import open_client
from tests.support.deployment import Halls, halls
from tests.support.lobby import search
from tests.support.nomad import Nomad

# They say yes one after the other, and some to a process that is no more: longer than by default, if a machine is busy.
PATIENT = {"PARLOR_BEGIN_WAIT_MS": "120000", "PARLOR_REVANCHE_WAIT_MS": "120000"}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Halls]:
    with halls(f"sqlite:///{tmp_path_factory.mktemp('halls') / 'parlor.db'}", PATIENT) as found:
        yield found


@pytest.fixture
async def nomads(running: Halls) -> AsyncIterator[list[Nomad]]:
    lobbies = [open_client(server.url) for server in running.lobbies]
    sessions = [open_client(server.url) for server in running.sessions]
    found = []
    for i, nick in enumerate(("Ann", "Bob", "Cid", "Dan", "Eva", "Fay")):
        turned = [clients if i % 2 == 0 else clients[::-1] for clients in (lobbies, sessions)]
        found.append(await Nomad(nick, *turned).sign_in())
    yield found
    for client in (*lobbies, *sessions):
        await client.aclose()


async def play_on(nomad: Nomad, channel: str, game: str) -> None:
    """Play the first legal move whenever it is one's turn, until the game is over."""
    deadline = asyncio.get_running_loop().time() + 120
    while (view := await nomad.call("GET", f"/session/games/{game}"))["status"] == "active":
        assert asyncio.get_running_loop().time() < deadline, view
        if moves := view.get("legal_moves"):
            await nomad.call("POST", f"/session/games/{game}/moves", moves[0], refusals=(409,))
        else:
            await asyncio.sleep(0.05)


async def test_every_client_reaches_the_end_though_one_of_each_is_killed(running: Halls, nomads: list[Nomad]) -> None:
    queue, channels = new_id(), [await nomad.open() for nomad in nomads]
    await asyncio.gather(
        *(nomad.command(channel, "find", search(queue)) for nomad, channel in zip(nomads, channels, strict=True))
    )
    for nomad, channel in zip(nomads, channels, strict=True):
        await nomad.until(channel, "begin")
        await nomad.command(channel, "begin")
    states = [await n.until(c, "game") for n, c in zip(nomads, channels, strict=True)]
    games = [state["game"]["id"] for state in states]
    assert sorted(games.count(game) for game in games) == [2] * 6, "three games of two"

    playing = [
        asyncio.create_task(play_on(nomad, channel, game))
        for nomad, channel, game in zip(nomads, channels, games, strict=True)
    ]
    await asyncio.to_thread(running.lobbies[0].kill)
    await asyncio.to_thread(running.sessions[1].kill)
    await asyncio.gather(*playing)

    for nomad, channel in zip(nomads, channels, strict=True):
        await nomad.until(channel, "revanche")
    for nomad, channel in zip(nomads, channels, strict=True):
        await nomad.command(channel, "revanche")
    again = [await n.until(c, "game") for n, c in zip(nomads, channels, strict=True)]
    assert not {state["game"]["id"] for state in again} & set(games)
    for nomad, channel in zip(nomads, channels, strict=True):
        await nomad.command(channel, "leave")
        await nomad.until(channel, "leave")
        await nomad.command(channel, "return")
    for nomad, state in list(zip(nomads, again, strict=True))[::2]:
        await nomad.call("POST", f"/session/games/{state['game']['id']}/resign", refusals=(409,))
    for nomad, channel, state in zip(nomads, channels, again, strict=True):
        await nomad.call("POST", f"/session/games/{state['game']['id']}/resign", refusals=(409,))
        if (await nomad.until(channel, "revanche", "free"))["value"] == "revanche":
            await nomad.command(channel, "cancelrevanche", refusals=(409,))
        await nomad.until(channel, "free")
