"""Taking moves back, where messages cross in ways that one rarely meets."""

from services.session import decide as rules
from services.session.decide import AnswerUndo, AskUndo, Play
from services.session.games.xsos import GAME, PLAYS
from services.session.undo import Answer
from services.session.verdict import EngineRefusal
from shared.kernel import Seat
from tests.laws.table import Table


class Board(Table):
    """A game of Xs and Os between `first` and `second`."""

    def __init__(self) -> None:
        super().__init__(GAME, GAME.types[0], seed=1)
        self.first = self.match.acting[0]
        self.second = Seat(1 - self.first)

    def accept(self, command: rules.Command) -> int:
        """Append what a command makes; return the version."""
        verdict = self.decide(command)
        assert isinstance(verdict, tuple), verdict
        self.append(verdict)
        return self.match.version

    def stones(self) -> int:
        assert self.match.position is not None
        return sum(mark is not None for mark in self.match.position.cells)


def test_a_request_that_crossed_a_move_does_not_end_the_request_for_that_move() -> None:
    board = Board()
    seen = board.accept(Play(board.first, PLAYS[0]))
    board.accept(Play(board.second, PLAYS[1]))
    board.accept(AskUndo(board.second))
    board.accept(AskUndo(board.first, seen))
    assert board.match.undo is not None
    assert board.match.undo.by == board.second
    board.accept(AnswerUndo(board.first, Answer.APPROVE))
    assert board.stones() == 1


def test_an_answer_that_was_meant_for_an_earlier_request_is_too_late() -> None:
    board = Board()
    board.accept(Play(board.first, PLAYS[0]))
    earlier = board.accept(AskUndo(board.first))
    board.accept(Play(board.second, PLAYS[1]))
    board.accept(Play(board.first, PLAYS[2]))
    asked = board.accept(AskUndo(board.first))
    for answer in (Answer.APPROVE, Answer.REJECT):
        assert board.decide(AnswerUndo(board.second, answer, earlier)) is EngineRefusal.NO_UNDO_PENDING
    assert board.decide(AnswerUndo(board.second, Answer.AUTO_REJECT, earlier)) == ()
    board.accept(AnswerUndo(board.second, Answer.APPROVE, asked))
    assert board.stones() == 2
