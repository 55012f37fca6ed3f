"""The two ways to run Parlor, each with a hand on every process: all in one, and replicas on a Redis of their own."""

import itertools
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from redis import Redis

from shared.log.keys import PARTITIONS
from tests.chaos.crashes import RECOVERY, Crash
from tests.support.deployment import Deployment, at_once, deployment, fleet
from tests.support.product import Product, Server
from tests.support.redis_cluster import RedisCluster, redis_cluster

SETTINGS = {"PARLOR_RATE_LIMIT": "off"}


class OneProcess(Product):
    """`parlor up`, which may be killed while it starts, too."""

    @property
    def lobby(self) -> str:
        return self.url

    @property
    def sessions(self) -> list[str]:
        return [self.url]

    def crash(self, crash: Crash) -> None:
        assert self.is_running(), "the service ended by itself"
        if crash is not Crash.SERVICE:
            self._kill_redis(required=crash is Crash.REDIS)
        if crash is not Crash.REDIS:
            self.kill()
            self.launch()

    def crash_all(self) -> None:
        if self.is_running():
            self._kill_redis(required=False)
            self.kill()
        self.start()

    def _kill_redis(self, *, required: bool) -> None:
        deadline = time.monotonic() + RECOVERY
        while not (servers := self._redis_servers()) and required:
            assert self.is_running(), "the service ended by itself"
            assert time.monotonic() < deadline, f"there is no Redis, after {RECOVERY:.0f} s"
            time.sleep(0.005)
        for server in servers:
            with suppress(psutil.NoSuchProcess):
                server.kill()

    def _redis_servers(self) -> list[psutil.Process]:
        """The embedded Redis; none in the moments between its death and its next start."""
        with suppress(psutil.NoSuchProcess):
            return [child for child in self.process.children() if _is_alive(child, "valkey-server")]
        return []


class TwoReplicas:
    """`parlor session` twice, so that a player's stream and her opponent's moves are often at different processes."""

    def __init__(self, deployed: Deployment) -> None:
        self._deployed = deployed
        self._replicas = itertools.cycle(deployed.sessions)
        self._make_durable()

    @property
    def home(self) -> Path:
        return self._deployed.lobby.home.parent

    @property
    def lobby(self) -> str:
        return self._deployed.lobby.url

    @property
    def sessions(self) -> list[str]:
        return [session.url for session in self._deployed.sessions]

    def crash(self, crash: Crash) -> None:
        """One replica, in turn: the other one serves on. A replica starts only where there is a Redis."""
        replica, redis = next(self._replicas), self._deployed.redis
        assert all(session.is_running() for session in self._deployed.sessions), "a replica ended by itself"
        if crash is not Crash.SERVICE:
            redis.kill()
        if crash is not Crash.REDIS:
            replica.kill()
        if crash is not Crash.SERVICE:
            self._start_redis()
        if crash is not Crash.REDIS:
            replica.start()

    def crash_all(self) -> None:
        self._deployed.redis.kill()
        for session in self._deployed.sessions:
            session.kill()
        self._start_redis()
        at_once(session.start for session in self._deployed.sessions)

    def _start_redis(self) -> None:
        self._deployed.redis.start()
        self._make_durable()

    def _make_durable(self) -> None:
        """By default Redis may answer before its file is written, and then a crash is not Parlor's to survive."""
        with Redis.from_url(self._deployed.redis.url) as redis:
            redis.config_set("appendfsync", "always")

    def log(self) -> str:
        return "".join(session.log() for session in self._deployed.sessions)


class OnCluster:
    """`parlor session` twice on a Redis Cluster, whose masters die in turn; replicas confirm what is answered."""

    def __init__(self, home: Path, cluster: RedisCluster, lobby: Server, sessions: list[Server]) -> None:
        self.home = home
        self._cluster = cluster
        self._lobby = lobby
        self._sessions = sessions
        self._replicas = itertools.cycle(sessions)
        self._keys = itertools.cycle(f"{{p{number}}}" for number in range(PARTITIONS))

    @property
    def lobby(self) -> str:
        return self._lobby.url

    @property
    def sessions(self) -> list[str]:
        return [session.url for session in self._sessions]

    def crash(self, crash: Crash) -> None:
        """A master with its replica still behind it, a replica of the service, or both."""
        assert all(session.is_running() for session in self._sessions), "a replica ended by itself"
        replica = next(self._replicas)
        if crash is not Crash.REDIS:
            replica.kill()
        if crash is not Crash.SERVICE:
            self._cluster.fail_over(next(self._keys))
        if crash is not Crash.REDIS:
            replica.start()

    def crash_all(self) -> None:
        """Let every slot be served by a server that was a replica when the last move was answered."""
        for session in self._sessions:
            session.kill()
        for master in self._cluster.masters:
            self._cluster.fail_over_from(master)
        at_once(session.start for session in self._sessions)

    def log(self) -> str:
        return "".join(session.log() for session in self._sessions)


@contextmanager
def on_cluster(home: Path) -> Iterator[OnCluster]:
    database, careful = f"sqlite+aiosqlite:///{home / 'parlor.db'}", {"PARLOR_REDIS_WAIT_REPLICAS": "1"}
    counts = {"lobby": 1, "session": 2}
    with redis_cluster() as cluster, fleet(home, cluster.url, database, counts, careful) as started:
        yield OnCluster(home, cluster, started["lobby"][0], started["session"])


@contextmanager
def one_process(home: Path) -> Iterator[OneProcess]:
    with OneProcess(home, settings=SETTINGS) as product:
        yield product


@contextmanager
def two_replicas(home: Path) -> Iterator[TwoReplicas]:
    with deployment(f"sqlite+aiosqlite:///{home / 'parlor.db'}") as deployed:
        yield TwoReplicas(deployed)


def _is_alive(process: psutil.Process, name: str) -> bool:
    try:
        return process.name() == name and process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
