"""The rules of Tsuro agree with a referee that was written independently of them."""

import random
from collections import Counter

import pytest

from services.session.games.tsuro import GAME
from services.session.games.tsuro.state import Avatar, FirstMove, Port, Rotation, State, TileMove, TsuroOptions
from services.session.games.tsuro.tiles import BEYOND, EDGE, EMPTY, PORTS, SIZE, SQUARES, cell_of
from shared.kernel import Chance, Decision, Outcome, Seat
from tests.rules import tsuro_referee as referee
from tests.support.tsuro import after

ROTATIONS: tuple[Rotation, ...] = (0, 90, 180, 270)
LETTERS: tuple[Port, ...] = ("A", "B", "C", "D", "E", "F", "G", "H")
WHAT_MUST_OCCUR = {"legal", "suicide", "loop", "forced suicide", "forced loop", "several moved", "another left"}


def seen_by_referee(state: State) -> referee.Table:
    tiles = {
        (square % SIZE, square // SIZE): (cell // 4, cell % 4 * 90)
        for square, cell in enumerate(state.cells)
        if cell != EMPTY
    }
    avatars = {int(a.seat): ((a.spot // 8 % SIZE, a.spot // 8 // SIZE), PORTS[a.spot % 8]) for a in state.avatars}
    return referee.Table(tiles, avatars, {int(a.seat) for a in state.avatars if a.looped})


def scattered(dice: random.Random) -> State:
    """Tiles strewn at random, more or less densely, and avatars wherever one may stand before an empty square."""
    density = dice.uniform(0.15, 0.9)
    favourites = [dice.randrange(35) for _ in range(3)]
    cells = [EMPTY] * SQUARES
    for square in range(SQUARES):
        if dice.random() < density:
            tile = dice.choice(favourites) if dice.random() < 0.5 else dice.randrange(35)
            cells[square] = cell_of(tile, dice.choice(ROTATIONS))
    spots = [
        spot
        for spot in range(8 * SQUARES)
        if cells[spot // 8] != EMPTY and BEYOND[spot] != EDGE and cells[BEYOND[spot] // 8] == EMPTY
    ]
    if not spots:
        return scattered(dice)
    seats = dice.randint(2, 8)
    around = dice.choice(spots)  # company for the mover, since tiles that move several are the interesting ones
    beside = [spot for spot in spots if BEYOND[spot] // 8 == BEYOND[around] // 8]
    standing = [around] + [dice.choice(beside if dice.random() < 0.5 else spots) for _ in range(seats - 1)]
    avatars = tuple(Avatar(Seat(box), spot) for box, spot in enumerate(standing))
    pool = favourites if dice.random() < 0.5 else list(range(35))
    hand = (dice.choice(pool), dice.choice(pool))
    return State(seats, False, True, tuple(range(35)), tuple(cells), avatars, round=1, asked=Seat(0), hand=hand)


def played_out(dice: random.Random) -> list[State]:
    """The positions of a game at random, first moves included."""
    secret = dice.randbytes(8)
    state = GAME.setup("tsuro", dice.randint(2, 8), TsuroOptions(), Chance(secret, "setup"))
    state = after(state, GAME.opening(state))
    positions = []
    while not isinstance(turn := GAME.to_act(state), Outcome):
        positions.append(state)
        decision = GAME.decide(state, turn[0], dice.choice(GAME.legal_moves(state, turn[0])), Chance(secret, "more"))
        assert isinstance(decision, Decision)
        state = after(state, decision.events)
    return positions


def check_first_moves(state: State, dice: random.Random) -> None:
    table = seen_by_referee(state)
    for _ in range(60):
        square = dice.choice([(dice.randint(-1, 10), dice.choice([0, 9])), (dice.randint(0, 9), dice.randint(0, 9))])
        tile = dice.choice([*state.hand, dice.randrange(35)])
        move = FirstMove(tile, dice.choice(ROTATIONS), *square, dice.choice(LETTERS))
        decision = GAME.decide(state, state.asked, move, Chance(b"", ""))
        assert isinstance(decision, Decision)
        valid = referee.is_valid_first(table, state.hand, tile, square, move.port)
        assert (decision.discarded is None) == valid, move
        expected = {**table.tiles, square: (tile, move.rotation)} if valid else table.tiles
        seats = {**table.avatars, state.asked: (square, move.port)} if valid else table.avatars
        assert seen_by_referee(after(state, decision.events)) == referee.Table(expected, seats)


def check_moves(state: State, tally: Counter[str]) -> None:
    table = seen_by_referee(state)
    mover = state.asked
    legal = [(move.tile, move.rotation) for move in GAME.legal_moves(state, mover)]
    for tile in {*state.hand, (state.hand[0] + 1) % 35}:
        for rotation in ROTATIONS:
            decision = GAME.decide(state, mover, TileMove(tile, rotation), Chance(b"", ""))
            assert isinstance(decision, Decision)
            valid = referee.is_valid(table, mover, state.hand, tile, rotation)
            assert (decision.discarded is None) == valid == ((tile, rotation) in legal), (tile, rotation)
            expected, left, caught = table, set[int](), set[int]()
            if valid:
                expected, left, caught = referee.result(table, mover, tile, rotation)
            assert seen_by_referee(after(state, decision.events)) == expected
            tally[decision.discarded or "legal"] += 1
            tally["forced suicide"] += valid and mover in left
            tally["forced loop"] += valid and bool(caught)
            tally["another left"] += bool(left - {mover})
            tally["several moved"] += len([1 for event in decision.events if type(event).__name__ == "AvatarMoved"]) > 1


def agree_on(positions: int, seed: int) -> Counter[str]:
    """Compare the two on so many positions, half of them from games and half strewn at random."""
    dice = random.Random(seed)
    tally: Counter[str] = Counter()
    checked = 0
    while checked < positions:
        for state in [*played_out(dice), *(scattered(dice) for _ in range(80))]:
            if state.round:
                check_moves(state, tally)
            else:
                check_first_moves(state, dice)
            checked += 1
    return tally


def test_rules_and_referee_agree() -> None:
    tally = agree_on(1_000, seed=1)
    assert all(tally[what] for what in WHAT_MUST_OCCUR), tally


@pytest.mark.soak
def test_rules_and_referee_agree_on_20000_positions() -> None:
    tally = agree_on(20_000, seed=2)
    assert all(tally[what] > 100 for what in WHAT_MUST_OCCUR), tally
