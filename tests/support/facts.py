"""What is written in a game's log, and when: deadlines are judged by the server's own times."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

from tests.support.client import Json, Player

T = TypeVar("T")

TRIES = 20


class TooSlow(Exception):
    """The machine was too busy for a deadline that the test had set; nothing can be told from that."""


async def in_time(attempt: Callable[[], Awaitable[T]]) -> T:
    """Try until we were fast enough."""
    for _ in range(TRIES):
        try:
            return await attempt()
        except TooSlow:
            continue
    raise AssertionError(f"too slow {TRIES} times")


async def facts(player: Player, game: str) -> list[Json]:
    """All that happened in a game, each with its time; one of its players resigns if it is not over."""
    if (await player.view(game))["status"] == "active":
        response = await player.resign(game)
        assert response.status_code in (200, 409), response.text  # it may have ended just now
    log: list[Json] = (await player.replay(game))["log"]
    return [{**fact, "at": line["at"]} for line in log for fact in line["facts"]]


async def moments(player: Player, game: str) -> dict[str, int]:
    """When each kind of fact was last written."""
    return {fact["type"]: fact["at"] for fact in await facts(player, game)}


def credit(found: list[Json], since: int) -> int:
    """How much time a clock that runs since then was given back for outages: as much of each as it has seen."""
    moved = since
    for fact in found:
        if fact["type"] == "credited":
            moved += max(0, fact["until"] - max(moved, fact["begun"]))
    return moved - since
