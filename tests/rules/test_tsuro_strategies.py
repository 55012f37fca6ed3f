"""The strategies that ship."""

from collections import Counter

import pytest

from services.session.games.tsuro import GAME, strategies
from services.session.games.tsuro.state import AnyMove, FirstMove, State, TileMove, TsuroOptions
from shared.kernel import Bot, Chance, Decision, Outcome, Seat
from tests.support.tsuro import CHANCE, after, begun, drawn, played

NAMES: dict[str, Bot[State, AnyMove]] = {**strategies.BOTS, "random": strategies.random}


def winners(players: list[str], seed: int) -> tuple[Seat, ...]:
    secret = seed.to_bytes(4, "big")
    state = GAME.setup("tsuro", len(players), TsuroOptions(), Chance(secret, "setup"))
    state = after(state, GAME.opening(state))
    while not isinstance(turn := GAME.to_act(state), Outcome):
        move = NAMES[players[turn[0]]](state, turn[0], Chance(secret, f"bot {state.number}"))
        decision = GAME.decide(state, turn[0], move, Chance(secret, f"move {state.number}"))
        assert isinstance(decision, Decision)
        assert decision.discarded is None, f"{players[turn[0]]} made a bad move"
        state = after(state, decision.events)
    return turn.winners


def test_first_searches_clockwise_from_the_corner() -> None:
    state = begun(3, supply="ordered")
    assert strategies.first(state, Seat(0), CHANCE) == FirstMove(0, 0, 0, 0, "C")
    state = played(state, FirstMove(0, 0, 0, 0, "C"))
    assert strategies.first(state, Seat(1), CHANCE) == FirstMove(3, 0, 2, 0, "C")


def test_last_searches_backwards() -> None:
    state = begun(3, supply="ordered")
    assert strategies.last(state, Seat(0), CHANCE) == FirstMove(2, 270, 0, 1, "F")


def test_later_they_try_tile_by_tile_and_rotation_by_rotation() -> None:
    state = drawn("2/0  .", "0,0 C", "9,9 A", hand=(4, 2))  # 4 would lead over the edge
    assert strategies.first(state, Seat(0), CHANCE) == TileMove(2, 0)
    assert strategies.last(state, Seat(0), CHANCE) == TileMove(2, 270)


def test_random_makes_every_legal_move_sooner_or_later() -> None:
    state = drawn("2/0  .", "0,0 C", "9,9 A", hand=(19, 2))
    chosen = {strategies.random(state, Seat(0), Chance(bytes([i]), "")) for i in range(200)}
    assert chosen == set(GAME.legal_moves(state, Seat(0)))


def test_greedy_turns_away_from_the_edge() -> None:
    state = drawn(
        """
        .  .  .  .  .    .  .
        .  .  .  .  2/0  .  .
        """,
        "4,1 C", "0,9 A", hand=(4, 2),
    )  # fmt: skip
    assert strategies.first(state, Seat(0), CHANCE) == TileMove(4, 0)  # up, before a square at the edge
    assert strategies.greedy(state, Seat(0), CHANCE) == TileMove(2, 0)  # straight on


@pytest.mark.parametrize("name", sorted(NAMES))
def test_a_strategy_never_makes_a_bad_move(name: str) -> None:
    for seed in range(10):
        winners([name, "random", name, "random"], seed)


def test_greedy_outlives_random() -> None:
    wins = Counter(box for seed in range(60) for box in winners(["random", "greedy", "random", "random"], seed))
    assert wins[Seat(1)] > 60 / 3
    assert wins[Seat(1)] > max(wins[Seat(0)], wins[Seat(2)], wins[Seat(3)])
