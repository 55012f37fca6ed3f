"""What a move does: the events that follow from it, and the position after each event."""

from typing import assert_never

import msgspec

from services.session.games.tsuro.course import outcome, upcoming
from services.session.games.tsuro.placing import ahead, first_move_flaw, options
from services.session.games.tsuro.state import (
    FIRST_HAND,
    LATER_HAND,
    AnyEvent,
    AnyMove,
    Asked,
    Avatar,
    AvatarLooped,
    AvatarMoved,
    AvatarOut,
    Cause,
    ColorSet,
    Discarded,
    FirstMove,
    Gone,
    Resigned,
    State,
    Supplied,
    TileMove,
    TilePlaced,
    TsuroOptions,
)
from services.session.games.tsuro.tiles import PORTS, SIZE, TILES, cell_of
from shared.kernel import Chance, Decision, Refusal, Seat

_change = msgspec.structs.replace


def setup(seats: int, wanted: TsuroOptions, chance: Chance) -> State:
    ordered = wanted.supply == "ordered"
    return State(seats, wanted.invalid == "eliminate", ordered, _supply(ordered, chance))


def opening(state: State) -> tuple[AnyEvent, ...]:
    """Everyone is given a colour, then the first seat is asked."""
    colors = tuple(ColorSet(Seat(box)) for box in range(state.seats))
    return *colors, Asked(Seat(0), 0, state.supply[:FIRST_HAND])


def decide(state: State, seat: Seat, move: AnyMove, chance: Chance) -> Decision[AnyEvent] | Refusal:
    """Whatever the asked seat answers is its move; a bad one is consumed without a second try."""
    if seat != state.asked or not state.hand or outcome(state):
        return Refusal.NOT_YOUR_TURN
    if move.number is not None and move.number != state.number:
        return Refusal.WRONG_PHASE
    if isinstance(move, FirstMove):
        flaw = first_move_flaw(state, move) if state.round == 0 else "wrong_kind"
        return discard(state, seat, flaw, chance) if flaw else _first_placed(state, seat, move, chance)
    if state.round == 0:
        return discard(state, seat, "wrong_kind", chance)
    return _placed(state, seat, move, chance)


def discard(state: State, seat: Seat, reason: str, chance: Chance) -> Decision[AnyEvent]:
    """The turn is over and nothing is placed; by option the avatar is lost too."""
    events: list[AnyEvent] = [Discarded(seat, reason)]
    if state.eliminate and state.avatar(seat):
        events.append(AvatarOut(seat, "eliminated"))
    return Decision(_and_next(state, events, chance), discarded=reason)


def resign(state: State, seat: Seat, chance: Chance) -> Decision[AnyEvent]:
    """The seat can no longer win; the others play on."""
    if any(gone.seat == seat and gone.cause == "resigned" for gone in state.gone):
        return Decision(())
    events: list[AnyEvent] = [Resigned(seat)]
    if state.avatar(seat):
        events.append(AvatarOut(seat, "resigned"))
    return Decision(_and_next(state, events, chance))


def _first_placed(state: State, seat: Seat, move: FirstMove, chance: Chance) -> Decision[AnyEvent]:
    square = SIZE * move.y + move.x
    placed = TilePlaced(seat, cell_of(move.tile, move.rotation), square)
    avatar = AvatarMoved(seat, 8 * square + PORTS.index(move.port))
    return Decision(_and_next(state, [placed, avatar], chance))


def _placed(state: State, seat: Seat, move: TileMove, chance: Chance) -> Decision[AnyEvent]:
    choices = (each for each in options(state) if (each.tile, each.rotation) == (move.tile, move.rotation))
    option = next(choices, None)
    if option is None:
        return discard(state, seat, "tile_not_in_hand", chance)
    if option.flaw:
        return discard(state, seat, option.flaw, chance)
    avatar = state.avatar(seat)
    assert avatar is not None, "only a seat on the board is asked for a later move"
    events: list[AnyEvent] = [TilePlaced(seat, cell_of(move.tile, move.rotation), ahead(avatar))]
    for trip in option.trips:
        events.append(AvatarMoved(trip.seat, trip.spot))
        if trip.looped:
            events.append(AvatarLooped(trip.seat))
        elif trip.off:
            events.append(AvatarOut(trip.seat, "edge"))
    return Decision(_and_next(state, events, chance))


def _and_next(state: State, events: list[AnyEvent], chance: Chance) -> tuple[AnyEvent, ...]:
    """The events, and the question to whoever is next, unless somebody is being asked or the game is over."""
    for event in events:
        state = evolve(state, event)
    turn = None if state.hand else upcoming(state)
    if turn is None:
        return tuple(events)
    seat, round_ = turn
    size = LATER_HAND if round_ else FIRST_HAND
    supply = state.supply
    if len(supply) < size:
        more = _supply(state.ordered, chance)
        events.append(Supplied(more))
        supply += more
    return *events, Asked(seat, round_, supply[:size])


def _supply(ordered: bool, chance: Chance) -> tuple[int, ...]:
    tiles = range(len(TILES))
    return tuple(tiles) if ordered else chance.shuffled(tiles)


def evolve(state: State, event: AnyEvent) -> State:
    match event:
        case TilePlaced(_, cell, square):
            cells = (*state.cells[:square], cell, *state.cells[square + 1 :])
            return _change(state, cells=cells, hand=(), discarded=0)
        case AvatarMoved(seat, spot):
            return _with_avatar(state, Avatar(seat, spot))
        case Asked(seat, round_, hand):
            supply = state.supply[len(hand) :]
            return _change(state, asked=seat, round=round_, hand=hand, supply=supply, number=state.number + 1)
        case Discarded(seat, _):
            after = _change(state, hand=(), discarded=state.discarded + 1)
            return after if state.round else _without(after, seat, "first_move")
        case AvatarOut(seat, cause):
            return _without(state, seat, cause)
        case AvatarLooped(seat):
            avatar = state.avatar(seat)
            assert avatar is not None, "only an avatar on the board can loop"
            return _with_avatar(state, Avatar(seat, avatar.spot, looped=True))
        case Resigned(seat):
            after = _change(state, hand=()) if seat == state.asked else state
            return _without(after, seat, "resigned")
        case Supplied(tiles):
            return _change(state, supply=state.supply + tiles)
        case ColorSet():
            return state
        case _:
            assert_never(event)


def _with_avatar(state: State, avatar: Avatar) -> State:
    others = [each for each in state.avatars if each.seat != avatar.seat]
    return _change(state, avatars=tuple(sorted([*others, avatar], key=lambda each: each.seat)))


def _without(state: State, seat: Seat, cause: Cause) -> State:
    avatars = tuple(avatar for avatar in state.avatars if avatar.seat != seat)
    others = tuple(gone for gone in state.gone if gone.seat != seat)
    return _change(state, avatars=avatars, gone=(*others, Gone(seat, state.round, cause)))
