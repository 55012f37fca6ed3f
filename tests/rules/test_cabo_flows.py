"""The thirteen flows of Cabo with three players: every message, to whom, and in which wave; and with two and five."""

import pytest

from services.session.games.cabo import GAME
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
from tests.support.cabo import ANN, BOB, CHANCE, CID, DAN, EVA, Told, drawing, play, says, table, to_some

PLAIN = ("1a 2a 3 4", "5b 5b 6 7", "8c 9c 9 9")
WATCHER = None


def drawn(value: int, phase: Phase = Phase.ACT) -> Table:
    return table(*PLAIN, pile="6", phase=phase, drawn=value if phase is Phase.ACT else None)


def others_first(last: Seat, told: Told) -> list[dict[Seat | None, list[Told]]]:
    """A public message to all but one of three players, then to that one; who watches is told with the last wave."""
    others = [seat for seat in (ANN, BOB, CID) if seat != last]
    return [to_some(*others, told=told), to_some(last, WATCHER, told=told)]


def test_start_a_round() -> None:
    course = play(new_table(3, 66, 30), ANN, StartRound())
    hands, first = course.after.hands, course.after.turn
    assert first is not None
    deal, *turn_start = course.waves
    for seat in (ANN, BOB, CID):
        assert deal[seat] == [says("FirstTwoCards", value1=hands[seat][0].value, value2=hands[seat][1].value)]
    assert deal[WATCHER] == [says("RoundStarted")]
    assert turn_start == others_first(first, says("TurnStart", playerIndex=first))
    assert course.after.phase is Phase.SELECT


def test_pick_a_card_from_the_heap() -> None:
    course = play(table(*PLAIN, heap="10 2 3"), ANN, TakeCardFromHeap())
    taken = says("HeapCardTaken", playerIndex=ANN)
    assert course.waves == [
        to_some(BOB, CID, told=taken),
        {ANN: [says("Card", value=10)], WATCHER: [taken]},
    ]
    assert (course.after.phase, course.after.turn, course.after.drawn) == (Phase.ACT, ANN, 10)
    assert course.after.heap == (2, 3)


def test_replace_a_card_in_hand_by_the_topmost_discarded_card() -> None:
    course = play(table(*PLAIN, pile="6 0"), ANN, ReplaceCardByDiscarded(3))
    replaced = says("CardReplaced", playerIndex=ANN, handCardIndex=3, discardedValue=4)
    assert course.waves == others_first(BOB, replaced)
    assert drawing(course.after, ANN) == "1a 2a 3 0abc", "the pile's top was seen by all"
    assert course.after.pile == (6, 4)
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)


def test_claim_to_have_identical_cards_and_succeed() -> None:
    course = play(table("7a 2a 7 4", *PLAIN[1:]), ANN, ShowCards((0, 2)))
    shown = says("CardsShown", playerIndex=ANN, handCardIndexes=(0, 2), values=(7, 7))
    assert course.waves == [
        to_some(BOB, CID, told=shown),
        {ANN: [says("CardsIdentical", discardedValue=7)], WATCHER: [shown]},
    ]
    assert (course.after.phase, course.after.turn) == (Phase.REPLACE, ANN)
    assert drawing(course.after, ANN) == "7abc 2a 7abc 4"


def test_claim_to_have_identical_cards_and_fail() -> None:
    course = play(table(*PLAIN), ANN, ShowCards((3, 0)))
    shown = says("CardsShown", playerIndex=ANN, handCardIndexes=(3, 0), values=(4, 1))
    assert course.waves == [
        {ANN: [says("CardsDifferent")], CID: [shown]},
        {BOB: [shown], WATCHER: [shown]},
    ]
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)
    assert drawing(course.after, ANN) == "1abc 2a 3 4bc", "the shower is not told the values"


def test_stop_the_round() -> None:
    course = play(table(*PLAIN), ANN, StopRound())
    assert course.waves == others_first(BOB, says("Stopping", playerIndex=ANN))
    assert (course.after.stopper, course.after.phase, course.after.turn) == (ANN, Phase.SELECT, BOB)


def test_replace_a_card_in_hand_by_the_picked_card() -> None:
    course = play(drawn(12), ANN, ReplaceCard(2))
    assert course.waves == others_first(BOB, says("CardReplaced", playerIndex=ANN, handCardIndex=2, discardedValue=3))
    assert drawing(course.after, ANN) == "1a 2a 12a 4"
    assert (course.after.pile, course.after.drawn, course.after.turn) == ((6, 3), None, BOB)


@pytest.mark.parametrize("value", [0, 1, 2, 3, 4, 5, 6, 13])
def test_discard_a_plain_card(value: int) -> None:
    course = play(drawn(value), ANN, Discard())
    assert course.waves == others_first(BOB, says("Discarded", playerIndex=ANN, discardedValue=value))
    assert (course.after.pile, course.after.drawn, course.after.turn) == ((6, value), None, BOB)


@pytest.mark.parametrize(
    ("value", "power"),
    [
        (7, Phase.PEEK_OWN), (8, Phase.PEEK_OWN), (9, Phase.PEEK), (10, Phase.PEEK), (11, Phase.EXCHANGE),
        (12, Phase.EXCHANGE),
    ],
)  # fmt: skip
def test_discard_a_card_with_a_power(value: int, power: Phase) -> None:
    course = play(drawn(value), ANN, Discard())
    assert course.waves == others_first(ANN, says("Discarded", playerIndex=ANN, discardedValue=value))
    assert (course.after.phase, course.after.turn, course.after.pile) == (power, ANN, (6, value))


def test_after_a_7_or_8_peek_at_an_own_card() -> None:
    course = play(drawn(7, Phase.PEEK_OWN), ANN, PeekOwnCard(2))
    peeked = says("OwnCardPeeked", playerIndex=ANN, handCardIndex=2)
    assert course.waves == [
        {ANN: [says("Card", value=3)], CID: [peeked]},
        to_some(BOB, WATCHER, told=peeked),
    ]
    assert drawing(course.after, ANN) == "1a 2a 3a 4"
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)


@pytest.mark.parametrize(("other", "value"), [(BOB, 6), (CID, 9)])
def test_after_a_9_or_10_peek_at_a_card_of_another(other: Seat, value: int) -> None:
    course = play(drawn(9, Phase.PEEK), ANN, PeekCard(other, 2))
    peeked = says("CardPeeked", playerIndex=ANN, anotherPlayerIndex=other, handCardIndex=2)
    assert course.waves == [
        {ANN: [says("Card", value=value)], CID: [peeked]},
        to_some(BOB, WATCHER, told=peeked),
    ]
    assert course.after.hands[other][2].seen == (ANN,)
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)


def test_after_an_11_or_12_exchange_cards_blind() -> None:
    course = play(drawn(11, Phase.EXCHANGE), ANN, ExchangeCards(0, CID, 3))
    told = says(
        "CardsExchanged", playerIndex=ANN, handCardIndex=0, anotherPlayerIndex=CID, anotherPlayerHandCardIndex=3
    )
    assert course.waves == others_first(BOB, told)
    assert drawing(course.after, ANN) == "9 2a 3 4"
    assert drawing(course.after, CID) == "8c 9c 9 1a"
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)


def test_replace_multiple_cards_with_a_card_from_the_heap() -> None:
    shown = table("2a 5abc 9 5abc", *PLAIN[1:], heap="4 1", pile="6", phase=Phase.REPLACE, shown=(1, 3))
    course = play(shown, ANN, TakeCardFromHeap())
    taken = says("HeapCardTaken", playerIndex=ANN)
    assert course.waves == [
        {ANN: [says("Card", value=4)], CID: [taken]},
        to_some(BOB, WATCHER, told=taken),
    ]
    assert drawing(course.after, ANN) == "2a 4a 9"
    assert (course.after.heap, course.after.pile) == ((1,), (6, 5, 5))
    assert (course.after.phase, course.after.turn, course.after.shown) == (Phase.SELECT, BOB, ())


def test_replace_multiple_cards_with_a_discarded_card() -> None:
    shown = table("5abc 2a 5abc 5abc", *PLAIN[1:], pile="6 0", phase=Phase.REPLACE, shown=(3, 0, 2))
    course = play(shown, ANN, TakeDiscardedCard())
    taken = says("DiscardedCardTaken", playerIndex=ANN, value=0)
    assert course.waves == [
        {ANN: [says("Card", value=0)], CID: [taken]},
        to_some(BOB, WATCHER, told=taken),
    ]
    assert drawing(course.after, ANN) == "0abc 2a", "the lowest shown place is taken, the others close up"
    assert course.after.pile == (6, 5, 5, 5), "the card that was on top before the show is gone"
    assert (course.after.phase, course.after.turn) == (Phase.SELECT, BOB)


def test_the_last_turn_of_a_round_keeps_its_two_waves_and_then_tells_everyone_of_the_end() -> None:
    course = play(table(*PLAIN, phase=Phase.ACT, drawn=2, stopper=BOB, totals=(3, 4, 5)), ANN, ReplaceCard(3))
    *move, end = course.waves
    assert move == others_first(BOB, says("CardReplaced", playerIndex=ANN, handCardIndex=3, discardedValue=4))
    finished = says(
        "RoundFinished",
        hands=((1, 2, 3, 2), (5, 5, 6, 7), (8, 9, 9, 9)),
        scores=(0, 28, 35),
        totalScores=(3, 32, 40),
        isGameFinished=False,
        starter=ANN,
    )
    assert end == to_some(ANN, BOB, CID, WATCHER, told=finished)


def test_it_is_nobodys_turn_between_the_last_turn_and_the_end_of_the_round() -> None:
    decision = GAME.decide(table(*PLAIN, stopper=BOB, pile="1"), ANN, ReplaceCardByDiscarded(0), CHANCE)
    assert not isinstance(decision, Refusal)
    replaced, _ = decision.events
    between = GAME.evolve(table(*PLAIN, stopper=BOB, pile="1"), replaced)
    assert GAME.to_act(between) == ()
    assert GAME.view(between, BOB)["turn"] is None
    assert all(GAME.legal_moves(between, seat) == [] for seat in between.seats)


@pytest.mark.parametrize(
    ("hands", "mover", "all_but_next", "following"),
    [
        (2, ANN, (ANN,), BOB),
        (2, BOB, (BOB,), ANN),
        (3, CID, (BOB, CID), ANN),
        (5, DAN, (ANN, BOB, CID, DAN), EVA),
        (5, EVA, (BOB, CID, DAN, EVA), ANN),
    ],
)
def test_with_any_number_of_seats_the_next_player_is_told_last(
    hands: int, mover: Seat, all_but_next: tuple[Seat, ...], following: Seat
) -> None:
    course = play(table(*["1 2 3 4"] * hands, turn=mover), mover, StopRound())
    told = says("Stopping", playerIndex=mover)
    assert course.waves == [to_some(*all_but_next, told=told), to_some(following, WATCHER, told=told)]


@pytest.mark.parametrize(
    "move", [TakeCardFromHeap(), ShowCards((0, 1)), Discard()], ids=lambda move: type(move).__name__
)
def test_whoever_goes_on_is_told_last_with_two_seats_too(move: Command) -> None:
    phase, drawn = (Phase.ACT, 9) if isinstance(move, Discard) else (Phase.SELECT, None)
    course = play(table("4a 4a 1 1", "2b 2b 3 3", phase=phase, drawn=drawn), ANN, move)
    assert [sorted(each for each in wave if each is not None) for wave in course.waves] == [[BOB], [ANN]]
