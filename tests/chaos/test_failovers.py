"""Masters of a Redis Cluster die under fifty games, with every answer confirmed by a replica: no accepted move is lost.

A move that was shown but not confirmed may be lost with its master. Whoever saw it is told anew (`gap`), and the player
who sent it was answered 503: so here a gap is no failure, but it is counted.
"""

import asyncio
import itertools
import os
import random

import pytest

from tests.chaos import campaign as campaigns
from tests.chaos.campaign import Campaign
from tests.chaos.crashes import Crash
from tests.chaos.fragile import on_cluster
from tests.chaos.test_crashes import SECONDS, announce
from tests.support.product import short_directory

pytestmark = pytest.mark.chaos


@pytest.fixture(scope="module")
def campaign(request: pytest.FixtureRequest) -> Campaign:
    seed = int(os.environ.get("PARLOR_CHAOS_SEED") or random.randrange(1_000_000))
    chance = random.Random(seed)
    announce(request.config, f"\non a cluster: PARLOR_CHAOS_SEED={seed}")
    with short_directory() as home, on_cluster(home) as fragile:
        crashes = itertools.chain(campaigns.some_of_each(1, chance), campaigns.for_seconds(SECONDS / 2, chance))
        done = asyncio.run(campaigns.run(fragile, crashes, chance, forgiving=True))
    lost, gaps, refusals = len(done.findings.lost), len(done.findings.gaps), done.tally.refusals
    announce(
        request.config, f"{done.tally}; {lost} accepted moves lost; {gaps} gaps, {refusals} moves refused after one"
    )
    return done


def test_every_command_was_accepted_in_the_end_and_nobody_was_left_waiting(campaign: Campaign) -> None:
    assert campaign.complaints == []


def test_masters_and_service_processes_died_in_play(campaign: Campaign) -> None:
    assert set(campaign.tally.crashes) == set(Crash)
    assert campaign.tally.games >= campaigns.TABLES
    assert campaign.tally.resumes > 0


def test_no_answered_move_is_lost(campaign: Campaign) -> None:
    assert campaign.findings.lost == []


def test_no_move_is_doubled_and_none_comes_from_nowhere(campaign: Campaign) -> None:
    assert campaign.findings.doubled == []
    assert campaign.findings.unsent == []


def test_every_client_believes_what_the_server_says(campaign: Campaign) -> None:
    assert campaign.findings.diverged == []


def test_whoever_met_no_gap_saw_every_event_once_and_in_order(campaign: Campaign) -> None:
    gaps = {finding.partition(", at")[0] for finding in campaign.findings.gaps}  # game and box
    assert [each for each in campaign.findings.streams if each.partition(", from")[0] not in gaps] == []


def test_the_server_met_nothing_that_it_did_not_foresee(campaign: Campaign) -> None:
    assert [line for line in campaign.unforeseen if "log_lost_entries" not in line] == []
