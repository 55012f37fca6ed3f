"""The `parlor` command: what it prints and how it says no."""

import re
import socket
import subprocess
from importlib.metadata import version
from pathlib import Path

import pytest

from tests.support.deployment import SECRET
from tests.support.ports import own_port
from tests.support.product import Product, Server, run_parlor, short_directory


def assert_says_no(outcome: subprocess.CompletedProcess[str], *words: str) -> None:
    """It failed and told why in one line that holds the words; below it there may be a hint, nothing else."""
    assert outcome.returncode != 0
    complaint, *hints = outcome.stderr.rstrip().splitlines()
    assert complaint.startswith("parlor: "), outcome.stderr
    assert len(hints) <= 1, outcome.stderr
    for word in words:
        assert word.lower() in complaint.lower()


def test_the_version_is_the_packages() -> None:
    outcome = run_parlor("--version")
    assert outcome.returncode == 0
    assert version("parlor") in outcome.stdout


def test_help_names_every_command() -> None:
    outcome = run_parlor("--help")
    assert outcome.returncode == 0
    for command in ("up", "lobby", "session", "relay", "migrate", "tsuro", "play", "tournament"):
        assert re.search(rf"\b{command}\b", outcome.stdout), command


def test_an_unknown_command_is_refused() -> None:
    outcome = run_parlor("dance")
    assert outcome.returncode != 0
    assert "dance" in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_a_taken_port_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        outcome = run_parlor("up", "--port", port, "--data-dir", str(tmp_path / "data"), cwd=tmp_path)
    assert_says_no(outcome, port)


def test_a_data_directory_in_use_is_named_and_its_user_unharmed(default_product: Product) -> None:
    data_dir = str(default_product.data_dir)
    outcome = run_parlor("up", "--port", "0", "--data-dir", data_dir, cwd=default_product.home)
    assert_says_no(outcome, data_dir)
    assert default_product.is_ready()


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A database that is up to date, so that a service alone has nothing to complain about but what we break."""
    directory = tmp_path_factory.mktemp("migrated")
    url = f"sqlite+aiosqlite:///{directory / 'parlor.db'}"
    outcome = run_parlor("migrate", settings={"PARLOR_DATABASE_URL": url}, cwd=directory)
    assert outcome.returncode == 0, outcome.stderr
    return url


@pytest.mark.parametrize("command", ["up", "session"])
def test_an_unreachable_redis_is_named(tmp_path: Path, database: str, command: str) -> None:
    address = f"127.0.0.1:{own_port()}"
    settings = {
        "PARLOR_DATABASE_URL": database,
        "PARLOR_REDIS_URL": f"redis://{address}/0",
        "PARLOR_SECRET": SECRET,
        "PARLOR_DATA_DIR": str(tmp_path / "data"),
    }
    outcome = run_parlor(command, "--port", "0", settings=settings, cwd=tmp_path)
    assert_says_no(outcome, "redis", address)


@pytest.mark.parametrize("command", ["lobby", "session", "relay"])
def test_a_service_alone_does_not_start_without_a_secret(tmp_path: Path, database: str, command: str) -> None:
    settings = {
        "PARLOR_DATABASE_URL": database,
        "PARLOR_REDIS_URL": f"redis://127.0.0.1:{own_port()}/0",
    }
    outcome = run_parlor(command, "--port", "0", settings=settings, cwd=tmp_path)
    assert_says_no(outcome, "PARLOR_SECRET")


def test_port_and_data_directory_come_from_the_environment_too() -> None:
    class Configured(Server):
        def _port_arguments(self) -> list[str]:
            return []

    port = own_port()
    with short_directory() as home:
        settings = {"PARLOR_PORT": str(port), "PARLOR_DATA_DIR": str(home / "elsewhere")}
        services = ("lobby", "session", "relay")
        with Configured("up", services=services, home=home, settings=settings, port=port) as server:
            assert server.is_ready()
            assert any((home / "elsewhere").iterdir())
            assert not (home / ".parlor").exists()


def test_what_was_started_and_where_is_printed(default_product: Product) -> None:
    assert str(default_product.port) in default_product.log()
