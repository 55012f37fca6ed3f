"""A client of many servers: each command goes to the one that owns its key, and again when that has changed."""

import asyncio
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.client import Pipeline
from redis.exceptions import (
    AskError,
    ClusterDownError,
    MovedError,
    ReadOnlyError,
    RedisError,
    TryAgainError,
)
from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import TimeoutError as RedisTimeoutError

from shared.servers.slots import slot_of_command
from shared.servers.topology import Server, Servers

# The server that was asked is away, or is no longer (or not yet) the one to ask: nothing was done there that could not
# be done again.
ELSEWHERE = (
    RedisConnectionError, RedisTimeoutError, TimeoutError, OSError,
    MovedError, TryAgainError, ClusterDownError, ReadOnlyError,
)  # fmt: skip

Words = tuple[Any, ...]
Command = tuple[Words, dict[str, Any]]


class Routed(Redis):
    """Looks like a client of one server. Commands of one pipeline may lie anywhere: there is no transaction."""

    def __init__(self, servers: Servers, patience: float) -> None:
        """`patience`: seconds in which a failing command is tried again."""
        super().__init__(protocol=2)
        self._servers = servers
        self._patience = patience

    async def ping(self, **kwargs: Any) -> bool:
        """Do most of the servers answer? One that fails over must not make every process unready."""
        servers = self._servers.all()
        answers = await asyncio.gather(*(server.redis.ping() for server in servers), return_exceptions=True)
        failures = [answer for answer in answers if isinstance(answer, BaseException)]
        if 2 * len(failures) >= len(servers):
            await self._servers.refresh()
            raise failures[0]
        return True

    async def execute_command(self, *args: Any, **options: Any) -> Any:
        (reply,) = await self.send([(args, options)])
        if isinstance(reply, Exception):
            raise reply
        return reply

    def pipeline(self, transaction: bool = True, shard_hint: str | None = None) -> "Pipeline":
        assert not transaction, "keys of several servers change independently of each other"
        return _Pipeline(self)

    async def aclose(self, close_connection_pool: bool | None = None) -> None:
        """The connections belong to the servers."""

    async def send(self, commands: list[Command]) -> list[Any]:
        """The replies in order, an error as an exception among them."""
        slots = [slot_of_command(words) for words, _ in commands]
        replies: list[Any] = [None] * len(commands)
        open_ones = list(range(len(commands)))
        give_up, pause = asyncio.get_running_loop().time() + self._patience, 0.02
        while True:
            await self._try(commands, slots, replies, open_ones)
            open_ones = [i for i in open_ones if isinstance(replies[i], ELSEWHERE)]
            if not open_ones or asyncio.get_running_loop().time() + pause > give_up:
                return replies
            await asyncio.sleep(pause)
            pause = min(pause * 2, 0.5)
            try:
                await self._servers.refresh()
            except (RedisError, OSError, TimeoutError):
                continue  # what we know may still be right

    async def _try(self, commands: list[Command], slots: list[int], replies: list[Any], which: list[int]) -> None:
        parts: dict[Server, list[int]] = {}
        for i in which:
            parts.setdefault(self._servers.owner(slots[i]), []).append(i)

        async def one(server: Server, part: list[int]) -> None:
            for i, reply in zip(part, await _sent(server, [commands[i] for i in part]), strict=True):
                replies[i] = reply
                if isinstance(reply, AskError) and not isinstance(reply, MovedError):
                    replies[i] = await self._asked(reply, slots[i], commands[i])

        if len(parts) == 1:
            ((server, part),) = parts.items()
            await one(server, part)
        else:
            await asyncio.gather(*(one(server, part) for server, part in parts.items()))

    async def _asked(self, elsewhere: AskError, slot: int, command: Command) -> Any:
        """The key has moved already, its slot has not: only whoever says ASKING is answered over there."""
        there = [s for s in self._servers.all() if s.pool.connection_kwargs["port"] == elsewhere.port]
        for server in there:
            if server.pool.connection_kwargs["host"] == elsewhere.host:
                _, reply = await _sent(server, [(("ASKING",), {}), command])
                return reply
        return TryAgainError(f"slot {slot} is on its way to a server that is not known yet")


class _Pipeline(Pipeline):
    def __init__(self, routed: Routed) -> None:
        super().__init__(routed.connection_pool, routed.response_callbacks, False, None)
        self._routed = routed

    async def execute(self, raise_on_error: bool = True) -> list[Any]:
        commands: Any
        commands, self.command_stack = self.command_stack, []
        replies = await self._routed.send(commands)
        if raise_on_error:
            for reply in replies:
                if isinstance(reply, Exception):
                    raise reply
        return replies


async def _sent(server: Server, commands: list[Command]) -> list[Any]:
    pipe = server.redis.pipeline(transaction=False)
    for words, options in commands:
        pipe.execute_command(*words, **options)
    try:
        return await pipe.execute(raise_on_error=False)
    except (RedisError, OSError, TimeoutError) as error:
        return [error] * len(commands)
