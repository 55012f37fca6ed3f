"""Parlor as its users run it: processes of the `parlor` command, started, stopped and killed from outside."""

import itertools
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Self

import httpx
import psutil

from tests.support.client import LOOPBACK
from tests.support.journals import journals

PARLOR = Path(sys.executable).with_name("parlor")
START_SECONDS = 120.0  # a start takes a second of work; this is for the busiest machine
STOP_SECONDS = 60.0  # likewise
LOG_TAIL = 6_000
_ADDRESS = re.compile(r"http://127\.0\.0\.1:(\d+)")  # what a server prints first of all
_numbers = itertools.count(1)


@contextmanager
def short_directory() -> Iterator[Path]:
    """A temporary directory whose path leaves room for the name of a Unix socket."""
    with TemporaryDirectory(prefix="parlor-", ignore_cleanup_errors=True) as name:
        yield Path(name)


def environment(settings: Mapping[str, str]) -> dict[str, str]:
    """This process's environment with the given settings as the only PARLOR_* ones."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith("PARLOR_")}
    inherited.pop("PYTHONDONTWRITEBYTECODE", None)  # without bytecode each of our many starts takes thrice as long
    return {**inherited, **settings}


def run_parlor(
    *arguments: str, settings: Mapping[str, str] | None = None, cwd: Path | None = None, timeout: float = START_SECONDS
) -> subprocess.CompletedProcess[str]:
    """Run one `parlor` command to its end."""
    return subprocess.run(
        [PARLOR, *arguments],
        env=environment(settings or {}),
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )


def processes_at_work_in(directory: Path) -> list[psutil.Process]:
    """Every live process that works in a directory or names it on its command line."""
    found = []
    for process in psutil.process_iter():
        try:
            at_work = Path(process.cwd()).is_relative_to(directory) or any(
                str(directory) in word for word in process.cmdline()
            )
            if at_work and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except psutil.Error:
            continue  # it ended while we looked, or belongs to someone else
    return found


def wait_until_gone(process: psutil.Process, timeout: float = STOP_SECONDS) -> None:
    """Wait for a process that may be another one's child, whose parent may be slow to reap it."""
    deadline = time.monotonic() + timeout
    while process.is_running() and process.status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < deadline, f"{process} is still alive after {timeout} s"
        time.sleep(0.01)


class Server:
    """One `parlor` process under test: `arguments` without the port, ready when all `services` say so.

    Unless it is given a port it takes one from the kernel when it is first started, and keeps it over its restarts.
    """

    def __init__(
        self,
        *arguments: str,
        services: Sequence[str],
        home: Path,
        settings: Mapping[str, str] | None = None,
        port: int | None = None,
    ) -> None:
        self.home = home
        self.settings = dict(settings or {})
        self._arguments = arguments
        self._services = services
        self._port = port
        self._log = home / f"{arguments[0]}-{next(_numbers)}.log"
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop the process if it still runs."""
        try:
            if self.is_running():
                self.stop()
        finally:
            journals.ended(self._log)

    @property
    def port(self) -> int:
        """Where it listens; who asks before it has said so waits for it."""
        if self._port is None:
            self._port = self._announced(time.monotonic() + START_SECONDS)
        return self._port

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def process(self) -> psutil.Process:
        assert self._process is not None, "not started"
        return psutil.Process(self._process.pid)

    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def log(self) -> str:
        """All that the process ever printed, over its restarts."""
        return self._log.read_text(errors="replace") if self._log.exists() else ""

    def start(self) -> None:
        """Start the process and return once it is ready."""
        self.launch()
        self.wait_until_ready()

    def launch(self) -> None:
        """Start the process and return at once, for those who start several."""
        assert not self.is_running(), "already started"
        journals.follow(self._log)
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                [PARLOR, *self._arguments, *self._port_arguments()],
                env=environment(self.settings),
                cwd=self.home,
                stdout=log,
                stderr=subprocess.STDOUT,
            )

    def wait_until_ready(self, within: float = START_SECONDS) -> None:
        """Return once the process is ready; end it and fail with its log if it is not in time."""
        try:
            self._poll_until_ready(within)
        except BaseException:
            self.close()
            raise

    def _port_arguments(self) -> list[str]:
        return ["--port", str(self._port or 0)]

    def _announced(self, deadline: float) -> int:
        while not (address := _ADDRESS.search(self.log())):
            self._check_progress(deadline)
        return int(address[1])

    def _check_progress(self, deadline: float) -> None:
        assert self.is_running(), f"{self._arguments} ended instead of becoming ready:\n{self.log()[-LOG_TAIL:]}"
        assert time.monotonic() < deadline, f"{self._arguments} is not ready:\n{self.log()[-LOG_TAIL:]}"
        time.sleep(0.02)

    def _poll_until_ready(self, within: float) -> None:
        deadline = time.monotonic() + within
        while not self.is_ready():
            self._check_progress(deadline)

    def is_ready(self) -> bool:
        """Whether every service answers 200 to its readiness check."""
        with httpx.Client(base_url=self.url, timeout=5.0, **LOOPBACK) as http:
            try:
                return all(http.get(f"/{name}/health/ready").status_code == 200 for name in self._services)
            except httpx.TransportError:
                return False

    def stop(self) -> int:
        """End the process as a supervisor would (SIGTERM) and return its exit status."""
        assert self._process is not None, "not started"
        self._process.send_signal(signal.SIGTERM)
        try:
            return self._process.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
            raise AssertionError(f"SIGTERM did not end {self._arguments}:\n{self.log()[-LOG_TAIL:]}") from None

    def kill(self) -> None:
        """End the process as a crash would (SIGKILL)."""
        assert self._process is not None, "not started"
        self._process.kill()
        self._process.wait()

    def restart(self) -> None:
        """Stop the process if it still runs and start it again on the same port and data."""
        self.close()
        self.start()


class Product(Server):
    """`parlor up`: the whole product in one process, with its embedded Redis as a child."""

    def __init__(self, home: Path, *, settings: Mapping[str, str] | None = None, port: int | None = None) -> None:
        self.data_dir = home / "data"
        super().__init__(
            "up",
            "--data-dir",
            str(self.data_dir),
            services=("lobby", "session", "relay"),
            home=home,
            settings=settings,
            port=port,
        )

    @property
    def redis_socket(self) -> Path:
        return self.data_dir / "redis.sock"

    def redis(self) -> psutil.Process:
        """The embedded Redis, found among the descendants."""
        descendants = self.process.children(recursive=True)
        servers = [child for child in descendants if child.name() in {"redis-server", "valkey-server"}]
        assert len(servers) == 1, f"expected one Redis among {descendants}"
        return servers[0]

    def kill_redis(self) -> None:
        """End the embedded Redis as a crash would (SIGKILL)."""
        redis = self.redis()
        redis.kill()
        wait_until_gone(redis)
