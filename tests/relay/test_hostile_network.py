"""Two clients that only ever repeat themselves finish their game, whatever the network does to them."""

import asyncio
from collections import Counter

import httpx
import pytest

from tests.conftest import Guest
from tests.relay.rival import Rival, is_over
from tests.relay.storm import Storm
from tests.support.client import LOOPBACK, Player
from tests.support.product import Product

AT_ONCE = 20
PLAYERS = 2 * AT_ONCE
PATIENCE = 250.0  # seconds for a game that takes less than two when the machine is idle


async def one_game(product: Product, http: httpx.AsyncClient, pair: tuple[Player, Player], seed: int) -> Counter[str]:
    async with Storm(product.url, seed) as storm:
        rivals = [
            Rival(http, storm.url, player.id, player.token, f"storm {seed}", 2 * seed + box)
            for box, player in enumerate(pair)
        ]
        try:
            async with asyncio.timeout(PATIENCE):
                await asyncio.gather(*(rival.play() for rival in rivals))
        except TimeoutError:
            raise AssertionError(f"seed {seed} does not end: {rivals}") from None
        befell = Counter(storm.befell)
    one, two = rivals
    assert one.board == two.board, f"seed {seed}: {one.board} and {two.board}"
    assert is_over(one.board), f"seed {seed}: {one.board}"
    assert one.starts != two.starts, f"seed {seed}: both or neither started"
    for rival in rivals:
        assert rival.heard == sorted(set(rival.heard)), f"seed {seed}: heard {rival.heard}"
    return befell + Counter(status for rival in rivals for status in rival.statuses)


async def games(product: Product, guest: Guest, seeds: range) -> Counter[str]:
    players = [await guest(f"rival {number}") for number in range(PLAYERS)]
    tables = asyncio.Queue[tuple[Player, Player]]()
    for box in range(0, PLAYERS, 2):
        tables.put_nowait((players[box], players[box + 1]))
    total: Counter[str] = Counter()
    limits = httpx.Limits(max_connections=None, max_keepalive_connections=0)

    async with httpx.AsyncClient(timeout=20.0, limits=limits, **LOOPBACK) as http:

        async def play(seed: int) -> None:
            pair = await tables.get()
            total.update(await one_game(product, http, pair, seed))
            tables.put_nowait(pair)

        await asyncio.gather(*(play(seed) for seed in seeds))
    print(f"{len(seeds)} games: {dict(total)}")
    return total


@pytest.mark.timeout(600)
async def test_two_clients_that_repeat_finish_with_equal_boards(product: Product, guest: Guest) -> None:
    total = await games(product, guest, range(40))
    # The weather was bad, and the relay had something to mend.
    for word in ("lost", "answer lost", "doubled", "late", "cut", "duplicate", "held", "stored", "forwarded"):
        assert total[word] > 0, total


@pytest.mark.soak
async def test_a_thousand_games_finish_with_equal_boards(product: Product, guest: Guest) -> None:
    await games(product, guest, range(1000, 2000))
