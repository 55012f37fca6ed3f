"""Boards of Tsuro as drawings, and games played by hand.

A drawing has one word for each square, `tile/rotation` or a dot; what is not drawn is empty. The tiles that tests like:
2 goes straight through in both directions, 34 turns back on every side, 4 cuts every corner.
"""

from collections.abc import Sequence
from typing import Any

from services.session.games.tsuro import GAME
from services.session.games.tsuro.state import AnyEvent, AnyMove, Asked, Avatar, Gone, State, TsuroOptions
from services.session.games.tsuro.tiles import EMPTY, PORTS, SIZE, SQUARES, cell_of
from shared.kernel import Chance, Decision, Outcome, Seat

CHANCE = Chance(b"tsuro", "test")


def cells(drawing: str) -> tuple[int, ...]:
    laid = [EMPTY] * SQUARES
    rows = [line.split() for line in drawing.strip().splitlines()]
    for y, row in enumerate(rows):
        for x, word in enumerate(row):
            if word != ".":
                tile, rotation = word.split("/")
                laid[SIZE * y + x] = cell_of(int(tile), int(rotation))
    return tuple(laid)


def spot(where: str) -> int:
    """A port of a square from words like `3,0 E`."""
    square, port = where.split()
    x, y = square.split(",")
    return 8 * (SIZE * int(y) + int(x)) + PORTS.index(port)


def where(spot: int) -> str:
    square, port = divmod(spot, 8)
    return f"{square % SIZE},{square // SIZE} {PORTS[port]}"


def drawn(
    drawing: str,
    *avatars: str | None,
    hand: tuple[int, ...] = (2, 2),
    asked: int = 0,
    round_: int = 1,
    out_in: dict[int, int] | None = None,
    looped: Sequence[int] = (),
    eliminate: bool = False,
) -> State:
    """A position in which a seat has just been asked; `out_in` says in which round an avatar that is None left."""
    return State(
        seats=len(avatars),
        eliminate=eliminate,
        ordered=True,
        supply=tuple(range(35)),
        cells=cells(drawing),
        avatars=tuple(
            Avatar(Seat(box), spot(each), looped=box in looped) for box, each in enumerate(avatars) if each is not None
        ),
        gone=tuple(Gone(Seat(box), left, "edge") for box, left in (out_in or {}).items()),
        round=round_,
        asked=Seat(asked),
        hand=hand,
        number=1,
    )


def standing(state: State) -> dict[int, str]:
    """Where each avatar on the board is, by box."""
    return {avatar.seat: where(avatar.spot) for avatar in state.avatars}


def begun(seats: int, **options: Any) -> State:
    """A game that has just been opened."""
    state = GAME.setup("tsuro", seats, TsuroOptions(**options), CHANCE)
    return after(state, GAME.opening(state))


def after(state: State, events: Sequence[AnyEvent]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


def decided(state: State, move: AnyMove, seat: int | None = None) -> Decision[AnyEvent]:
    decision = GAME.decide(state, state.asked if seat is None else Seat(seat), move, CHANCE)
    assert isinstance(decision, Decision), decision
    return decision


def played(state: State, *moves: AnyMove) -> State:
    """The position after the asked seats made these moves, none of which is discarded."""
    for move in moves:
        decision = decided(state, move)
        assert decision.discarded is None, decision.discarded
        state = after(state, decision.events)
    return state


def discarded(state: State, move: AnyMove) -> State:
    """The position after a move that the rules consume."""
    decision = decided(state, move)
    assert decision.discarded is not None, "the move was accepted"
    return after(state, decision.events)


def told(state: State, decision: Decision[AnyEvent], viewer: int | None = None) -> list[tuple[str, Any]]:
    """The messages of a decision to a viewer, without the view that each carries."""
    messages = []
    for event in decision.events:
        state = GAME.evolve(state, event)
        message = GAME.project(state, event, None if viewer is None else Seat(viewer))
        if message is not None:
            if message.event != "tile_placed":
                assert message.data["gamestate"] == GAME.view(state, None if viewer is None else Seat(viewer))
            messages.append((message.event, {k: v for k, v in message.data.items() if k != "gamestate"}))
    return messages


def outcome(state: State) -> Outcome:
    over = GAME.to_act(state)
    assert isinstance(over, Outcome), f"the game goes on: {over} is to act"
    return over


def is_asked(decision: Decision[AnyEvent]) -> Seat:
    """Whom a decision asks next."""
    (asked,) = [event for event in decision.events if isinstance(event, Asked)]
    return asked.seat
