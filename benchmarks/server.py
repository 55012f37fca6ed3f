"""Start the servers under test, pin them to their core and account for the CPU time they use."""

import asyncio
import os
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType

import psutil

from benchmarks.driver import BenchmarkError, Connection, request

_CORES = sorted(os.sched_getaffinity(0))
PINNED = len(_CORES) >= 2
SERVER_CORE = _CORES[0]
DRIVER_CORE = _CORES[1] if PINNED else _CORES[0]

_READY = "/session/health/ready"
_START_SECONDS = 60.0
_STOP_SECONDS = 15.0

# The kind of clock in the number that Linux gives to the clock of a process: see clock_getcpuclockid(3).
_SCHEDULED = 2


@dataclass(frozen=True, slots=True)
class Usage:
    """CPU seconds by who used them, and the wall-clock seconds that went by meanwhile."""

    wall: float
    server: float
    redis: float
    driver: float
    server_core: float
    driver_core: float

    def __sub__(self, before: "Usage") -> "Usage":
        return Usage(
            self.wall - before.wall,
            self.server - before.server,
            self.redis - before.redis,
            self.driver - before.driver,
            self.server_core - before.server_core,
            self.driver_core - before.driver_core,
        )

    def others(self) -> tuple[float, float]:
        """What processes outside the benchmark used of the server's and of the driver's core."""
        on_server, on_driver = self.server_core - self.server, self.driver_core - self.redis - self.driver
        return max(0.0, on_server), max(0.0, on_driver)


class Server:
    """A running server and, if it has one, its Redis child; `started` is the CPU that it took until it was ready."""

    def __init__(
        self, port: int, process: psutil.Process, redis_socket: str = "", redis_core: int = DRIVER_CORE
    ) -> None:
        self.port = port
        self.redis_socket = redis_socket
        self._process = process
        self._redis = next((c for c in process.children(recursive=True) if _is_redis(c)), None)
        _pin(process.pid, SERVER_CORE)
        if self._redis:
            _pin(self._redis.pid, redis_core)
        self.started = self.cpu()

    @property
    def pid(self) -> int:
        return self._process.pid

    def rss(self) -> int:
        return int(self._process.memory_info().rss)

    def cpu(self) -> float:
        """The CPU seconds that the server and its Redis have used so far."""
        return cpu_seconds(self.pid) + (cpu_seconds(self._redis.pid) if self._redis else 0.0)

    def memory(self) -> int:
        """The bytes that the server and its Redis share with nobody."""
        return _own_bytes(self.pid) + (_own_bytes(self._redis.pid) if self._redis else 0)

    def usage(self) -> Usage:
        return Usage(
            wall=time.perf_counter(),
            server=cpu_seconds(self.pid),
            redis=cpu_seconds(self._redis.pid) if self._redis else 0.0,
            driver=cpu_seconds(os.getpid()),
            server_core=_busy_seconds(SERVER_CORE),
            driver_core=_busy_seconds(DRIVER_CORE),
        )

    async def settle(self, timeout: float = 5.0) -> None:
        """Wait until what the set-up left behind (presence, closed streams) has been worked off."""
        deadline = time.perf_counter() + timeout
        while time.perf_counter() < deadline:
            before = self.usage()
            await asyncio.sleep(0.15)
            since = self.usage() - before
            if since.server + since.redis < 0.12 * since.wall:
                return


def pin_driver() -> None:
    """Move this process to the driver's core and let it open as many sockets as it may."""
    _pin(os.getpid(), DRIVER_CORE)
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


@asynccontextmanager
async def parlor(
    settings: Mapping[str, str] = MappingProxyType({}),
    *,
    program: Path | None = None,
    data_in: str | None = None,
    redis_core: int = DRIVER_CORE,
) -> AsyncIterator[Server]:
    """The product as `parlor up` runs it, on a data directory of its own."""
    command = [str(program or Path(sys.executable).with_name("parlor")), "up"]
    with tempfile.TemporaryDirectory(prefix="parlor-bench-", dir=data_in) as data:
        async with serve([*command, "--data-dir", data], _READY, settings, redis_core) as server:
            server.redis_socket = str(Path(data) / "redis.sock")
            yield server


@asynccontextmanager
async def baseline(module: str) -> AsyncIterator[Server]:
    """One of the baseline servers of this package."""
    async with serve([sys.executable, "-m", f"benchmarks.{module}"], "/ready") as server:
        yield server


@asynccontextmanager
async def serve(
    command: list[str],
    ready_path: str,
    settings: Mapping[str, str] = MappingProxyType({}),
    redis_core: int = DRIVER_CORE,
) -> AsyncIterator[Server]:
    port = _free_port()
    # What the caller's shell says about Parlor and Python must not leak into the measurement.
    environment = {k: v for k, v in os.environ.items() if not k.startswith(("PARLOR_", "PYTHON", "VIRTUAL_ENV"))}
    environment |= {"PARLOR_RATE_LIMIT": "off", **settings}
    with tempfile.TemporaryFile() as log:
        process = await asyncio.create_subprocess_exec(
            *command, "--port", str(port), env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        try:
            try:
                await _ready(process, port, ready_path)
            except BenchmarkError as error:
                log.seek(0)
                output = log.read()[-2000:].decode(errors="replace")
                raise BenchmarkError(f"{error}: {' '.join(command)}\n{output}") from None
            yield Server(port, psutil.Process(process.pid), redis_core=redis_core)
        finally:
            await _stop(process)


async def _ready(process: asyncio.subprocess.Process, port: int, path: str) -> None:
    deadline = time.perf_counter() + _START_SECONDS
    while time.perf_counter() < deadline:
        if process.returncode is not None:
            raise BenchmarkError(f"the server ended with {process.returncode}")
        with suppress(OSError, BenchmarkError, TimeoutError):
            connection = await Connection.open(port)
            await connection.ask(request("GET", path), timeout=5.0)
            connection.close()
            return
        await asyncio.sleep(0.1)
    raise BenchmarkError(f"the server was not ready within {_START_SECONDS:.0f} s")


async def _stop(process: asyncio.subprocess.Process) -> None:
    if process.returncode is not None:
        return
    children = psutil.Process(process.pid).children(recursive=True)
    process.terminate()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await process.wait()
    except TimeoutError:
        process.kill()
        await process.wait()
    for child in children:
        with suppress(psutil.NoSuchProcess):
            child.kill()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _pin(pid: int, core: int) -> None:
    if not PINNED:
        return
    # Affinity belongs to a thread: threads that are already running must be moved one by one.
    for task in os.listdir(f"/proc/{pid}/task"):
        with suppress(ProcessLookupError):
            os.sched_setaffinity(int(task), {core})


def _is_redis(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return any(word in process.name() for word in ("redis", "valkey"))
    return False


def cpu_seconds(pid: int) -> float:
    """The CPU clock of a process, threads that have ended included, in steps of nanoseconds.

    The process times that psutil reads come in steps of 10 ms.
    """
    try:
        return time.clock_gettime_ns(~pid << 3 | _SCHEDULED) / 1e9
    except OSError:
        raise BenchmarkError(f"process {pid}, which was to be measured, has ended") from None


def _own_bytes(pid: int) -> int:
    lines = (line.split() for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()[1:])
    return 1024 * sum(int(words[1]) for words in lines if words[0].startswith("Private_"))


def _busy_seconds(core: int) -> float:
    times = psutil.cpu_times(percpu=True)[core]
    return float(times.user + times.nice + times.system + times.irq + times.softirq)
