"""Groups, liberties, captures and area on a board of any size."""

import hashlib
from collections.abc import Iterator
from functools import cache, lru_cache

from services.session.games.stones import BLACK, EMPTY, WHITE, opposite, placed
from shared.kernel import Value

Around = tuple[tuple[int, ...], ...]


class Group(Value, frozen=True):
    """Connected stones of one colour and the empty points beside them."""

    stones: frozenset[int]
    liberties: frozenset[int]


@cache
def neighbours(size: int) -> Around:
    """For each point those above, left, right and below."""

    def beside(point: int) -> Iterator[int]:
        x, y = point % size, point // size
        if y > 0:
            yield point - size
        if x > 0:
            yield point - 1
        if x < size - 1:
            yield point + 1
        if y < size - 1:
            yield point + size

    return tuple(tuple(beside(point)) for point in range(size * size))


def group(cells: str, around: Around, start: int) -> Group:
    stone = cells[start]
    stones, liberties, frontier = {start}, set(), [start]
    while frontier:
        for beside in around[frontier.pop()]:
            found = cells[beside]
            if found == EMPTY:
                liberties.add(beside)
            elif found == stone and beside not in stones:
                stones.add(beside)
                frontier.append(beside)
    return Group(frozenset(stones), frozenset(liberties))


def groups(cells: str, size: int) -> dict[int, Group]:
    """The group of every stone, by point."""
    around, found = neighbours(size), {}
    for point, stone in enumerate(cells):
        if stone != EMPTY and point not in found:
            found.update(dict.fromkeys((whole := group(cells, around, point)).stones, whole))
    return found


def captured(cells: str, size: int, point: int, stone: str) -> list[int] | None:
    """The stones that a stone on an empty point takes off the board, in order; None if it would be suicide."""
    around = neighbours(size)
    after = placed(cells, point, stone)
    enemy = opposite(stone)
    taken: set[int] = set()
    for beside in around[point]:
        if after[beside] == enemy and beside not in taken:
            taken |= _dead(after, around, beside)
    if not taken and _dead(after, around, point):
        return None
    return sorted(taken)


def _dead(cells: str, around: Around, start: int) -> set[int]:
    """The stones of a group without liberties; nothing, as soon as one liberty is found."""
    stone = cells[start]
    stones, frontier = {start}, [start]
    while frontier:
        for beside in around[frontier.pop()]:
            found = cells[beside]
            if found == EMPTY:
                return set()
            if found == stone and beside not in stones:
                stones.add(beside)
                frontier.append(beside)
    return stones


def without(cells: str, points: tuple[int, ...]) -> str:
    if not points:
        return cells
    left = list(cells)
    for point in points:
        left[point] = EMPTY
    return "".join(left)


@lru_cache(maxsize=256)  # the result of a finished game is asked for several times
def areas(cells: str, size: int) -> tuple[int, int]:
    """Tromp–Taylor: each colour's stones, and the empty points from which only that colour is reached."""
    black, white = cells.count(BLACK), cells.count(WHITE)
    for region, borders in regions(cells, size):
        black += len(region) * (borders == {BLACK})
        white += len(region) * (borders == {WHITE})
    return black, white


def regions(cells: str, size: int) -> Iterator[tuple[list[int], set[str]]]:
    """The connected empty points, and the colours of the stones beside them."""
    around = neighbours(size)
    todo = {point for point, stone in enumerate(cells) if stone == EMPTY}
    while todo:
        region, borders = [todo.pop()], set()
        for point in region:  # it grows while we walk along it
            for beside in around[point]:
                if beside in todo:
                    todo.remove(beside)
                    region.append(beside)
                borders.add(cells[beside])
        yield region, borders - {EMPTY}


@cache
def keys(size: int) -> dict[str, tuple[int, ...]]:
    """Zobrist's numbers: those of all stones on a board, xored, name the position.

    They are below 2**53, so that every reader of JSON keeps them, and from SHA-256, so that stored games never
    depend on a library's generator.
    """

    def number(stone: str, point: int) -> int:
        return int.from_bytes(hashlib.sha256(f"go {size} {stone} {point}".encode()).digest()[:8], "big") >> 11

    return {stone: tuple(number(stone, point) for point in range(size * size)) for stone in (BLACK, WHITE)}
