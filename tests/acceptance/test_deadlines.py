"""Deadlines outlive the processes that keep them; move clocks do not run while nobody serves."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from shared.log.keys import partitions
from tests.support.client import Json, Player, open_client
from tests.support.deployment import Deployment, deployment
from tests.support.duel import Duel, accepted, asked
from tests.support.product import Product, short_directory
from tests.support.waiting import eventually

LATE_MS = 500
LOOKS_EVERY_MS = 1_000
CREDITED_BEYOND_MS = 2_000


@dataclass
class Crash:
    """When a service was killed, launched again and ready, in ms."""

    killed: int
    launched: int
    ready: int


def now() -> int:
    return time.time_ns() // 1_000_000


async def crash(product: Product, down: float = 0.0) -> Crash:
    """Kill the service, leave it dead for so many seconds, and start it again."""
    await asyncio.to_thread(product.kill)
    killed = now()
    await asyncio.sleep(down)
    launched = now()
    await asyncio.to_thread(product.start)
    return Crash(killed, launched, now())


@pytest.fixture(scope="module")
def mortal() -> Iterator[Product]:
    with short_directory() as home, Product(home, settings={"PARLOR_RATE_LIMIT": "off"}) as running:
        yield running


@pytest.fixture(scope="module")
def restart_seconds(mortal: Product) -> float:
    """How long this machine takes to start the service again."""
    begun = time.monotonic()
    mortal.kill()
    mortal.start()
    return time.monotonic() - begun


@pytest.fixture
async def http(mortal: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(mortal.url) as client:
        yield client


@pytest.fixture
async def ann(http: httpx.AsyncClient) -> Player:
    return await Player.guest(http, "Ann")


@pytest.fixture
async def bob(http: httpx.AsyncClient) -> Player:
    return await Player.guest(http, "Bob")


async def facts(duel: Duel) -> list[Json]:
    """What was written, each with its time, by the log that a replay shows."""
    if (await duel.first.view(duel.id))["status"] != "finished":
        accepted(await duel.first.resign(duel.id))
    log: list[Json] = (await duel.first.replay(duel.id))["log"]
    return [{**fact, "at": line["at"]} for line in log for fact in line["facts"]]


async def moments(duel: Duel) -> dict[str, int]:
    """When each kind of fact was last written."""
    return {fact["type"]: fact["at"] for fact in await facts(duel)}


async def test_an_undo_that_is_due_after_a_restart_is_rejected_in_time(
    mortal: Product, restart_seconds: float, ann: Player, bob: Player
) -> None:
    seconds = math.ceil(2 * restart_seconds) + 1
    duel = await Duel.start(ann, bob, undo_time=seconds)
    requested = await asked(duel)
    back = await crash(mortal)
    async with duel.first.events(duel.id, cursor=requested) as events:
        await events.next("timeup_reject_undo", timeout=seconds + 5.0)
    written = await moments(duel)
    deadline = written["undo_asked"] + seconds * 1_000
    assert back.ready < deadline, "the machine has become too slow to tell"
    assert 0 <= written["undo_rejected"] - deadline <= LATE_MS


async def test_an_undo_that_was_due_while_the_service_was_away_is_rejected_at_once(
    mortal: Product, ann: Player, bob: Player
) -> None:
    duel = await Duel.start(ann, bob, undo_time=1)
    requested = await asked(duel)
    back = await crash(mortal, down=1.0)
    async with duel.first.events(duel.id, cursor=requested) as events:
        await events.next("timeup_reject_undo")
    written = await moments(duel)
    assert back.launched <= written["undo_rejected"] <= back.ready + LATE_MS


async def holders(redis_url: str) -> set[bytes | str | None]:
    """Who has the leases on the timers."""
    async with Redis.from_url(redis_url) as redis:
        return set(await redis.mget([partition.lease("timers") for partition in partitions("session")]))


async def looked_after(mortal: Product, since: int) -> None:
    """Wait until somebody has looked at every timer since then: a process that has just started may take a while."""

    async def oldest() -> int:
        async with Redis.from_url(f"unix://{mortal.data_dir / 'redis.sock'}") as redis:
            looks = await redis.mget([partition.renewed for partition in partitions("session")])
        return min(int(look or 0) for look in looks)

    await eventually(oldest, lambda look: look >= since, timeout=10)


async def credited(duel: Duel, back: Crash) -> int:
    """How much time the log credits in all: from two seconds after the last look until the next one."""
    credits = [fact for fact in await facts(duel) if fact["type"] == "credited"]
    for credit in credits[:1]:
        looked = credit["begun"] - CREDITED_BEYOND_MS
        assert back.killed - LOOKS_EVERY_MS - LATE_MS <= looked <= back.killed
        assert back.launched <= credit["until"] <= back.ready
    for credit in credits[1:]:  # a machine that is too busy to look for two seconds
        assert credit["begun"] >= back.launched + CREDITED_BEYOND_MS
    return sum(credit["until"] - credit["begun"] for credit in credits)


async def test_a_move_clock_is_credited_with_an_outage(mortal: Product, ann: Player, bob: Player) -> None:
    await looked_after(mortal, now())
    duel = await Duel.start(ann, bob, move_time=4, time_bank=0)
    started = now()
    await duel.play(duel.first, 0)
    back = await crash(mortal, down=4.5)
    (wait,) = (await duel.second.view(duel.id))["waits"]
    not_counted = now() - started - wait["tick"]
    await duel.play(duel.second, 1)  # the game is not lost
    assert abs(not_counted - await credited(duel, back)) <= LATE_MS
    assert not_counted > 0


async def test_nothing_of_the_first_two_seconds_is_credited(mortal: Product, ann: Player, bob: Player) -> None:
    duel = await Duel.start(ann, bob, move_time=120)
    started = now()
    await duel.play(duel.first, 0)
    redis = f"unix://{mortal.data_dir / 'redis.sock'}"
    before = await holders(redis)
    back = await crash(mortal)
    # The lease of the process that was killed outlives it; only then is anything credited.
    await eventually(lambda: holders(redis), lambda held: None not in held and not held & before)
    (wait,) = (await duel.second.view(duel.id))["waits"]
    not_counted = now() - started - wait["tick"]
    assert abs(not_counted - await credited(duel, back)) <= LATE_MS  # nothing, if it was back soon enough


@pytest.fixture(scope="module")
def parlor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    directory: Path = tmp_path_factory.mktemp("deadlines")
    with deployment(f"sqlite+aiosqlite:///{directory / 'parlor.db'}") as running:
        yield running


async def test_an_undo_whose_keeper_dies_is_rejected_in_time_by_another_replica(parlor: Deployment) -> None:
    survivor, keeper = parlor.sessions
    await asyncio.to_thread(survivor.kill)  # so that the other one takes every lease
    await eventually(lambda: holders(parlor.redis.url), lambda held: len(held) == 1 and None not in held, timeout=10.0)
    await asyncio.to_thread(survivor.start)
    async with open_client(parlor.lobby.url) as lobby, open_client(survivor.url) as session:
        ann, bob = [(await Player.guest(lobby, nick)).at(session) for nick in ("Ann", "Bob")]
        duel = await Duel.start(ann, bob, undo_time=1)
        async with duel.first.events(duel.id) as events:
            await asked(duel)
            await asyncio.to_thread(keeper.kill)
            await events.next("timeup_reject_undo")
        written = await moments(duel)
    assert 0 <= written["undo_rejected"] - (written["undo_asked"] + 1_000) <= LATE_MS
