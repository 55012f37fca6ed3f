"""The optional referee of Xs and Os."""

from typing import Any

import pytest

from services.relay import referee
from services.relay.decide import Refusal, Ruling, Status
from services.relay.rooms import Phase
from tests.relay.test_rooms import A, B, Table, status


def strict_table(**join: Any) -> Table:
    """A, who asked for a referee, is X; the handshake is done."""
    table = Table()
    table.say(A, 0, "join", **(join or {"strict": True}))
    table.say(B, 0, "join")
    table.say(A, 1, "start_game")
    table.say(B, 1, "start_game_ack")
    return table


def play(table: Table, *boards: list[int]) -> Table:
    for number, board in enumerate(boards):
        verdict = table.say((A, B)[number % 2], 2 + number // 2, "update_game", game=board)
        assert status(verdict) is Status.STORED, board
    return table


MOVES = [
    [0, 0, 0, 0, -1, 0, 0, 0, 0],
    [1, 0, 0, 0, -1, 0, 0, 0, 0],
    [1, 0, -1, 0, -1, 0, 0, 0, 0],
    [1, 1, -1, 0, -1, 0, 0, 0, 0],
    [1, 1, -1, 0, -1, 0, -1, 0, 0],
]


def test_a_game_by_the_rules_passes() -> None:
    table = play(strict_table(), *MOVES)
    assert status(table.say(B, 4, "game_over")) is Status.STORED
    assert table.room.phase is Phase.OVER
    assert table.room.game == tuple(MOVES[-1])


@pytest.mark.parametrize(
    "board",
    [
        [0] * 9,  # no move
        [1, 0, 0, 0, 0, 0, 0, 0, 0],  # the other's mark
        [-1, -1, 0, 0, 0, 0, 0, 0, 0],  # two moves
        [-1, 1, 0, 0, 0, 0, 0, 0, 0],
        [-2, 0, 0, 0, 0, 0, 0, 0, 0],
        [-1, 0, 0, 0, 0, 0, 0, 0],  # eight cells
        [-1] + [0] * 9,
        [],
    ],
)
def test_the_first_board_has_one_x(board: list[int]) -> None:
    table = strict_table()
    assert table.say(A, 2, "update_game", game=board) is Refusal.ILLEGAL_UPDATE
    assert table.room.game is None
    assert status(table.say(A, 2, "update_game", game=MOVES[0])) is Status.STORED  # its number was not used up


@pytest.mark.parametrize(
    "board",
    [
        [0, 0, 0, 0, 1, 0, 0, 0, 0],  # on top of another
        [1, 0, 0, 0, 0, 0, 0, 0, 0],  # takes one away
        MOVES[0],
        [1, 1, 0, 0, -1, 0, 0, 0, 0],
    ],
)
def test_a_later_board_adds_one_mark_to_the_board_before(board: list[int]) -> None:
    table = play(strict_table(), MOVES[0])
    assert table.say(B, 2, "update_game", game=board) is Refusal.ILLEGAL_UPDATE


def test_players_take_turns_and_the_one_who_started_is_first() -> None:
    table = strict_table()
    assert table.say(B, 2, "update_game", game=[1] + [0] * 8) is Refusal.ILLEGAL_UPDATE
    play(table, MOVES[0])
    assert table.say(A, 3, "update_game", game=[-1, 0, 0, 0, -1, 0, 0, 0, 0]) is Refusal.ILLEGAL_UPDATE


def test_nothing_is_played_before_the_handshake_is_done() -> None:
    table = Table()
    table.say(A, 0, "join", strict=True)
    table.say(B, 0, "join")
    assert table.say(A, 1, "update_game", game=MOVES[0]) is Refusal.ILLEGAL_UPDATE


def test_a_game_is_over_when_there_is_a_line_or_no_place_left() -> None:
    table = strict_table()
    assert table.say(A, 2, "game_over") is Refusal.ILLEGAL_UPDATE
    play(table, *MOVES[:4])
    assert table.say(B, 4, "game_over") is Refusal.ILLEGAL_UPDATE


def test_a_full_board_without_a_line_is_over_too() -> None:
    assert referee.is_over([-1, 1, -1, -1, 1, 1, 1, -1, -1])
    assert not referee.is_over([-1, 1, -1, -1, 1, 1, 1, -1, 0])


def test_no_move_follows_the_winning_one() -> None:
    table = play(strict_table(), *MOVES)
    after = [1, 1, -1, 1, -1, 0, -1, 0, 0]
    assert table.say(B, 4, "update_game", game=after) is Refusal.ILLEGAL_UPDATE


def test_a_held_board_that_turns_out_illegal_is_wanted_again() -> None:
    table = strict_table()
    assert status(table.say(A, 3, "update_game", game=[-1] * 9)) is Status.HELD
    filled = table.say(A, 2, "update_game", game=MOVES[0])
    assert isinstance(filled, Ruling)
    assert filled.expected == 3
    table.say(B, 2, "update_game", game=MOVES[1])
    assert status(table.say(A, 3, "update_game", game=MOVES[2])) is Status.STORED


@pytest.mark.parametrize("word", ["true", 1, [], None, False])
def test_only_true_asks_for_a_referee(word: Any) -> None:
    table = strict_table(strict=word)
    assert not table.room.strict
    assert status(table.say(B, 2, "update_game", game=[5])) is Status.STORED


def test_only_the_join_that_opens_the_room_asks_for_a_referee() -> None:
    table = Table()
    table.say(A, 0, "join")
    table.say(B, 0, "join", strict=True)
    assert not table.room.strict


def test_the_referee_stays_for_the_next_game() -> None:
    table = play(strict_table(), *MOVES)
    table.say(B, 4, "game_over")
    table.say(B, 0, "join")
    assert table.room.strict
    assert table.room.starter == B
