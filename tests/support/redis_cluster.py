"""A Redis Cluster that belongs to a test: three masters with a replica each, killed and started at will."""

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path

from redis.crc import key_slot

from tests.support.ports import own_port
from tests.support.product import short_directory
from tests.support.redis_server import RedisServer

MASTERS = 3
_SLOTS = 16384
_NODE_TIMEOUT_MS = 15_000  # a node that a busy machine lets wait is not dead; for one that is, its replica is called
_SETTLES_WITHIN = 60.0


class Node(RedisServer):
    """One server of the cluster."""

    def __init__(self, directory: Path) -> None:
        self.bus = own_port()
        super().__init__(
            directory,
            cluster_enabled="yes",
            cluster_port=self.bus,
            cluster_node_timeout=_NODE_TIMEOUT_MS,
            cluster_replica_validity_factor=0,  # however long a replica has heard nothing, it may take over
            repl_diskless_sync_delay=0,
        )

    @property
    def id(self) -> str:
        return _text(self.ask("CLUSTER", "MYID"))

    def knows(self, other: "Node") -> bool:
        return other.id in _text(self.ask("CLUSTER", "NODES"))

    def is_master(self) -> bool:
        return self.replication().get("role") == "master"

    def replicates(self) -> bool:
        """Is it a replica that hears its master?"""
        return self.replication().get("master_link_status") == "up"


class RedisCluster:
    """Made by `redis_cluster`."""

    def __init__(self, home: Path) -> None:
        self.nodes = [Node(home / f"node-{n}") for n in range(2 * MASTERS)]

    @property
    def url(self) -> str:
        return "redis+cluster://" + ",".join(f"127.0.0.1:{node.port}" for node in self.nodes)

    def start(self) -> None:
        for node in self.nodes:
            node.start()
        masters, replicas = self.nodes[:MASTERS], self.nodes[MASTERS:]
        first = masters[0]
        for n, master in enumerate(masters):
            last = _SLOTS * (n + 1) // MASTERS - 1
            master.ask("CLUSTER", "ADDSLOTSRANGE", _SLOTS * n // MASTERS, last)
            master.ask("CLUSTER", "SET-CONFIG-EPOCH", n + 1)
        for node in self.nodes[1:]:
            node.ask("CLUSTER", "MEET", "127.0.0.1", first.port, first.bus)
        for master, replica in zip(masters, replicas, strict=True):
            wait_for(partial(replica.knows, master), "all know each other")
            replica.ask("CLUSTER", "REPLICATE", master.id)
        self.wait_until_whole()

    def kill(self) -> None:
        for node in self.nodes:
            if node.is_running:
                node.kill()

    def wait_until_whole(self) -> None:
        """Every slot has a master that everyone knows, and every master a replica that follows it."""

        def whole() -> bool:
            known = all(node.answers() and "cluster_state:ok" in _text(node.ask("CLUSTER", "INFO")) for node in nodes)
            return known and len(self.masters) == MASTERS and sum(node.replicates() for node in nodes) == MASTERS

        nodes = self.nodes
        wait_for(whole, "the cluster is whole")

    @property
    def masters(self) -> list[Node]:
        return [node for node in self.nodes if node.is_running and node.is_master()]

    def owner(self, key: str) -> Node:
        """The master that owns a key's slot, as most see it."""
        slot = key_slot(key.encode())
        for node in self.masters:
            for first, last, (_, port, *_), *_ in node.ask("CLUSTER", "SLOTS"):
                if first <= slot <= last and port == node.port:
                    return node
        raise AssertionError(f"nobody owns slot {slot}")

    def fail_over(self, key: str) -> None:
        """Let the master of a key die and its replica take over, and bring it back as a replica."""
        self.fail_over_from(self.owner(key))

    def fail_over_from(self, dying: Node) -> None:
        heir = next(node for node in self.nodes if node.replication().get("master_port") == dying.port)
        dying.kill()
        heir.ask("CLUSTER", "FAILOVER", "TAKEOVER")  # what the other masters would agree on after the node timeout
        wait_for(lambda: len(self.masters) == MASTERS, "a replica takes over")
        dying.start()
        self.wait_until_whole()

    def move_slot(self, key: str) -> None:
        """Give the slot of a key to another master, with its keys, as an operator would."""
        with self.half_moved(key):
            pass

    def move_slot_at_once(self, key: str) -> None:
        """The same in one atomic step, as Valkey can since 9.0."""
        slot, source = key_slot(key.encode()), self.owner(key)
        target = next(node for node in self.masters if node is not source)
        source.ask("CLUSTER", "MIGRATESLOTS", "SLOTSRANGE", slot, slot, "NODE", target.id)
        wait_for(lambda: self.owner(key) is target, "the slot has moved")

    @contextmanager
    def half_moved(self, key: str) -> Iterator[None]:
        """Inside, the keys of the slot lie with another master already, which is not its owner yet."""
        slot, source = key_slot(key.encode()), self.owner(key)
        target = next(node for node in self.masters if node is not source)
        target.ask("CLUSTER", "SETSLOT", slot, "IMPORTING", source.id)
        source.ask("CLUSTER", "SETSLOT", slot, "MIGRATING", target.id)
        while keys := source.ask("CLUSTER", "GETKEYSINSLOT", slot, 100):
            source.ask("MIGRATE", "127.0.0.1", target.port, "", 0, 5_000, "KEYS", *keys)
        try:
            yield
        finally:
            for node in (target, source, *(each for each in self.masters if each not in (source, target))):
                node.ask("CLUSTER", "SETSLOT", slot, "NODE", target.id)


@contextmanager
def redis_cluster() -> Iterator[RedisCluster]:
    with short_directory() as home, ExitStack() as stack:
        cluster = RedisCluster(home)
        stack.callback(cluster.kill)
        cluster.start()
        yield cluster


def wait_for(condition: Callable[[], bool], what: str, within: float = _SETTLES_WITHIN) -> None:
    deadline = time.monotonic() + within
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {within:.0f} s"
        time.sleep(0.02)


def _text(reply: object) -> str:
    return reply.decode() if isinstance(reply, bytes) else str(reply)
