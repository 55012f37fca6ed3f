"""Boards drawn in ASCII: X is black, O is white, and any other sign is an empty point that a test may ask about."""

from services.session.games.stones import BLACK, EMPTY, WHITE

STONES = {"X": BLACK, "O": WHITE}


def drawn(drawing: str) -> tuple[str, int]:
    """A board's cells and its size."""
    signs = _signs(drawing)
    size = int(len(signs) ** 0.5)
    assert size * size == len(signs), "a board is square"
    return "".join(STONES.get(sign, EMPTY) for sign in signs), size


def marked(drawing: str, mark: str) -> list[int]:
    """The points that carry a mark."""
    return [point for point, sign in enumerate(_signs(drawing)) if sign == mark]


def drawing(cells: str, size: int) -> str:
    """A board as a drawing, for messages of failed tests."""
    signs = {stone: sign for sign, stone in STONES.items()}
    return "\n".join(" ".join(signs.get(c, c) for c in cells[i : i + size]) for i in range(0, size * size, size))


def _signs(drawing: str) -> str:
    return "".join(drawing.split())
