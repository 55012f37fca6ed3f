"""What the rules of Cabo refuse: first who may not act, then what is out of phase, then what is not allowed."""

import msgspec
import pytest

from services.session.games.cabo import GAME, CaboOptions
from services.session.games.cabo.commands import (
    Command,
    Discard,
    ExchangeCards,
    PeekCard,
    PeekOwnCard,
    ReplaceCard,
    ReplaceCardByDiscarded,
    ShowCards,
    StartRound,
    StopRound,
    TakeCardFromHeap,
    TakeDiscardedCard,
)
from services.session.games.cabo.state import Phase, Table, new_table
from shared.kernel import Refusal, Seat
from tests.support.cabo import ANN, BOB, CHANCE, CID, table

HANDS = ("1a 2a 3 4", "5b 5b 6 7", "8c 9c 9")
OFF_HAND = [-1, 4, 99]
EVERY_KIND: list[Command] = [
    StartRound(), TakeCardFromHeap(), ReplaceCardByDiscarded(0), ShowCards((0, 1)), StopRound(), ReplaceCard(0),
    Discard(), PeekOwnCard(0), PeekCard(BOB, 0), ExchangeCards(0, BOB, 0), TakeDiscardedCard(),
]  # fmt: skip
TAKES: dict[Phase, set[type[Command]]] = {
    Phase.START: {StartRound},
    Phase.SELECT: {TakeCardFromHeap, ReplaceCardByDiscarded, ShowCards, StopRound},
    Phase.ACT: {ReplaceCard, Discard},
    Phase.PEEK_OWN: {PeekOwnCard},
    Phase.PEEK: {PeekCard},
    Phase.EXCHANGE: {ExchangeCards},
    Phase.REPLACE: {TakeCardFromHeap, TakeDiscardedCard},
}


def at(phase: Phase, pile: str = "6") -> Table:
    if phase is Phase.START:
        return table("", "", "", heap="", phase=phase, turn=None, starter=ANN)
    return table(
        *HANDS,
        pile=pile,
        phase=phase,
        drawn=5 if phase is Phase.ACT else None,
        shown=(0, 1) if phase is Phase.REPLACE else (),
    )


def verdict(state: Table, seat: Seat, move: Command) -> object:
    return GAME.decide(state, seat, move, CHANCE)


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("move", EVERY_KIND, ids=lambda move: type(move).__name__)
def test_each_phase_takes_its_own_commands_and_no_others(phase: Phase, move: Command) -> None:
    taken = verdict(at(phase), ANN, move) is not Refusal.WRONG_PHASE
    assert taken == (type(move) in TAKES[phase])


@pytest.mark.parametrize("phase", Phase)
@pytest.mark.parametrize("move", EVERY_KIND, ids=lambda move: type(move).__name__)
def test_only_the_player_in_turn_may_act_whatever_it_asks_for(phase: Phase, move: Command) -> None:
    assert verdict(at(phase), BOB, move) is Refusal.NOT_YOUR_TURN


def test_a_later_round_is_not_started_by_another() -> None:
    assert verdict(at(Phase.START), CID, StartRound()) is Refusal.NOT_YOUR_TURN
    assert verdict(new_table(3, 66, 30), CID, TakeCardFromHeap()) is Refusal.WRONG_PHASE


@pytest.mark.parametrize("index", OFF_HAND)
def test_a_card_that_is_not_in_hand_cannot_be_named(index: int) -> None:
    for phase, move in (
        (Phase.SELECT, ReplaceCardByDiscarded(index)),
        (Phase.SELECT, ShowCards((0, index))),
        (Phase.ACT, ReplaceCard(index)),
        (Phase.PEEK_OWN, PeekOwnCard(index)),
        (Phase.PEEK, PeekCard(BOB, index)),
        (Phase.EXCHANGE, ExchangeCards(index, BOB, 0)),
        (Phase.EXCHANGE, ExchangeCards(0, BOB, index)),
    ):
        assert verdict(at(phase), ANN, move) is Refusal.ILLEGAL_MOVE, move


@pytest.mark.parametrize("other", [ANN, -1, 3])
def test_another_player_is_another_player(other: int) -> None:
    assert verdict(at(Phase.PEEK), ANN, PeekCard(other, 0)) is Refusal.ILLEGAL_MOVE
    assert verdict(at(Phase.EXCHANGE), ANN, ExchangeCards(0, other, 1)) is Refusal.ILLEGAL_MOVE


def test_a_shorter_hand_has_fewer_places() -> None:
    assert verdict(at(Phase.PEEK), ANN, PeekCard(CID, 3)) is Refusal.ILLEGAL_MOVE
    assert verdict(at(Phase.PEEK), ANN, PeekCard(CID, 2)) is not Refusal.ILLEGAL_MOVE


def test_nothing_can_be_taken_from_an_empty_discard_pile() -> None:
    assert verdict(at(Phase.SELECT, pile=""), ANN, ReplaceCardByDiscarded(0)) is Refusal.ILLEGAL_MOVE
    assert verdict(at(Phase.REPLACE, pile=""), ANN, TakeDiscardedCard()) is Refusal.ILLEGAL_MOVE


@pytest.mark.parametrize("indexes", [(), (1,), (1, 1), (0, 1, 0), (0, 1, 2, 3, 4)])
def test_two_or_more_different_cards_are_shown(indexes: tuple[int, ...]) -> None:
    assert verdict(at(Phase.SELECT), ANN, ShowCards(indexes)) is Refusal.ILLEGAL_MOVE


def test_a_round_is_stopped_once() -> None:
    stopped = table(*HANDS, stopper=CID)
    assert verdict(stopped, ANN, StopRound()) is Refusal.ILLEGAL_MOVE
    assert StopRound() not in GAME.legal_moves(stopped, ANN)


@pytest.mark.parametrize(
    "raw",
    [
        b'{"type":"ReplaceCard"}',
        b'{"type":"ReplaceCard","handCardIndex":"0"}',
        b'{"type":"ReplaceCard","handCardIndex":true}',
        b'{"type":"ShowCards","handCardIndexes":0}',
        b'{"type":"ShowCards","handCardIndexes":[0,null]}',
        b'{"type":"PeekCard","handCardIndex":0}',
        b'{"type":"replace_card","handCardIndex":0}',
        b'{"type":"Cheat"}',
        b"{}",
    ],
)
def test_what_has_not_the_form_of_a_command_is_no_move_at_all(raw: bytes) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(raw, type=Command)


@pytest.mark.parametrize(
    ("raw", "move"),
    [
        (b'{"type":"StartRound"}', StartRound()),
        (b'{"type":"ShowCards","handCardIndexes":[2,0]}', ShowCards((2, 0))),
        (b'{"type":"PeekCard","anotherPlayerIndex":1,"handCardIndex":2}', PeekCard(1, 2)),
        (
            b'{"type":"ExchangeCards","handCardIndex":0,"anotherPlayerIndex":1,"anotherPlayerHandCardIndex":2}',
            ExchangeCards(0, 1, 2),
        ),
    ],
)
def test_commands_are_spelled_as_on_the_wire(raw: bytes, move: Command) -> None:
    assert msgspec.json.decode(raw, type=Command) == move
    assert msgspec.json.encode(move) == raw


@pytest.mark.parametrize("options", [{"limit": 0}, {"limit": 1001}, {"start_time": 0}, {"ack_time": 0}, {"lives": 3}])
def test_options_have_bounds(options: dict[str, int]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(options, CaboOptions)
