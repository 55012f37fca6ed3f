"""The way of commits to one server: those that are ready at the same moment share one round trip."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from redis.exceptions import ConnectionError as RedisConnectionError
from redis.exceptions import NoScriptError, RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError

from shared import metrics
from shared.log.commit import LOAD, Commit, CommitOutcome, Conflict, outcome_of, packed
from shared.log.era import Era
from shared.log.wire import Elsewhere, Line, pack_command
from shared.problems import Unavailable
from shared.servers.replicas import Replicas, Unconfirmed
from shared.servers.topology import Server

_REPLIES_WITHIN = 5.0  # seconds
_PATIENCE = 3.0  # seconds a commit may wait for Redis to come back; an embedded one needs about one
_SHORTEST_PAUSE = 0.02
_LONGEST_PAUSE = 0.5
_LARGEST_BATCH = 256  # bounds how long the first commit of a batch waits for the last

AWAY = (RedisConnectionError, RedisTimeoutError, TimeoutError, OSError)


class Errand:
    """A commit, and whoever waits for it."""

    __slots__ = ("commit", "future", "give_up", "tries")

    def __init__(self, commit: Commit, future: "asyncio.Future[CommitOutcome]") -> None:
        self.commit = commit
        self.future = future
        self.tries = 0
        self.give_up = 0.0

    def fail(self, error: Exception) -> None:
        if not self.future.done():
            away = isinstance(error, RedisError | TimeoutError | OSError)
            self.future.set_exception(Unavailable("The log cannot be written just now.") if away else error)

    def settle(self, outcome: CommitOutcome) -> None:
        if not self.future.done():
            self.future.set_result(outcome)


class Lane:
    """Sends what has gathered, batch after batch; what a server did not take is tried again, here or elsewhere.

    A commit whose connection broke may or may not have landed. Repeating it is safe, because it names the version it
    expects; if it did land, the repeat meets its own entry in the log.
    """

    def __init__(
        self,
        server: Server,
        reroute: Callable[[list[Errand]], Awaitable[None]],
        own: Callable[[Commit, CommitOutcome], Awaitable[CommitOutcome]],
        replicas: Replicas | None,
        era: Era,
    ) -> None:
        """`reroute` is given what is to be tried again; `own` knows our own entry when a repeat has met it."""
        self._era = era
        self._line = Line(server.pool)
        self._reroute = reroute
        self._own = own
        self._replicas = replicas
        self._within = _REPLIES_WITHIN + (replicas.within_ms / 1000 if replicas else 0)
        self._waiting: list[Errand] = []
        self._flying = False
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def is_idle(self) -> bool:
        return not self._flying

    def add(self, errand: Errand) -> None:
        self._waiting.append(errand)
        if not self._flying:
            self._flying = True
            asyncio.get_running_loop().call_soon(self._spawn_flight)

    async def close(self) -> None:
        await self._line.close()

    def _spawn_flight(self) -> None:
        self._spawn(self._fly())

    def _spawn(self, work: Any) -> None:
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _fly(self) -> None:
        """Until nothing waits."""
        loop = asyncio.get_running_loop()
        while self._waiting:
            batch = self._waiting[:_LARGEST_BATCH]
            del self._waiting[: len(batch)]
            began = loop.time()
            try:
                replies = await self._round_trip([errand.commit for errand in batch])
            except AWAY as error:
                await self._again(batch, began, error)
            except Exception as error:
                for errand in batch:
                    errand.fail(error)
            else:
                await self._settle(batch, replies, began)
        self._flying = False

    async def _settle(self, batch: list[Errand], replies: list[Any], began: float) -> None:
        unmoved: list[Errand] = []
        for errand, reply in zip(batch, replies, strict=True):
            outcome = outcome_of(reply)
            if isinstance(outcome, Elsewhere):
                unmoved.append(errand)
            elif isinstance(outcome, Exception):
                errand.fail(outcome)
            elif errand.tries:
                try:
                    errand.settle(await self._own(errand.commit, outcome))
                except (RedisError, TimeoutError, OSError) as error:
                    errand.fail(error)
            else:
                errand.settle(outcome)
        if unmoved:  # others of this server's slots need not wait for these
            self._spawn(self._again(unmoved, began, Elsewhere()))

    async def _again(self, errands: list[Errand], began: float, error: Exception) -> None:
        now = asyncio.get_running_loop().time()
        lasting: list[Errand] = []
        pause = min(_SHORTEST_PAUSE * 2 ** max(errand.tries for errand in errands), _LONGEST_PAUSE)
        for errand in errands:
            errand.give_up = errand.give_up or began + _PATIENCE
            errand.tries += 1
            if now + pause > errand.give_up:
                errand.fail(error)
            else:
                lasting.append(errand)
        if lasting:
            await asyncio.sleep(pause)
            await self._reroute(lasting)

    async def _round_trip(self, commits: list[Commit]) -> list[Any]:
        metrics.COMMIT_BATCH.observe(len(commits))
        replies = await self._evaluated(commits, [])
        unknown = [i for i, reply in enumerate(replies) if isinstance(reply, NoScriptError)]
        if unknown:  # a new or restarted server does not know our script
            answers = await self._evaluated([commits[i] for i in unknown], [LOAD])
            for i, reply in zip(unknown, answers, strict=True):
                replies[i] = reply
        return replies

    async def _evaluated(self, commits: list[Commit], first: list[bytes]) -> list[Any]:
        """All in one write; where replicas are waited for, one question for all."""
        if await self._line.open():
            self._era.end()
        era = self._era.now
        commands = [*first, *(packed(commit, era) for commit in commits)]
        if self._replicas is None:
            return (await self._line.talk(commands, self._within))[len(first) :]
        commands += map(pack_command, self._replicas.question(commits[0].keys.log))
        *replies, asked, confirmed = (await self._line.talk(commands, self._within))[len(first) :]
        if isinstance(asked, Exception) or isinstance(confirmed, Exception):
            return [Elsewhere("what was written could not be confirmed here")] * len(commits)
        if confirmed >= self._replicas.number:
            return replies
        return [reply if isinstance(outcome_of(reply), Conflict | Exception) else Unconfirmed() for reply in replies]
