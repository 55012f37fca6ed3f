"""The nginx of `deploy/`, on loopback: its own configuration, with the services' addresses put in."""

import shutil
import subprocess
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import httpx

from tests.support.client import LOOPBACK
from tests.support.journals import journals
from tests.support.ports import own_port
from tests.support.product import START_SECONDS, STOP_SECONDS

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx"


def nginx_binary() -> str | None:
    return shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")


class Ingress:
    """nginx before replicas, by the name of their service; with `secrets`, over TLS too."""

    def __init__(
        self, home: Path, services: Mapping[str, Sequence[int]], secrets: Path | None = None, port: int | None = None
    ) -> None:
        self.port = port or own_port()
        self.tls_port = own_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self._home = home / "nginx"
        self._home.mkdir()
        self._process: subprocess.Popen[bytes] | None = None
        self._write(services, secrets)

    def __enter__(self) -> Self:
        journals.follow(self._home / "error.log")
        with (self._home / "output.log").open("ab") as log:
            self._process = subprocess.Popen([*self._command(), "-g", "daemon off;"], stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while not self._answers():
            assert self._process.poll() is None, "nginx ended instead of answering"
            assert time.monotonic() < deadline, "nginx does not answer"
            time.sleep(0.02)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._process is not None, "not started"
        self._process.terminate()
        self._process.wait(STOP_SECONDS)
        journals.ended(self._home / "error.log")

    def check(self) -> subprocess.CompletedProcess[str]:
        """Let nginx read its configuration."""
        return subprocess.run([*self._command(), "-t"], capture_output=True, text=True, check=False, timeout=20)

    def _command(self) -> list[str]:
        binary = nginx_binary()
        assert binary is not None, "nginx is not installed"
        return [
            binary,
            "-p",
            str(self._home),
            "-c",
            str(self._home / "nginx.conf"),
            "-e",
            str(self._home / "error.log"),
        ]

    def _answers(self) -> bool:
        try:
            return httpx.get(f"{self.url}/nowhere", **LOOPBACK).status_code > 0
        except httpx.TransportError:
            return False

    def _write(self, services: Mapping[str, Sequence[int]], secrets: Path | None) -> None:
        own = str(self._home)
        main = (CONFIGURATION / "nginx.conf").read_text()
        main = main.replace("listen 8080;", f"listen 127.0.0.1:{self.port};").replace("/tmp/", f"{own}/")
        (self._home / "nginx.conf").write_text(main.replace("worker_rlimit_nofile 65536;", "").replace("16384", "4096"))
        tls = (CONFIGURATION / "tls.conf").read_text() if secrets else ""
        tls = tls.replace("8443", f"127.0.0.1:{self.tls_port}").replace("/run/parlor", str(secrets))
        (self._home / "tls.conf").write_text(tls)
        upstreams = []
        for name in ("lobby", "session", "relay", "web"):
            ports = services.get(name) or [9]  # nobody
            servers = " ".join(f"server 127.0.0.1:{port} max_fails=1 fail_timeout=1s;" for port in ports)
            upstreams.append(f"upstream {name} {{ zone {name} 64k; {servers} keepalive 64; }}\n")
        (self._home / "upstreams.conf").write_text("".join(upstreams))
