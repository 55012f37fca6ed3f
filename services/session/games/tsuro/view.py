"""What each viewer may see: everything but the hands of others and the tiles to come."""

from functools import lru_cache
from typing import Any, assert_never

from services.session.games.tsuro.course import upcoming
from services.session.games.tsuro.state import (
    COLORS,
    AnyEvent,
    Asked,
    AvatarLooped,
    AvatarMoved,
    AvatarOut,
    ColorSet,
    Discarded,
    Resigned,
    State,
    Supplied,
    TilePlaced,
)
from services.session.games.tsuro.tiles import EMPTY, PORTS, SIZE
from shared.kernel import Message, Viewer


def view(state: State, viewer: Viewer) -> dict[str, Any]:
    turn = upcoming(state)
    shown = {
        "board": board(state),
        "colors": COLORS[: state.seats],
        "turn": turn[0] if turn else None,
        "round": turn[1] if turn else state.round,
        "looped": [avatar.seat for avatar in state.avatars if avatar.looped],
        "out": sorted(gone.seat for gone in state.gone),
    }
    if turn and state.hand and viewer == state.asked:
        shown["request"] = {"event": _prompt(state.round), "tiles": state.hand, "number": state.number}
    return shown


def board(state: State) -> dict[str, Any]:
    avatars = [{"box": avatar.seat, "color": COLORS[avatar.seat], **_standing(avatar.spot)} for avatar in state.avatars]
    return {"tiles": _tiles(state.cells), "avatars": avatars}


@lru_cache(maxsize=256)  # every viewer of a turn is shown the same tiles, in several messages
def _tiles(cells: tuple[int, ...]) -> tuple[dict[str, int], ...]:
    return tuple(
        {"tile": cell // 4, "rotation": cell % 4 * 90, "x": square % SIZE, "y": square // SIZE}
        for square, cell in enumerate(cells)
        if cell != EMPTY
    )


def project(state: State, event: AnyEvent, viewer: Viewer) -> Message | None:
    """A message; what may be a viewer's last of a turn carries its whole view, so that no client needs the rules."""
    told = _told(state, event, viewer)
    if told is None:
        return None
    name, data = told
    return Message(name, data if name in _NEVER_LAST else {**data, "gamestate": view(state, viewer)})


_NEVER_LAST = ("set_color", "tile_placed")  # the one comes with `started`, the other before an `avatar_moved`


def _told(state: State, event: AnyEvent, viewer: Viewer) -> tuple[str, dict[str, Any]] | None:
    match event:
        case TilePlaced(seat, cell, square):
            where = {"x": square % SIZE, "y": square // SIZE}
            return "tile_placed", {"box": seat, "tile": cell // 4, "rotation": cell % 4 * 90, **where}
        case AvatarMoved(seat, spot):
            return "avatar_moved", {"box": seat, **_standing(spot)}
        case Asked(seat, round_, hand):
            prompt = {"tiles": hand, "board": board(state), "number": state.number}
            return (_prompt(round_), prompt) if viewer == seat else None
        case Discarded(seat, reason):
            return "move_discarded", {"box": seat, "reason": reason}
        case AvatarOut(seat, cause):
            return "avatar_out", {"box": seat, "reason": cause}
        case AvatarLooped(seat):
            return "avatar_looped", {"box": seat}
        case Resigned(seat):
            return "resigned", {"box": seat}
        case ColorSet(seat):
            return ("set_color", {"color": COLORS[seat]}) if viewer == seat else None
        case Supplied():
            return None
        case _:
            assert_never(event)


def _prompt(round_: int) -> str:
    return "generate_move" if round_ else "generate_first_move"


def _standing(spot: int) -> dict[str, Any]:
    square, port = divmod(spot, 8)
    return {"x": square % SIZE, "y": square // SIZE, "port": PORTS[port]}
