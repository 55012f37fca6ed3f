"""Games between Ann and Bob, before their first move."""

import pytest

from tests.support.client import Player
from tests.support.duel import GAME_TYPES, Duel


@pytest.fixture(params=GAME_TYPES)
async def duel(request: pytest.FixtureRequest, ann: Player, bob: Player) -> Duel:
    """A game of each kind that knows undo."""
    return await Duel.start(ann, bob, request.param)


@pytest.fixture
async def xsos(ann: Player, bob: Player) -> Duel:
    return await Duel.start(ann, bob)


@pytest.fixture
async def gomoku(ann: Player, bob: Player) -> Duel:
    return await Duel.start(ann, bob, "gomoku")
