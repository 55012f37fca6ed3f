"""Deadlines outlive the processes that keep them; move clocks do not run while nobody serves."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from redis.asyncio import Redis

from shared.log.keys import partitions
from tests.support.client import Player, open_client
from tests.support.deployment import Deployment, deployment
from tests.support.duel import Duel, asked
from tests.support.facts import TooSlow, credit, facts, in_time, moments
from tests.support.product import Product, short_directory
from tests.support.waiting import eventually

CREDITED_BEYOND_MS = 2_000
LATE_MS = 20_000  # what is half a second on a machine with time for us
KEPT_MS = 240_000  # longer than any of it takes

LEASES = [partition.lease("timers") for partition in partitions("session")]


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


def redis_of(product: Product) -> str:
    return f"unix://{product.redis_socket}"


async def holders(redis_url: str) -> set[bytes | str | None]:
    """Who has the leases on the timers."""
    async with Redis.from_url(redis_url) as redis:
        return set(await redis.mget(LEASES))


@asynccontextmanager
async def leases_of_the_dead(redis_url: str) -> AsyncIterator[None]:
    """All are held by a process that is no more and do not run out: whoever acts now does so without one."""
    dead = b"a process that was killed"
    async with Redis.from_url(redis_url) as redis:
        for lease in LEASES:
            await redis.set(lease, dead, px=KEPT_MS)
    await looked_after(redis_url, now())  # and those that are alive know it
    yield
    assert await holders(redis_url) == {dead}
    async with Redis.from_url(redis_url) as redis:
        await redis.delete(*LEASES)


async def looked_after(redis_url: str, since: int) -> None:
    """Wait until somebody has looked at every timer since then: a process that has just started may take a while."""

    async def oldest() -> int:
        async with Redis.from_url(redis_url) as redis:
            looks = await redis.mget([partition.renewed for partition in partitions("session")])
        return min(int(look or 0) for look in looks)

    await eventually(oldest, lambda look: look >= since)


async def test_an_undo_that_is_due_after_a_restart_is_rejected_in_time(
    mortal: Product, ann: Player, bob: Player
) -> None:
    async with leases_of_the_dead(redis_of(mortal)):
        duel = await Duel.start(ann, bob, undo_time=4)
        requested = await asked(duel)
        back = await crash(mortal)
        async with duel.first.events(duel.id, cursor=requested) as events:
            await events.next("timeup_reject_undo")
    written = await moments(duel.first, duel.id)
    deadline = written["undo_asked"] + 4_000
    assert deadline <= written["undo_rejected"] <= max(deadline, back.ready) + LATE_MS


async def test_an_undo_that_was_due_while_the_service_was_away_is_rejected_at_once(
    mortal: Product, ann: Player, bob: Player
) -> None:
    async with leases_of_the_dead(redis_of(mortal)):
        duel = await Duel.start(ann, bob, undo_time=1)
        requested = await asked(duel)
        back = await crash(mortal, down=1.0)
        async with duel.first.events(duel.id, cursor=requested) as events:
            await events.next("timeup_reject_undo")
    written = await moments(duel.first, duel.id)
    assert written["undo_asked"] + 1_000 <= written["undo_rejected"] <= back.ready + LATE_MS


async def test_a_move_clock_is_credited_with_an_outage(mortal: Product, ann: Player, bob: Player) -> None:
    """It runs out while nobody serves, and is not judged before it has been credited."""

    async def outlived_an_outage() -> None:
        await looked_after(redis_of(mortal), looked := now())
        duel = await Duel.start(ann, bob, move_time=2, time_bank=0)
        back = await crash(mortal, down=2.5)
        await eventually(lambda: ann.view(duel.id), lambda view: view["status"] == "finished")
        found = await facts(ann, duel.id)
        at = {fact["type"]: fact["at"] for fact in found}
        if at["ended"] <= back.killed:
            raise TooSlow
        # Before and after it the machine may have been too busy to look for two seconds.
        outage, *_ = [fact for fact in found if fact["type"] == "credited" and fact["until"] > back.killed]
        assert looked <= outage["begun"] - CREDITED_BEYOND_MS <= back.killed
        assert back.launched <= outage["until"] <= back.ready
        assert at["ended"] - at["started"] - credit(found, at["started"]) >= 2_000

    await in_time(outlived_an_outage)


async def test_nothing_of_the_first_two_seconds_is_credited(mortal: Product, ann: Player, bob: Player) -> None:
    await looked_after(redis_of(mortal), looked := now())
    duel = await Duel.start(ann, bob, move_time=120)
    await duel.play(duel.first, 0)
    back = await crash(mortal)
    # The lease of the process that was killed outlives it; only then is anything credited.
    async with Redis.from_url(redis_of(mortal)) as redis:
        await redis.delete(*LEASES)
    await eventually(lambda: holders(redis_of(mortal)), lambda held: len(held) == 1 and None not in held)
    before = now()
    (wait,) = (await duel.second.view(duel.id))["waits"]
    after = now()
    found = await facts(ann, duel.id)
    credited = [fact for fact in found if fact["type"] == "credited"]
    (played,) = [fact["at"] for fact in found if fact["type"] == "played"]
    by_then = [fact for fact in credited if fact["at"] < before]
    assert before - played - credit(credited, played) <= wait["tick"] <= after - played - credit(by_then, played)
    of_this = [fact for fact in credited if fact["until"] <= back.ready]  # none, if it was back soon enough
    assert credit(of_this, played) <= max(0, back.ready - looked - CREDITED_BEYOND_MS)


@pytest.fixture(scope="module")
def parlor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    directory: Path = tmp_path_factory.mktemp("deadlines")
    with deployment(f"sqlite+aiosqlite:///{directory / 'parlor.db'}") as running:
        yield running


async def test_an_undo_whose_keeper_dies_is_rejected_in_time_by_another_replica(parlor: Deployment) -> None:
    survivor, keeper = parlor.sessions
    async with open_client(parlor.lobby.url) as lobby, open_client(survivor.url) as session:
        ann, bob = [(await Player.guest(lobby, nick)).at(session) for nick in ("Ann", "Bob")]
        duel = await Duel.start(ann, bob, undo_time=1)
        async with leases_of_the_dead(parlor.redis.url), duel.first.events(duel.id) as events:
            await asked(duel)
            await asyncio.to_thread(keeper.kill)
            await events.next("timeup_reject_undo")
        written = await moments(duel.first, duel.id)
    assert written["undo_asked"] + 1_000 <= written["undo_rejected"] <= written["undo_asked"] + LATE_MS
