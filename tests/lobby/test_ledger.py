"""Who gets what: the rules of the pot."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.lobby.ledger import Line, Reason, Stake, Transaction, bets, divided, grant, house, settlement, wallet
from shared.ids import GameId, UserId

ANN, BOB, CID = (UserId(name) for name in ("ann", "bob", "cid"))
GAME = GameId("g")


def stake(*players: UserId, bet: int = 100, rake: int = 5) -> Stake:
    return Stake(GAME, "FUN", bet, players, rake)


def changes(transaction: Transaction) -> dict[str, int]:
    return {line.account.id: line.change for line in transaction.lines}


def test_every_seat_pays_the_bet_into_the_escrow_of_the_game() -> None:
    assert changes(bets(stake(ANN, BOB))) == {"user:ann:FUN": -100, "user:bob:FUN": -100, "escrow:g:FUN": 200}


def test_the_winner_gets_the_pot_less_the_rake() -> None:
    paid = settlement(stake(ANN, BOB), [1])
    assert paid.reason is Reason.WIN
    assert changes(paid) == {"escrow:g:FUN": -200, "user:bob:FUN": 190, "house::FUN": 10}


def test_winners_share_and_what_does_not_divide_goes_to_the_first_of_them_by_box() -> None:
    paid = changes(settlement(stake(ANN, BOB, CID, bet=101, rake=0), [2, 0]))
    assert paid == {"escrow:g:FUN": -303, "user:ann:FUN": 152, "user:cid:FUN": 151}


def test_the_rake_is_rounded_down() -> None:
    assert divided(pot=199, rake=5, winners=1) == ([190], 9)


def test_without_winners_everyone_gets_the_bet_back() -> None:
    paid = settlement(stake(ANN, BOB), [])
    assert paid.reason is Reason.REFUND
    assert changes(paid) == {"escrow:g:FUN": -200, "user:ann:FUN": 100, "user:bob:FUN": 100}


def test_what_a_newcomer_gets_comes_from_the_mint() -> None:
    assert changes(grant(ANN, 10)) == {"mint::FUN": -10, "user:ann:FUN": 10}


def test_nothing_out_of_balance_can_be_written() -> None:
    with pytest.raises(ValueError, match="out of balance"):
        Transaction("x", Reason.WIN, "FUN", (Line(wallet(ANN, "FUN"), 2), Line(house("FUN"), -1)))


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])  # the machine may be busy
@given(pot=st.integers(1, 10**9), rake=st.integers(0, 100), winners=st.integers(1, 8))
def test_a_pot_is_divided_to_the_last_coin(pot: int, rake: int, winners: int) -> None:
    shares, kept = divided(pot, rake, winners)
    assert sum(shares) + kept == pot
    assert kept * 100 <= pot * rake < (kept + 1) * 100
    assert max(shares) - min(shares) <= 1
    assert shares == sorted(shares, reverse=True)
    assert min(shares) >= 0
