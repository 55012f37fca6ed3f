"""What rings while it cannot be heard or looked up is told as soon as it can be."""

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from redis.exceptions import ConnectionError as RedisConnectionError

from services.lobby.catalogue import Catalogue
from services.lobby.kinds import kinds
from services.lobby.logs import Logs
from services.lobby.rooms import Rooms
from shared.ids import new_id
from shared.runtime import wall_clock
from tests.lobby.support import WAITS
from tests.log.conftest import Replica
from tests.support.redis_server import RedisServer
from tests.support.waiting import eventually

PATIENCE = 30.0
Heard = asyncio.Queue[tuple[str, Any]]


@pytest.fixture
def room() -> str:
    return new_id()


@pytest.fixture
async def heard(here: Replica, redis_server: RedisServer, room: str) -> AsyncIterator[Heard]:
    """What a follower of the room is told of its tables from now on."""
    logs = Logs(here.hub, here.store, here.redis, wall_clock)
    rooms = Rooms(here.redis, here.doorbell, logs, kinds(WAITS), Catalogue(here.redis))
    told: Heard = asyncio.Queue()
    end = await rooms.follow(room, lambda table, shown: told.put_nowait((table, shown)))
    disappear(redis_server, room, "the first")
    assert await asyncio.wait_for(told.get(), PATIENCE) == ("the first", None)
    yield told
    end()


def disappear(redis: RedisServer, room: str, table: str) -> None:
    """As another process notes it."""
    redis.ask("HDEL", f"lobby:room:{room}:tables", table)
    redis.ask("ZADD", f"lobby:room:{room}:gone", wall_clock(), table)
    redis.ask("SPUBLISH", f"lobby:room:{room}:tables", table)


async def refused(redis: RedisServer, command: str) -> None:
    """Wait until Redis has refused somebody a command."""

    async def refusals() -> str:
        return str(redis.ask("ACL", "LOG"))

    await eventually(refusals, lambda told: command in told)


@pytest.fixture
def forbid(redis_server: RedisServer) -> Any:
    """Let Redis refuse a command until the test is over or the answered function is called."""
    forbidden: list[str] = []

    def allow() -> None:
        while forbidden:
            redis_server.ask("ACL", "SETUSER", "default", f"+{forbidden.pop()}")

    def begin(command: str) -> Callable[[], None]:
        redis_server.ask("ACL", "LOG", "RESET")
        redis_server.ask("ACL", "SETUSER", "default", f"-{command}")
        forbidden.append(command)
        return allow

    yield begin
    allow()


async def test_a_table_that_could_not_be_looked_up_is_told_of_later(
    redis_server: RedisServer, heard: Heard, room: str, forbid: Callable[[str], Callable[[], None]]
) -> None:
    allow = forbid("hmget")
    disappear(redis_server, room, "t")
    await refused(redis_server, "hmget")
    allow()
    while await asyncio.wait_for(heard.get(), PATIENCE) != ("t", None):
        pass


async def test_a_room_that_could_not_be_looked_at_after_a_break_is_looked_at_later(
    redis_server: RedisServer, heard: Heard, room: str, forbid: Callable[[str], Callable[[], None]]
) -> None:
    allow = forbid("hkeys")
    redis_server.ask("CLIENT", "KILL", "TYPE", "pubsub")
    await refused(redis_server, "hkeys")
    redis_server.ask("ZADD", f"lobby:room:{room}:gone", wall_clock(), "t")
    allow()
    while await asyncio.wait_for(heard.get(), PATIENCE) != ("t", None):
        pass


async def test_one_who_cannot_be_told_of_a_return_keeps_nobody_else_from_hearing_of_it(
    redis_server: RedisServer, here: Replica
) -> None:
    calls: list[str] = []
    both = asyncio.Event()

    async def fails_once() -> None:
        calls.append("first")
        if calls.count("first") == 1:
            raise RedisConnectionError
        if "second" in calls:
            both.set()

    async def second() -> None:
        calls.append("second")

    here.doorbell.add(channel := new_id(), lambda _: None)
    await here.doorbell.ready(channel)
    here.doorbell.on_return(fails_once)
    here.doorbell.on_return(second)
    redis_server.ask("CLIENT", "KILL", "TYPE", "pubsub")
    await asyncio.wait_for(both.wait(), PATIENCE)
    assert calls[:2] == ["first", "second"]
