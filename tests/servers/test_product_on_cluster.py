"""The product on a real cluster: what the acceptance suite asks, and what only a cluster does to it.

`make cluster` asks the whole suite; here are those of its tests that touch every kind of key.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.acceptance.conftest import gomoku, xsos  # noqa: F401
from tests.acceptance.test_channels import (  # noqa: F401
    test_a_repeat_of_a_command_gets_its_first_answer,
    test_a_stream_resumes_at_every_event_with_nothing_lost_or_repeated,
)
from tests.acceptance.test_idempotency import (  # noqa: F401
    test_a_creation_repeated_100_times_at_once_makes_one_game,
    test_a_move_repeated_100_times_at_once_is_played_once,
    test_the_same_key_with_another_body_is_a_mismatch,
)
from tests.acceptance.test_identity import test_logging_out_revokes_the_token_everywhere  # noqa: F401
from tests.acceptance.test_lobby_life import (  # noqa: F401
    queue,
    test_the_way_over_a_table,
    test_two_find_each_other_play_rematch_leave_return_and_end,
)
from tests.acceptance.test_replay import test_a_replay_tells_the_whole_game  # noqa: F401
from tests.acceptance.test_streams import (  # noqa: F401
    test_a_move_reaches_everyone_who_listens,
    test_a_stream_resumes_after_every_id_of_a_running_game,
    three_viewers,
)
from tests.acceptance.test_undo import (  # noqa: F401
    test_unanswered_the_request_is_rejected_at_its_deadline,
)
from tests.relay.conftest import pa, pb, room, seat  # noqa: F401
from tests.relay.test_delivery import test_without_a_cursor_a_stream_goes_on_after_what_was_taken  # noqa: F401
from tests.relay.test_protocol import test_a_game_step_by_step, test_the_handshake_step_by_step  # noqa: F401
from tests.servers.conftest import careful_product
from tests.servers.riding import ridden_out
from tests.servers.test_address import started_on
from tests.support.product import Product
from tests.support.redis_cluster import RedisCluster
from tests.support.xsos import Match


@pytest.fixture(scope="module")
def product(cluster: RedisCluster) -> Iterator[Product]:
    with careful_product(cluster.url) as running:
        yield running


@pytest.mark.parametrize("service", ["lobby", "session", "relay"])
async def test_every_service_is_ready(http: httpx.AsyncClient, service: str) -> None:
    assert (await http.get(f"/{service}/health/ready")).status_code == 200


async def test_a_game_rides_out_that_its_slot_moves(match: Match, cluster: RedisCluster) -> None:
    await ridden_out(match, asyncio.to_thread(cluster.move_slot, _log(match)))


async def test_a_game_rides_out_that_its_master_dies(match: Match, cluster: RedisCluster) -> None:
    await ridden_out(match, asyncio.to_thread(cluster.fail_over, _log(match)))


def test_a_node_of_a_cluster_that_is_taken_for_a_single_server_is_told_apart(
    cluster: RedisCluster, tmp_path: Path
) -> None:
    said = started_on(f"redis://127.0.0.1:{cluster.nodes[0].port}", tmp_path)
    assert said.returncode == 1
    assert "redis+cluster://" in said.stderr
    assert "Traceback" not in said.stderr


def _log(match: Match) -> str:
    from shared.log.keys import log_keys

    return log_keys("session", "game", match.id).log
