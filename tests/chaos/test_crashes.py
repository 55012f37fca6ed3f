"""Kill -9 at any moment under fifty games: no accepted move is lost or doubled, and everyone sees everything once."""

import asyncio
import itertools
import os
import random
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from pathlib import Path

import psutil
import pytest

from tests.chaos import campaign as campaigns
from tests.chaos.campaign import Campaign
from tests.chaos.crashes import Crash, Fragile
from tests.chaos.fragile import one_process, two_replicas
from tests.support.product import STOP_SECONDS, processes_at_work_in, short_directory

SECONDS = float(os.environ.get("PARLOR_CHAOS_SECONDS", "300"))

pytestmark = pytest.mark.long

Plan = Callable[[random.Random], Iterable[Crash]]
Place = Callable[[Path], AbstractContextManager[Fragile]]


def short(chance: random.Random) -> Iterable[Crash]:
    return campaigns.some_of_each(1, chance)


def long(chance: random.Random) -> Iterable[Crash]:
    return itertools.chain(short(chance), campaigns.for_seconds(SECONDS / 2, chance))


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((one_process, short), id="one-process", marks=pytest.mark.timeout(900)),
        pytest.param((two_replicas, short), id="two-replicas", marks=pytest.mark.timeout(900)),
        pytest.param((one_process, long), id="one-process-long", marks=pytest.mark.chaos),
        pytest.param((two_replicas, long), id="two-replicas-long", marks=pytest.mark.chaos),
    ],
)
def campaign(request: pytest.FixtureRequest) -> Campaign:
    """Games through crashes, as planned; run once for all the promises below."""
    place: Place
    plan: Plan
    place, plan = request.param
    seed = int(os.environ.get("PARLOR_CHAOS_SEED") or random.randrange(1_000_000))
    chance = random.Random(seed)
    announce(request.config, f"\n{place.__name__}, {plan.__name__} campaign: PARLOR_CHAOS_SEED={seed}")
    with short_directory() as home:
        with place(home) as fragile:
            done = asyncio.run(campaigns.run(fragile, plan(chance), chance))
            at_work = processes_at_work_in(fragile.home)
        _, alive = psutil.wait_procs(at_work, timeout=STOP_SECONDS)
        done.left_behind = [str(process) for process in alive]
    announce(request.config, str(done.tally))
    return done


def announce(config: pytest.Config, text: str) -> None:
    """Print at once, captured or not: a long campaign must be repeatable even if it is broken off."""
    with config.pluginmanager.getplugin("capturemanager").global_and_fixture_disabled():
        print(text, flush=True)


def test_every_command_was_accepted_in_the_end_and_nobody_was_left_waiting(campaign: Campaign) -> None:
    assert campaign.complaints == []


def test_games_were_played_through_crashes_of_every_kind(campaign: Campaign) -> None:
    assert set(campaign.tally.crashes) == set(Crash)
    assert campaign.tally.games >= campaigns.TABLES
    assert campaign.tally.resumes > 0


def test_every_answered_move_is_in_the_log_at_its_version(campaign: Campaign) -> None:
    assert campaign.findings.lost == []


def test_no_move_is_in_a_replay_twice(campaign: Campaign) -> None:
    assert campaign.findings.doubled == []


def test_no_move_is_in_a_replay_that_no_client_sent(campaign: Campaign) -> None:
    assert campaign.findings.unsent == []


def test_no_resume_met_a_gap(campaign: Campaign) -> None:
    assert campaign.findings.gaps == []


def test_every_client_saw_every_event_once_and_in_order(campaign: Campaign) -> None:
    assert campaign.findings.streams == []


def test_every_client_believes_what_the_server_says(campaign: Campaign) -> None:
    assert campaign.findings.diverged == []


def test_the_server_met_nothing_that_it_did_not_foresee(campaign: Campaign) -> None:
    assert campaign.unforeseen == []


def test_no_process_is_left_behind(campaign: Campaign) -> None:
    assert campaign.left_behind == []
