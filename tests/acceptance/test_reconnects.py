"""Clients that come and go in a hurry: a stream that opens while another closes is a stream like any other."""

import asyncio
import re
from collections.abc import Callable

import httpx

from tests.support.client import Json, Player
from tests.support.sse import Events
from tests.support.waiting import eventually
from tests.support.xsos import Match

GAMES = 4
RECONNECTS = 150
LOOKS = 100  # of which each takes at least 20 ms, and as long as the server needs if that is busy


async def gaps(http: httpx.AsyncClient) -> float:
    """How often the server has come upon an entry of which it should have heard."""
    found = re.search(r"^parlor_doorbell_gaps_total (\S+)$", (await http.get("/session/metrics")).text, re.MULTILINE)
    assert found
    return float(found[1])


async def hears(events: Events, version: int, http: httpx.AsyncClient) -> None:
    """What has just happened comes by itself, not by the look each twelve seconds that mends what went unheard."""
    loop = asyncio.get_running_loop()
    began, before = loop.time(), await gaps(http)
    await events.until(version)
    assert loop.time() - began < 2.0 or await gaps(http) == before


async def soon(player: Player, game: str, wanted: Callable[[Json], bool]) -> None:
    """Look again and again, but not until a heartbeat would have said the same."""
    for _ in range(LOOKS):
        if wanted(view := await player.view(game)):
            return
        await asyncio.sleep(0.02)
    raise AssertionError(f"still {view['players']}")


async def hurry(player: Player, game: str, cursor: int) -> None:
    """Open and close the game's stream, again and again."""
    for _ in range(RECONNECTS):
        async with player.events(game, cursor=cursor):
            pass


async def test_who_reconnects_in_a_hurry_always_gets_a_stream_that_hears(ann: Player, bob: Player) -> None:
    games = [await Match.start(ann, bob) for _ in range(GAMES)]
    await asyncio.gather(*(hurry(match.o, match.id, match.started_version) for match in games))
    for match in games:
        async with match.o.events(match.id) as events:
            version = await match.play(0)
            await hears(events, version, ann.http)


async def test_every_short_lived_stream_hears_what_happens_while_it_is_open(ann: Player, bob: Player) -> None:
    async def play_through(match: Match) -> None:
        for number, cell in enumerate((0, 1, 2, 4, 3, 5, 7, 6)):
            for _ in range(5):
                async with match.o.events(match.id):
                    pass
            async with match.o.events(match.id) as events:
                version = await match.play(cell, after=number)
                await hears(events, version, ann.http)

    await asyncio.gather(*[play_through(await Match.start(ann, bob)) for _ in range(GAMES)])


async def test_a_player_who_changes_streams_stays_online(match: Match, eve: Player) -> None:
    def is_online(view: Json) -> bool:
        return bool(view["players"][match.box(match.x)]["online"])

    current = await match.x.events(match.id).__aenter__()
    for _ in range(RECONNECTS):
        following = match.x.events(match.id)
        await asyncio.gather(current.__aexit__(None, None, None), following.__aenter__())
        current = following
        await soon(eve, match.id, is_online)
    await current.__aexit__(None, None, None)
    await soon(eve, match.id, lambda view: not is_online(view))


async def test_after_a_users_many_streams_at_once_nobody_is_left_behind(match: Match, eve: Player) -> None:
    async with eve.events(match.id) as watching:
        await asyncio.gather(
            *(hurry(player, match.id, match.started_version) for player in (match.x, match.x, match.o, match.o))
        )
        view = await eventually(
            lambda: eve.view(match.id), lambda each: not any(player["online"] for player in each["players"])
        )
        assert [watcher["user"] for watcher in view["watchers"]] == [eve.id]
        async with match.x.events(match.id):
            await eventually(
                lambda: eve.view(match.id), lambda each: bool(each["players"][match.box(match.x)]["online"])
            )
            version = await match.play(0)
            await hears(watching, version, eve.http)
