"""Matchmaking: tickets matched a second while many others wait in the same queue, and from a search to its match.

Those who wait ask for the same as everybody, but their ratings lie far apart, so that nobody may be matched with them:
the queue must find the right partners among all of them. They are in the queue's log before the server reads it.
"""

import asyncio
import itertools
import random
import time
from collections.abc import Sequence
from uuid import uuid4

from redis.asyncio import Redis

from benchmarks.arena import Window
from benchmarks.driver import BenchmarkError, Connection, Stream, request
from benchmarks.moves import Latency
from benchmarks.players import Player, in_parallel, sign_in
from benchmarks.server import Server
from services.lobby.channels import Who
from services.lobby.letters import Ticket
from services.lobby.logs import Entry
from services.lobby.queues import Added
from shared import bridge
from shared.ids import UserId, new_id
from shared.log.keys import log_keys

MANY, FEW = 10_000, 100
SETTINGS = {"PARLOR_BEGIN_WAIT_MS": "3600000"}  # no game is started while others are matched

_PLAYERS = 100
_SEARCHES = 8  # of each player, on a channel each
_PAIRS = 20
_PAUSE = 0.2  # seconds between the searches of a pair, on average: a server with room to spare
_WINDOW_SECONDS = 60.0
_COMBO = ("xsos", 2, 0)


class Feed(Stream):
    """A user's stream that counts matches."""

    __slots__ = ()
    mark = b'"event":"E3"'


async def window(server: Server, waiting: int) -> Window:
    """New players search until nearly all of them are matched, while others wait."""
    queue = f"bench-{uuid4().hex}"
    await _fill(server, queue, waiting)
    players = await sign_in(server.port, _PLAYERS)
    searches = [await _searches(player, queue) for player in players]
    asking = await Connection.open(server.port)
    look = request("GET", f"/lobby/queues/{queue}", players[0].token)
    if (await asking.ask(look))["waiting"] != waiting:
        raise BenchmarkError("the queue does not hold who should wait in it")
    total = _PLAYERS * _SEARCHES
    await server.settle()
    before = server.usage()
    async with asyncio.timeout(_WINDOW_SECONDS):
        await asyncio.gather(*(_send(player, mine) for player, mine in zip(players, searches, strict=True)))
        left = total
        for pause in itertools.repeat(0.01):
            left = (await asking.ask(look))["waiting"] - waiting
            if left <= total // 10:  # the last ones may all be of one player, who is never matched with itself
                break
            await asyncio.sleep(pause)
    measured = Window(total - left, server.usage() - before)
    for connection in (asking, *(player.connection for player in players)):
        connection.close()
    await server.settle()
    return measured


async def latency(server: Server) -> Latency:
    """From the search that completes a match to the partner's stream, when pairs search now and then."""
    players = await sign_in(server.port, 2 * _PAIRS)
    before = server.usage()
    pairs = zip(players[::2], players[1::2], strict=True)
    seen = [each for found in await in_parallel(lambda pair: _pair(*pair), pairs) for each in found]
    ordered = sorted(seen)
    measured = Window(len(seen), server.usage() - before)
    return Latency(window=measured, p50=ordered[len(ordered) // 2], p99=ordered[len(ordered) * 99 // 100])


async def _pair(first: Player, second: Player) -> list[float]:
    queue, seen = f"pair-{uuid4().hex}", []
    matched = asyncio.Event()
    raw = request("GET", "/lobby/events", first.token)
    stream, _ = await Feed.open(first.port, raw, 0, lambda box, count: matched.set())
    for mine, theirs in zip(await _searches(first, queue), await _searches(second, queue), strict=True):
        await asyncio.sleep(_PAUSE * random.uniform(0.5, 1.5))
        await first.connection.ask(mine)
        matched.clear()
        began = time.perf_counter()
        await second.connection.ask(theirs)
        async with asyncio.timeout(_WINDOW_SECONDS):
            await matched.wait()
        seen.append(time.perf_counter() - began)
    stream.close()
    return seen


async def _searches(player: Player, queue: str) -> list[bytes]:
    """A search on each of a player's new channels, ready to send."""
    body = {"queue": queue, "criteria": [{"game_type": _COMBO[0], "num_seats": _COMBO[1]}]}
    channels = [(await player.post("/lobby/channels"))["id"] for _ in range(_SEARCHES)]
    return [request("POST", f"/lobby/channels/{each}/find", player.token, body) for each in channels]


async def _send(player: Player, searches: Sequence[bytes]) -> None:
    for raw in searches:
        await player.connection.ask(raw)


async def _fill(server: Server, queue: str, count: int) -> None:
    keys = log_keys("lobby", "log", f"queue:{queue}")
    later = int(time.time() * 1000) + 3600 * 1000  # whoever has not waited yet has the narrowest window
    async with Redis(unix_socket_path=server.redis_socket) as redis:
        pipe = redis.pipeline(transaction=False)
        for n in range(count):
            who = Who(UserId(new_id()), f"waiting {n}", None, new_id())
            ticket = Ticket(new_id(), who, later, (_COMBO,), {_COMBO[0]: 1_000.0 + 100 * n})
            pipe.xadd(keys.log, {"e": bridge.write(Entry(new_id(), later, Added(ticket)))}, id=f"{n + 1}-0")
        await pipe.execute()
