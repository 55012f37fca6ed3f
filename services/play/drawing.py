"""A board of Tsuro in a terminal: each tile is six by three characters of Braille dots, its paths are curves."""

from collections.abc import Mapping
from functools import cache

from rich.text import Text

from services.session.games.tsuro.state import COLORS, State
from services.session.games.tsuro.tiles import EMPTY, JOINED, SIZE
from shared.kernel import Seat

STYLES = dict(
    zip(COLORS, ("white", "bright_black", "red", "green", "blue", "yellow", "dark_orange3", "magenta"), strict=True)
)
_WIDE, _HIGH = 6, 3  # characters; of two by four dots each, so a tile is a square of twelve dots
_DOTS = ((4, 0), (7, 0), (11, 4), (11, 7), (7, 11), (4, 11), (0, 7), (0, 4))
"""Where each port is."""
_BRAILLE = ((0x01, 0x08), (0x02, 0x10), (0x04, 0x20), (0x40, 0x80))
_STEPS = 40  # along a curve, enough to leave no gap
_EMPTY_SQUARE = ("      ", "  ·   ", "      ")


def board(state: State, owners: Mapping[int, Seat]) -> Text:
    """The whole board; a tile has the colour of the seat that laid it, an avatar is a dot at its port."""
    rows = [[(" ", "")] * (SIZE * _WIDE) for _ in range(SIZE * _HIGH)]
    for square, cell in enumerate(state.cells):
        left, top = square % SIZE * _WIDE, square // SIZE * _HIGH
        lines = _EMPTY_SQUARE if cell == EMPTY else _tile(cell)
        style = "dim" if cell == EMPTY or square not in owners else STYLES[COLORS[owners[square]]]
        for dy, line in enumerate(lines):
            rows[top + dy][left : left + _WIDE] = [(char, style) for char in line]
    for avatar in state.avatars:
        square, port = divmod(avatar.spot, 8)
        x, y = _DOTS[port]
        style = f"bold {STYLES[COLORS[avatar.seat]]}"
        rows[square // SIZE * _HIGH + y // 4][square % SIZE * _WIDE + x // 2] = ("◉" if avatar.looped else "●", style)
    text = Text(no_wrap=True)
    for row in rows:
        for char, style in row:
            text.append(char, style)
        text.append("\n")
    text.rstrip()
    return text


@cache
def _tile(cell: int) -> tuple[str, ...]:
    bits = [[0] * _WIDE for _ in range(_HIGH)]
    for port, other in enumerate(JOINED[cell]):
        for x, y in _curve(_DOTS[port], _DOTS[other]):
            bits[y // 4][x // 2] |= _BRAILLE[y % 4][x % 2]
    return tuple("".join(chr(0x2800 + each) for each in row) for row in bits)


def _curve(start: tuple[int, int], end: tuple[int, int]) -> list[tuple[int, int]]:
    """From one port to another by way of the middle."""
    dots = []
    for step in range(_STEPS + 1):
        t = step / _STEPS
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        dots.append((round(a * start[0] + b * 5.5 + c * end[0]), round(a * start[1] + b * 5.5 + c * end[1])))
    return dots
