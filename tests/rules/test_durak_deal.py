"""Durak: the deal and the first attack."""

import pytest

from services.session.games.durak import GAME
from services.session.games.durak.cards import CARDS, RANK, SUIT, beats
from services.session.games.durak.state import State, dealt
from shared.kernel import Chance, Options, Seat
from tests.support.durak import everywhere


class Arranged(Chance):
    """A deck in a given order; the seat that is drawn is the last one."""

    def __init__(self, deck: list[str]) -> None:
        super().__init__(b"", "")
        self.deck = deck

    def shuffled(self, items: object) -> tuple[str, ...]:  # type: ignore[override]  # this deck has only cards
        return tuple(self.deck)

    def below(self, n: int) -> int:
        return n - 1


def deals(seats: int, count: int = 200, game_type: str = "durak_podkidnoi") -> list[State]:
    return [GAME.setup(game_type, seats, Options(), Chance(i.to_bytes(2), "setup")) for i in range(count)]


def test_there_are_36_cards_from_six_to_ace() -> None:
    assert len(set(CARDS)) == 36
    assert {"6d", "10h", "Ks", "Ac"} <= set(CARDS)
    assert sorted((card for card in CARDS if SUIT[card] == "s"), key=RANK.__getitem__) == (
        ["6s", "7s", "8s", "9s", "10s", "Js", "Qs", "Ks", "As"]
    )


@pytest.mark.parametrize(
    ("card", "attack", "beaten"),
    [("8c", "6c", True), ("6c", "8c", False), ("6c", "6c", False), ("Ac", "6d", False), ("10c", "9c", True),
     ("6h", "Ac", True), ("Ac", "6h", False), ("7h", "6h", True), ("6h", "7h", False)],
)  # fmt: skip
def test_a_higher_card_of_the_suit_beats_and_so_does_any_trump_a_plain_card(
    card: str, attack: str, beaten: bool
) -> None:
    assert beats(card, attack, trump="h") is beaten


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_everyone_is_dealt_six_and_no_card_is_lost(seats: int) -> None:
    for state in deals(seats):
        assert [len(hand) for hand in state.hands] == [6] * seats
        assert len(state.deck) == 36 - 6 * seats
        assert everywhere(state) == sorted(CARDS)


def test_cards_are_dealt_one_at_a_time_and_the_last_of_the_deck_is_trump() -> None:
    deck = list(CARDS)
    state = dealt(3, partners=False, transfers=False, chance=Arranged(deck))
    assert state.hands[0] == tuple(deck[i] for i in (0, 3, 6, 9, 12, 15))
    assert state.hands[2] == tuple(deck[i] for i in (2, 5, 8, 11, 14, 17))
    assert state.deck == tuple(deck[18:])
    assert state.trump == "s"
    assert GAME.view(state, None)["trump_card"] == "As"


def test_with_six_players_the_last_card_dealt_is_trump_and_the_deck_is_empty() -> None:
    state = dealt(6, partners=False, transfers=False, chance=Arranged(list(CARDS)))
    assert state.hands[5][-1] == "As"
    assert state.trump == "s"
    assert GAME.view(state, None)["trump_card"] is None


@pytest.mark.parametrize("seats", [2, 3, 4, 5, 6])
def test_the_lowest_trump_attacks_first_and_is_shown_and_the_left_neighbour_defends(seats: int) -> None:
    for state in deals(seats):
        trumps = [card for hand in state.hands for card in hand if SUIT[card] == state.trump]
        if trumps:
            assert state.shown == min(trumps, key=RANK.__getitem__)
            assert state.shown in state.hands[state.attacker]
            assert {GAME.view(state, viewer)["shown"] for viewer in (None, Seat(0), Seat(1))} == {state.shown}
        assert state.defender == (state.attacker + 1) % seats
        assert GAME.to_act(state) == (state.attacker,)


def test_with_no_trump_dealt_the_first_attacker_is_drawn() -> None:
    """The last suit in this deck is spades, so none of the first twelve cards is a trump."""
    state = dealt(2, partners=False, transfers=False, chance=Arranged(list(CARDS)))
    assert state.shown is None
    assert state.attacker == 1, "the seat that chance drew"
    drawn = {state.attacker for state in deals(2, 1_000) if state.shown is None}
    assert drawn == {0, 1}


def test_pairs_sit_opposite_each_other() -> None:
    (state,) = deals(4, 1, "durak_podkidnoi_2x2")
    assert state.partners
    assert [state.opposed(Seat(0), Seat(other)) for other in (1, 2, 3)] == [True, False, True]
    assert not deals(4, 1, "durak_podkidnoi")[0].partners


def test_only_one_type_has_transfers() -> None:
    assert [deals(4, 1, t.game_type)[0].transfers for t in GAME.types] == [False, False, True]


def test_the_types_and_their_seats_and_bets() -> None:
    assert [(t.game_type, t.seats) for t in GAME.types] == [
        ("durak_podkidnoi", (2, 3, 4, 5, 6)),
        ("durak_podkidnoi_2x2", (4,)),
        ("durak_perevodnoi", (2, 3, 4, 5, 6)),
    ]
    assert {t.bets for t in GAME.types} == {(0, 100, 200, 500, 1000, 5000, 10000, 20000)}
