"""Starting, stopping and crashing: `parlor up` cleans up after itself and keeps what it accepted."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AsyncExitStack

import httpx
import psutil
import pytest

from tests.support.cabo_clients import Trio
from tests.support.client import Player, open_client
from tests.support.convergence import messages, stable
from tests.support.problems import assert_problem
from tests.support.product import Product, processes_at_work_in, short_directory, wait_until_gone
from tests.support.xsos import X_WINS, Match


@pytest.fixture(scope="module")
def shared_mortal() -> Iterator[Product]:
    with short_directory() as home, Product(home) as running:
        yield running


@pytest.fixture
def mortal(shared_mortal: Product) -> Product:
    """A running product that its test may stop and kill."""
    if not shared_mortal.is_running():
        shared_mortal.start()
    return shared_mortal


@pytest.fixture
async def http(mortal: Product) -> AsyncIterator[httpx.AsyncClient]:
    async with open_client(mortal.url) as client:
        yield client


@pytest.fixture
async def match(http: httpx.AsyncClient) -> Match:
    return await Match.start(await Player.guest(http, "Ann"), await Player.guest(http, "Bob"))


def test_sigterm_ends_everything_that_was_started(mortal: Product) -> None:
    started = [mortal.process, *mortal.process.children(recursive=True)]
    assert len(started) >= 2
    mortal.stop()
    for process in started:
        wait_until_gone(process)
    assert processes_at_work_in(mortal.home) == []


async def test_sigterm_closes_every_stream_cleanly(mortal: Product, match: Match) -> None:
    async with AsyncExitStack() as stack:
        streams = [await stack.enter_async_context(match.x.events(match.id)) for _ in range(20)]
        for events in streams:
            await events.next("snapshot")
        stopping = asyncio.create_task(asyncio.to_thread(mortal.stop))
        for events in streams:
            await events.end()
        await stopping


async def test_what_was_accepted_survives_a_restart(mortal: Product, match: Match) -> None:
    so_far = await match.play(*X_WINS[:3])
    before = await match.x.view(match.id)
    await asyncio.to_thread(mortal.restart)
    after = await match.x.view(match.id)
    assert after["version"] >= so_far  # a slow restart is credited to the clocks, and that is an entry
    assert stable({**after, "version": so_far}) == stable(before)
    assert await match.play(X_WINS[3], after=3) == after["version"] + 1


@pytest.mark.parametrize("victims", ["service", "redis", "both"])
async def test_what_was_accepted_survives_a_crash(mortal: Product, match: Match, victims: str) -> None:
    async with match.o.events(match.id, cursor=match.created_version) as events:
        so_far = await match.play(*X_WINS[:3])
        seen = await events.until(so_far)
    if victims in {"redis", "both"}:
        await asyncio.to_thread(mortal.kill_redis)
    if victims in {"service", "both"}:
        await asyncio.to_thread(mortal.kill)
    await asyncio.to_thread(mortal.restart)
    last = await match.play(*X_WINS[3:], after=3)
    async with match.o.events(match.id, cursor=so_far) as events:
        rest = await events.until(last)
    cells = [event.data["cell"] for event in [*seen, *rest] if event.name == "response"]
    assert cells == list(X_WINS)
    async with match.o.events(match.id, cursor=match.created_version) as events:
        assert messages(await events.until(last)) == messages([*seen, *rest])


async def test_who_is_away_is_remembered_through_a_crash(mortal: Product, match: Match) -> None:
    await match.x.leave(match.id)
    await asyncio.to_thread(mortal.kill)
    await asyncio.to_thread(mortal.restart)
    view = await match.o.view(match.id)
    assert [player["away"] for player in view["players"]] == [player is match.x for player in match.seats]
    await match.x.come_back(match.id)
    assert not any(player["away"] for player in (await match.o.view(match.id))["players"])


async def test_a_key_is_remembered_through_a_crash(mortal: Product, match: Match) -> None:
    first = await match.x.play(match.id, 0, key="k")
    await asyncio.to_thread(mortal.kill)
    await asyncio.to_thread(mortal.restart)
    repeat = await match.x.play(match.id, 0, key="k")
    assert repeat.headers["idempotent-replayed"] == "true"
    assert repeat.content == first.content


async def test_the_clock_runs_through_a_crash(mortal: Product, http: httpx.AsyncClient) -> None:
    match = await Match.start(await Player.guest(http), await Player.guest(http), move_time=1, time_bank=0)
    await asyncio.to_thread(mortal.kill)
    await asyncio.to_thread(mortal.restart)
    async with match.o.events(match.id, cursor=match.created_version) as events:
        over = await events.next("game_over")
    assert over.data["result"]["reason"] == "timeout"
    assert over.data["result"]["winners"] == [match.box(match.o)]


async def test_an_acknowledgement_survives_a_crash(mortal: Product, http: httpx.AsyncClient) -> None:
    *seats, watcher = [await Player.guest(http, nick) for nick in ("Ann", "Bob", "Cid", "Eve")]
    async with Trio.seated(seats, watcher) as trio:
        await trio.start()
        c1, c2, c3 = await trio.order()
        version = await trio.post(c1, "TakeCardFromHeap")
        assert await trio.ack(c2, version) == version
        await asyncio.to_thread(mortal.kill)
        await asyncio.to_thread(mortal.restart)
        assert_problem(await trio.players[c1].move(trio.game, {"type": "Discard"}), 409, "waiting_for_acks")
        assert (await trio.state(c1))["drawn"] is None
        assert await trio.ack(c3, version) == version + 1
        assert (await trio.state(c1))["drawn"] is not None


def test_after_a_crash_and_a_restart_only_one_redis_is_left(mortal: Product) -> None:
    mortal.kill()
    mortal.restart()
    at_work = {process.pid for process in processes_at_work_in(mortal.data_dir)}
    redis_servers = {pid for pid in at_work if psutil.Process(pid).name() in {"redis-server", "valkey-server"}}
    assert redis_servers == {mortal.redis().pid}
    mortal.stop()
    assert processes_at_work_in(mortal.home) == []


async def test_users_tokens_and_revocations_survive_a_restart(mortal: Product, http: httpx.AsyncClient) -> None:
    ann, leaver = await Player.guest(http), await Player.guest(http)
    account = {"nick": "Ann", "password": "correct horse"}
    assert (await http.post("/lobby/auth/register", json=account, headers=ann.credentials)).is_success
    await leaver.post("/lobby/auth/logout")
    await asyncio.to_thread(mortal.restart)
    http.cookies.clear()
    assert (await ann.get("/lobby/me")).json()["user"]["id"] == ann.id
    assert (await http.post("/lobby/auth/login", json=account)).json()["user"]["id"] == ann.id
    assert_problem(await leaver.get("/lobby/me"), 401, "unauthenticated")


async def test_two_products_live_side_by_side(mortal: Product, default_product: Product) -> None:
    async with open_client(mortal.url) as here, open_client(default_product.url) as there:
        ann = await Player.guest(here)
        assert (await ann.at(there).get("/lobby/me")).status_code == 401
        assert (await ann.get("/lobby/me")).status_code == 200
