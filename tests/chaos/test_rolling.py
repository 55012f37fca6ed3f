"""Replicas are replaced one after another under games of every kind: nobody notices more than a reconnect."""

import asyncio
import os
import random

import pytest

from tests.chaos import rolling
from tests.chaos.parties import SEATS
from tests.chaos.rolling import Plan, Rollout
from tests.chaos.test_crashes import announce
from tests.support.ingress import nginx_binary
from tests.support.product import short_directory

GAMES = int(os.environ.get("PARLOR_CHAOS_GAMES", "500"))

pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(nginx_binary() is None, reason="Debian's package nginx-light is not installed"),
]


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            Plan(games=18, replacements=6, longest=8, grace_ms=10_000, at_once=8),
            id="short",
            marks=pytest.mark.timeout(900),
        ),
        pytest.param(
            Plan(games=GAMES, replacements=24, longest=40, grace_ms=5000, at_once=25),
            id="long",
            marks=[pytest.mark.chaos, pytest.mark.timeout(3600)],
        ),
    ],
)
def rollout(request: pytest.FixtureRequest) -> Rollout:
    """Games through replacements, as planned; run once for all the promises below."""
    plan: Plan = request.param
    seed = int(os.environ.get("PARLOR_CHAOS_SEED") or random.randrange(1_000_000))
    announce(request.config, f"\nPARLOR_CHAOS_SEED={seed}")
    with short_directory() as home, rolling.deployed(home, plan.grace_ms) as (url, replicas):
        done = asyncio.run(rolling.run(url, replicas, plan, random.Random(seed)))
    announce(request.config, str(done))
    return done


def test_no_game_failed_and_nobody_needed_more_than_a_reconnect(rollout: Rollout) -> None:
    assert rollout.complaints == []
    assert rollout.findings.gaps == []


def test_every_replica_was_replaced_and_every_kind_of_game_was_played(rollout: Rollout) -> None:
    assert rollout.tally.crashes.total() >= 6
    assert {kind.split()[0] for kind in rollout.kinds} == {*SEATS, "relay"}
    assert rollout.tally.resumes > 0


def test_every_answered_move_is_in_the_log_once_and_no_other(rollout: Rollout) -> None:
    assert rollout.findings.lost == []
    assert rollout.findings.doubled == []
    assert rollout.findings.unsent == []


def test_everyone_saw_every_event_once_and_in_order(rollout: Rollout) -> None:
    assert rollout.findings.streams == []


def test_everyone_believes_what_the_services_say(rollout: Rollout) -> None:
    assert rollout.findings.diverged == []


def test_the_services_met_nothing_that_they_did_not_foresee(rollout: Rollout) -> None:
    assert rollout.unforeseen == []
