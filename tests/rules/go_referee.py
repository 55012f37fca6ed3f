"""A referee of go that knows nothing but the rules as Tromp and Taylor write them, with whole boards as its memory."""

from services.session.games.stones import BLACK, EMPTY, WHITE

Cells = dict[tuple[int, int], str]


class Referee:
    def __init__(self, size: int) -> None:
        self.size = size
        self.board: Cells = {(x, y): EMPTY for x in range(size) for y in range(size)}
        self.history = [dict(self.board)]

    def result(self, x: int, y: int, stone: str) -> Cells | None:
        """The board after a move, None if it is illegal."""
        if self.board[x, y] != EMPTY:
            return None
        board = {**self.board, (x, y): stone}
        for colour in (WHITE if stone == BLACK else BLACK, stone):
            dead = [point for point in board if board[point] == colour and not self.reaches(board, point, EMPTY)]
            if colour == stone and dead:
                return None
            board |= dict.fromkeys(dead, EMPTY)
        return None if board in self.history else board

    def reaches(self, board: Cells, point: tuple[int, int], colour: str) -> bool:
        """Whether a path of points of one colour leads from a point to a neighbour of the other colour."""
        seen, todo = {point}, [point]
        while todo:
            x, y = todo.pop()
            for beside in ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)):
                if board.get(beside) == colour:
                    return True
                if board.get(beside) == board[point] and beside not in seen:
                    seen.add(beside)
                    todo.append(beside)
        return False

    def score(self, stone: str) -> int:
        foe = WHITE if stone == BLACK else BLACK
        empty = (p for p in self.board if self.board[p] == EMPTY)
        own = (p for p in empty if self.reaches(self.board, p, stone) and not self.reaches(self.board, p, foe))
        return list(self.board.values()).count(stone) + len(list(own))

    def play(self, board: Cells) -> None:
        self.board = board
        self.history.append(board)
