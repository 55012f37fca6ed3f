"""Who is brought together by a queue."""

from services.lobby.letters import Ticket
from services.lobby.matching import Match, Tickets, match_for, match_with, why_not, window
from tests.lobby.support import ANN, BOB, CID, DAN, somebody, ticket

XSOS = ("xsos", 2, 0)
FOUR = ("tsuro", 4, 100)


def waiting(*tickets: Ticket) -> Tickets:
    queue = Tickets()
    for each in tickets:
        queue.add(each)
    return queue


def names(match: Match | None) -> list[str]:
    return [each.who.nick for each in match.tickets] if match else []


def test_two_who_want_the_same_are_matched() -> None:
    new = ticket(BOB, since=5)
    queue = waiting(ticket(ANN), new)
    assert names(match_with(queue, new, now=5)) == ["Ann", "Bob"]


def test_any_common_combination_will_do() -> None:
    new = ticket(BOB, ("go", 2, 0), ("xsos", 2, 100))
    queue = waiting(ticket(ANN, ("xsos", 2, 0), ("xsos", 2, 100)), new)
    found = match_with(queue, new, now=0)
    assert found is not None
    assert found.combo == ("xsos", 2, 100)


def test_other_seats_and_other_bets_do_not_match() -> None:
    new = ticket(BOB, ("tsuro", 3, 0), ("tsuro", 2, 100))
    assert match_with(waiting(ticket(ANN, ("tsuro", 2, 0)), new), new, now=0) is None


def test_a_user_never_matches_itself() -> None:
    again = ticket(somebody("ann", "another channel"))
    queue = waiting(ticket(ANN), again)
    assert match_with(queue, again, now=60_000) is None
    assert why_not(queue, again, now=60_000) == "nobody_else"


def test_four_are_matched_once_the_fourth_has_come() -> None:
    three = [ticket(who, FOUR, since=i) for i, who in enumerate((ANN, BOB, CID))]
    fourth = ticket(DAN, FOUR, since=3)
    assert match_with(waiting(*three), three[-1], now=3) is None
    assert names(match_with(waiting(*three, fourth), fourth, now=3)) == ["Ann", "Bob", "Cid", "Dan"]


def test_the_oldest_ticket_is_served_first() -> None:
    new = ticket(CID, ("go", 2, 0), XSOS, since=9_000)
    queue = waiting(ticket(BOB, ("go", 2, 0), since=500), ticket(ANN, XSOS, since=0, rating=33), new)
    assert names(match_with(queue, new, now=9_000)) == ["Ann", "Cid"], "although Bob is closer"


def test_its_partners_are_the_closest_in_rating() -> None:
    old = ticket(ANN, rating=20)
    queue = waiting(old, ticket(BOB, since=1, rating=28), ticket(CID, since=2, rating=23))
    assert names(match_for(queue, old, now=20_000)) == ["Ann", "Cid"]


def test_ratings_far_apart_wait_until_the_window_has_widened() -> None:
    old, new = ticket(ANN, since=0, rating=20), ticket(BOB, since=100, rating=27)
    queue = waiting(old, new)
    assert match_with(queue, new, now=100) is None
    assert why_not(queue, old, now=100) == "ratings_too_far_apart"
    assert names(match_for(queue, old, now=7_900)) == ["Ann", "Bob"]


def test_a_newcomer_between_two_who_are_too_far_apart_brings_them_together() -> None:
    three = ("tsuro", 3, 0)
    new = ticket(CID, three, since=2, rating=22)
    queue = waiting(ticket(ANN, three, rating=20), ticket(BOB, three, since=1, rating=24), new)
    assert names(match_with(queue, new, now=2)) == ["Cid", "Ann", "Bob"]


def test_after_ten_seconds_the_window_is_unlimited() -> None:
    assert window(9_999) < 100
    old = ticket(ANN, since=0, rating=0)
    new = ticket(BOB, since=10_000, rating=1_000)
    assert names(match_with(waiting(old, new), new, now=10_000)) == ["Ann", "Bob"]


def test_only_tickets_whose_window_has_widened_are_looked_at() -> None:
    queue = waiting(ticket(ANN, since=0), ticket(BOB, ("go", 2, 0), since=1_500))
    assert [each.who.nick for each in queue.widened(0, 1_999)] == []
    assert [each.who.nick for each in queue.widened(1_999, 2_000)] == ["Ann"]
    assert queue.widens_next(2_000) == 3_500
    assert [each.who.nick for each in queue.widened(0, 20_000)] == ["Ann", "Bob"]
    assert queue.widens_next(11_500) is None


def test_removing_undoes_adding() -> None:
    queue = waiting(ticket(ANN, XSOS, FOUR), ticket(BOB, XSOS))
    queue.remove(ticket(ANN).id)
    queue.remove(ticket(BOB).id)
    assert queue.waiting() == {}
    assert queue.by_id == {}
    assert queue.widens_next(0) is None


def test_too_few_players_is_a_reason() -> None:
    queue = waiting(ticket(ANN, FOUR), ticket(BOB, FOUR))
    assert why_not(queue, ticket(ANN, FOUR), now=0) == "too_few_players"
