"""Whose turn it is, and how a game ends."""

from services.session.games.tsuro.state import State
from shared.kernel import Outcome, Seat

STALLED = 100
"""Moves in a row that came to nothing after which a game is over: nobody is playing any more."""


def upcoming(state: State) -> tuple[Seat, int] | None:
    """Who is asked, or will be as soon as this turn is over, and in which round; None when the game is over."""
    if outcome(state):
        return None
    if state.hand:
        return state.asked, state.round
    if state.round == 0:
        for box in range(state.asked + 1, state.seats):
            if not state.is_gone(Seat(box)):
                return Seat(box), 0
    movers = [avatar.seat for avatar in state.avatars if not avatar.looped]
    if state.round:
        for seat in movers:
            if seat > state.asked:
                return seat, state.round
    return (movers[0], state.round + 1) if movers else None


def outcome(state: State) -> Outcome | None:
    """How the game ended, None while it goes on."""
    if state.gone:
        resigned = {gone.seat for gone in state.gone if gone.cause == "resigned"}
        if len(resigned) == state.seats - 1:
            return Outcome(tuple(_all_but(resigned, state)), "resigned")
    if len(state.avatars) + len(state.gone) < state.seats:
        return None  # first moves are still to be made
    on_board = tuple(avatar.seat for avatar in state.avatars)
    if not on_board:
        return _nobody_left(state)
    if len(on_board) == 1:
        return Outcome(on_board, "last_on_board")
    if all(avatar.looped for avatar in state.avatars):
        return Outcome(on_board, "all_in_loops")
    if state.discarded >= STALLED:
        return Outcome(on_board, "stalled")
    return None


def _nobody_left(state: State) -> Outcome:
    together = [gone.seat for gone in state.gone if gone.cause == "edge" and gone.round == state.round]
    if together:
        return Outcome(tuple(sorted(together)), "left_together")
    resigned = {gone.seat for gone in state.gone if gone.cause == "resigned"}
    return Outcome(tuple(_all_but(resigned, state)), "no_first_move")


def _all_but(some: set[Seat], state: State) -> list[Seat]:
    return [Seat(box) for box in range(state.seats) if box not in some]
