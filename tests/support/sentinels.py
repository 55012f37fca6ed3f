"""A primary with a replica, and three sentinels who decide which of the two is the primary."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from tests.support.product import short_directory
from tests.support.redis_cluster import wait_for
from tests.support.redis_server import RedisServer

NAME = "parlor"
_SENTINELS = 3
_DOWN_AFTER_MS = 15_000  # a server that a busy machine lets wait is not dead; for one that is, they are told


class Sentinel(RedisServer):
    """Keeps what it finds out in its configuration."""

    def __init__(self, directory: Path, primary: RedisServer) -> None:
        super().__init__(directory)
        self._file = directory / "sentinel.conf"
        self._file.write_text(
            f"port {self.port}\nbind 127.0.0.1\nsentinel monitor {NAME} 127.0.0.1 {primary.port} 2\n"
            f"sentinel down-after-milliseconds {NAME} {_DOWN_AFTER_MS}\nsentinel failover-timeout {NAME} 3000\n"
        )

    def start(self) -> None:
        self._launch([str(self._file), "--sentinel"])

    def primary_port(self) -> int:
        return int(self.ask("SENTINEL", "GET-MASTER-ADDR-BY-NAME", NAME)[1])

    def sees_all(self) -> bool:
        """Does it know the replica and the other sentinels?"""
        facts: list[bytes] = self.ask("SENTINEL", "MASTER", NAME)
        known = dict(zip(facts[::2], facts[1::2], strict=True))
        return int(known[b"num-slaves"]) == 1 and int(known[b"num-other-sentinels"]) == _SENTINELS - 1


class Watched:
    """Made by `watched_redis`."""

    def __init__(self, home: Path) -> None:
        primary = RedisServer(home / "primary", repl_diskless_sync_delay=0)
        replica = RedisServer(home / "replica", replicaof=f"127.0.0.1 {primary.port}", repl_diskless_sync_delay=0)
        self.servers = [primary, replica]
        self.sentinels = [Sentinel(home / f"sentinel-{n}", primary) for n in range(_SENTINELS)]

    @property
    def url(self) -> str:
        return "redis+sentinel://" + ",".join(f"127.0.0.1:{each.port}" for each in self.sentinels) + f"/{NAME}"

    @property
    def primary(self) -> RedisServer:
        named = self.sentinels[0].primary_port()
        known = {server.port: server for server in self.servers}
        assert named in known, f"the sentinels name a primary at {named}, which is none of {sorted(known)}"
        return known[named]

    def start(self) -> None:
        for each in (*self.servers, *self.sentinels):
            each.start()
        self.wait_until_whole()

    def kill(self) -> None:
        for each in (*self.servers, *self.sentinels):
            if each.is_running:
                each.kill()

    def wait_until_whole(self) -> None:
        """The primary has a replica that follows it, and every sentinel knows everyone."""

        def whole() -> bool:
            linked = [each.replication().get("master_link_status") for each in self.servers]
            return linked.count("up") == 1 and all(sentinel.sees_all() for sentinel in self.sentinels)

        wait_for(whole, "the sentinels know all")

    def fail_over(self) -> None:
        """Let the primary die and the sentinels name the other one; then bring it back as a replica."""
        dying = self.primary
        dying.kill()
        (other,) = (server for server in self.servers if server is not dying)
        self.sentinels[0].ask("SENTINEL", "FAILOVER", NAME)
        wait_for(lambda: self.sentinels[0].primary_port() == other.port, "the sentinels name another primary")
        dying.start()
        dying.ask("REPLICAOF", "127.0.0.1", other.port)  # the sentinels would, ten seconds later
        self.wait_until_whole()


@contextmanager
def watched_redis() -> Iterator[Watched]:
    with short_directory() as home, ExitStack() as stack:
        watched = Watched(home)
        stack.callback(watched.kill)
        watched.start()
        yield watched
