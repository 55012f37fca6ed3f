"""Where a numbered log and what changes with it lie in Redis."""

from dataclasses import dataclass
from functools import lru_cache
from zlib import crc32

from shared.servers.slots import slot_of

PARTITIONS = 64  # enough to spread over any cluster we foresee, few enough to poll each second


@dataclass(frozen=True, slots=True)
class Partition:
    """The keys that one commit may touch together; the hash tag keeps them in one cluster slot."""

    service: str
    number: int

    @property
    def stem(self) -> str:
        return f"{self.service}:{{p{self.number}}}"

    @property
    def timers(self) -> str:
        return f"{self.stem}:timers"

    @property
    def outbox(self) -> str:
        return f"{self.stem}:outbox"

    @property
    def renewed(self) -> str:
        """When the lease on the timers was last renewed."""
        return f"{self.stem}:renewed"

    @property
    def outages(self) -> str:
        """Times in which nobody renewed it, until they have been credited."""
        return f"{self.stem}:outages"

    def lease(self, worker: str) -> str:
        return f"{self.stem}:lease:{worker}"

    def bell(self, worker: str) -> str:
        """The channel on which a commit calls a worker: the name of what it works on."""
        return self.timers if worker == "timers" else self.outbox

    def answer(self, idempotency: str) -> str:
        return f"{self.stem}:answer:{idempotency}"


@dataclass(frozen=True, slots=True)
class LogKeys:
    """The keys of one log, spelled out once because every commit sends them."""

    id: str
    partition: Partition
    log: str
    snapshot: str
    present: str
    away: str
    ballots: str
    timers: str
    outbox: str
    slot: int  # of a cluster


@lru_cache(maxsize=65536)
def log_keys(service: str, kind: str, log_id: str) -> LogKeys:
    partition = partition_of(service, log_id)
    stem = f"{partition.stem}:{kind}:{log_id}"
    return LogKeys(
        id=log_id,
        partition=partition,
        log=f"{stem}:log",
        snapshot=f"{stem}:snapshot",
        present=f"{stem}:present",
        away=f"{stem}:away",
        ballots=f"{stem}:ballots",
        timers=partition.timers,
        outbox=partition.outbox,
        slot=slot_of(partition.stem),
    )


def partition_of(service: str, log_id: str) -> Partition:
    return Partition(service, crc32(log_id.encode()) % PARTITIONS)


def partitions(service: str) -> list[Partition]:
    return [Partition(service, n) for n in range(PARTITIONS)]
