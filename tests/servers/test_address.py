"""PARLOR_REDIS_URL: what is understood, and what is said about the rest."""

from pathlib import Path
from subprocess import CompletedProcess
from typing import Any

import pytest
from redis.asyncio.connection import parse_url

from shared.servers.address import BadAddress, parsed
from tests.support.product import run_parlor


def started_on(url: str, home: Path) -> CompletedProcess[str]:
    return run_parlor("up", settings={"PARLOR_REDIS_URL": url, "PARLOR_PORT": "0"}, cwd=home)


@pytest.mark.parametrize("url", ["redis://localhost", "rediss://me:secret@db:6380/2", "unix:///run/redis.sock?db=1"])
def test_one_server_is_named_as_ever(url: str) -> None:
    address = parsed(url)
    assert (address.kind, address.url) == ("single", url)


def test_a_cluster_is_named_by_some_of_its_nodes() -> None:
    address = parsed("redis+cluster://one:7000,two,[::1]:7002")
    assert address.kind == "cluster"
    assert address.places == (("one", 7000), ("two", 6379), ("::1", 7002))
    assert address.at(("::1", 7002)) == "redis://[::1]:7002/0"


def test_login_and_options_hold_for_every_node_of_a_cluster() -> None:
    address = parsed("rediss+cluster://me:a%40b@one,two/0?ssl_cert_reqs=none")
    wanted: dict[str, Any] = {**parse_url(address.at(("two", 6379)))}
    assert (wanted["host"], wanted["username"], wanted["password"]) == ("two", "me", "a@b")
    assert (wanted["connection_class"].__name__, wanted["ssl_cert_reqs"]) == ("SSLConnection", "none")


def test_sentinels_are_named_with_the_primary_and_its_database() -> None:
    address = parsed("redis+sentinel://me:secret@one,two:5000/parlor/3?sentinel_password=other")
    assert (address.kind, address.primary) == ("sentinel", "parlor")
    assert address.places == (("one", 26379), ("two", 5000))
    primary, sentinel = parse_url(address.at(("db", 6379))), parse_url(address.sentinel_at(("one", 26379)))
    assert (primary["password"], primary["db"]) == ("secret", 3)
    assert "sentinel_password" not in primary
    assert (sentinel["password"], sentinel["db"]) == ("other", 0)


def test_sentinels_without_a_login_of_their_own_are_given_none() -> None:
    address = parsed("redis+sentinel://me:secret@one/parlor")
    assert "secret" not in address.sentinel_at(("one", 26379))


@pytest.mark.parametrize(
    ("url", "wrong"),
    [
        ("http://localhost", "schemes"),
        ("localhost:6379", "schemes"),
        ("redis+claster://one", "redis+claster:// is not known"),
        ("unix+cluster://one", "unix+cluster:// is not known"),
        ("redis+cluster://", "A host is missing"),
        ("redis+cluster://one,,two", "A host is missing"),
        ("redis+cluster://one:port", "'one:port' is no host and port"),
        ("redis+cluster://one:70000", "'one:70000' is no host and port"),
        ("redis+cluster://one/1", "A cluster has one database"),
        ("redis+sentinel://one", "The name of the primary"),
        ("redis+sentinel://one/parlor/zero", "Nothing but a database's number"),
        ("redis+sentinel://one/parlor/0/1", "Nothing but a database's number"),
    ],
)
def test_what_is_malformed_is_refused_with_the_reason_and_the_right_forms(url: str, wrong: str) -> None:
    with pytest.raises(BadAddress, match="redis\\+sentinel://host:port") as refused:
        parsed(url)
    assert wrong in str(refused.value)


def test_the_command_names_the_setting_and_the_forms_that_it_may_have(tmp_path: Path) -> None:
    said = started_on("redis+sentinel://one:26379", tmp_path)
    assert said.returncode == 1
    assert "PARLOR_REDIS_URL" in said.stderr
    assert "The name of the primary" in said.stderr
    assert "redis+cluster://host:port" in said.stderr


def test_a_cluster_that_cannot_be_reached_is_told_in_one_line(tmp_path: Path) -> None:
    said = started_on("redis+cluster://127.0.0.1:1", tmp_path)
    assert said.returncode == 1
    assert "Redis cannot be reached" in said.stderr
    assert "Traceback" not in said.stderr
