"""The rules of Durak agree with a referee that was written independently of them, and no card is ever lost."""

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from services.session.games.durak import GAME
from services.session.games.durak.cards import CARDS
from services.session.games.durak.state import CAP, FIRST_CAP, Pair, State
from shared.kernel import Decision, GameType, Outcome, Seat
from tests.rules import durak_referee as referee
from tests.support.durak import CHANCE, a_move, everywhere, played, said

WHAT_MUST_OCCUR = {"attack", "attack 2", "defend", "take", "finish", "throw in on a take", "several act", "full table"}

by_type = pytest.mark.parametrize("game_type", GAME.types, ids=[t.game_type for t in GAME.types])


def seen_by_referee(state: State) -> referee.Table:
    return referee.Table(
        hands=[list(hand) for hand in state.hands],
        pairs=[(pair.attack, pair.defend or "") for pair in state.table],
        attacker=state.attacker,
        defender=state.defender,
        trump=state.trump,
        first_bout=state.bout == 1,
        taking=state.taking,
        passed={*state.passed},
        out={*state.out},
        in_pairs=state.partners,
        transferable=state.transfers,
    )


def strewn(game_type: GameType, dice: random.Random) -> State:
    """Cards strewn at random, few ranks at a time, in a bout that may never come about in play."""
    seats = dice.choice(game_type.seats)
    ranks = dice.sample(referee.ORDER, dice.randint(2, 9))
    deck = [card for card in dice.sample(CARDS, len(CARDS)) if card[:-1] in ranks]
    table = strewn_table(deck, dice)
    out = tuple(Seat(seat) for seat in range(seats) if seats > 2 and dice.random() < 0.15)
    playing = [Seat(seat) for seat in range(seats) if seat not in out]
    hands: list[tuple[str, ...]] = [()] * seats
    for seat in playing:
        hands[seat] = tuple(deck.pop() for _ in range(min(dice.randint(0 if table else 1, 8), len(deck))))
    attacker, defender = dice.sample(range(seats), 2)
    in_pairs = game_type.game_type == "durak_podkidnoi_2x2"
    partners = in_pairs and (attacker - defender) % 2 == 0
    if partners or {attacker, defender} & {*out} or (not table and not (hands[attacker] and hands[defender])):
        return strewn(game_type, dice)  # such a bout cannot begin
    bout = dice.choice([1, 2])
    cap = FIRST_CAP if bout == 1 else CAP
    began_with = len(hands[defender]) + sum(pair.defend is not None for pair in table)
    passed = tuple(seat for seat in playing if table and seat != defender and dice.random() < 0.2)
    return State(
        dice.choice("cdhs"), tuple(deck), tuple(hands), Seat(attacker), Seat(defender), min(cap, began_with),
        partners=in_pairs, transfers=game_type.game_type == "durak_perevodnoi", bout=bout,
        table=tuple(table), taking=bool(table) and dice.random() < 0.3, passed=passed, out=out,
    )  # fmt: skip


def strewn_table(deck: list[str], dice: random.Random) -> list[Pair]:
    """Some cards of the deck, beaten or not; while nothing is beaten all are of one rank."""
    if dice.random() < 0.4:
        equal = [card for card in deck if card[:-1] == deck[0][:-1]][: dice.randint(1, 4)]
        for card in equal:
            deck.remove(card)
        return [Pair(card) for card in equal]
    most = min(dice.randint(0, 6), len(deck) // 4)
    return [Pair(deck.pop(), deck.pop() if i == 0 or dice.random() < 0.5 else None) for i in range(most)]


def conceivable(state: State, seat: Seat, dice: random.Random) -> Iterator[str]:
    """All that the seat could ask for, with its own cards and a few that are not its own."""
    cards = [*state.hands[seat], *dice.sample(CARDS, 3)]
    yield from ("take", "finish")
    for card in cards:
        yield f"attack {card}"
        yield f"transfer {card}"
        for pair in state.table:
            yield f"defend {pair.attack} {card}"
    for one, other in combinations(cards, 2):
        if one[:-1] == other[:-1] or dice.random() < 0.1:
            yield f"attack {one} {other}"
    for rank in referee.ORDER:
        equal = [card for card in cards if card[:-1] == rank]
        for size in (3, 4):
            yield from ("attack " + " ".join(several) for several in combinations(equal, size))


def agreed(state: State, dice: random.Random) -> Counter[str]:
    """Compare every judgement on a position; tells what occurred."""
    table = seen_by_referee(state)
    acting = GAME.to_act(state)
    occurred: Counter[str] = Counter()
    if isinstance(acting, Outcome):
        return occurred
    occurred["several act"] += len(acting) > 1
    occurred["full table"] += bool(state.table) and state.room == 0
    for seat in map(Seat, state.seats):
        listed = [said(move) for move in GAME.legal_moves(state, seat)]
        asked = {spelt(words) for words in (*conceivable(state, seat, dice), *listed)}
        legal = {words for words in asked if referee.is_legal(table, seat, words)}
        accepted = {w for w in asked if isinstance(GAME.decide(state, seat, a_move(w), CHANCE), Decision)}
        assert accepted == legal, f"seat {seat} in {state}"
        assert sorted(map(spelt, listed)) == sorted(legal), f"seat {seat} in {state}"
        assert (seat in acting) == bool(legal), f"seat {seat} in {state}"
        for words in listed:
            occurred[words.split()[0]] += 1
            occurred["attack 2"] += len(words.split()) == 3 and words.startswith("attack")
            occurred["throw in on a take"] += state.taking and words.startswith("attack")
    return occurred


def spelt(words: str) -> str:
    """A move in one spelling: an attack is the same in whatever order its cards are named."""
    kind, *cards = words.split()
    return " ".join([kind, *(sorted(cards) if kind == "attack" else cards)])


def positions_agree(game_type: GameType, count: int) -> None:
    dice = random.Random(2026)
    occurred: Counter[str] = Counter()
    judged = 0
    while judged < count:
        course = [state for state, _ in played(game_type, dice)]
        for state in (*dice.sample(course, min(10, len(course))), *(strewn(game_type, dice) for _ in range(10))):
            occurred += agreed(state, dice)
            judged += 1
    must = WHAT_MUST_OCCUR | ({"transfer"} if game_type.game_type == "durak_perevodnoi" else set())
    assert must <= {*occurred}


def games_end(game_type: GameType, count: int) -> None:
    dice = random.Random(2027)
    everything = sorted(CARDS)
    for _ in range(count):
        for state, _ in played(game_type, dice):
            assert everywhere(state) == everything
            assert len(state.table) <= (FIRST_CAP if state.bout == 1 else CAP)
            assert sum(pair.defend is None for pair in state.table) <= len(state.hands[state.defender]) or state.taking
        assert isinstance(GAME.to_act(state), Outcome)


@by_type
def test_the_rules_agree_with_the_referee(game_type: GameType) -> None:
    positions_agree(game_type, 1_000)


@by_type
@pytest.mark.soak
def test_the_rules_agree_with_the_referee_on_twenty_thousand_positions(game_type: GameType) -> None:
    positions_agree(game_type, 20_000)


@by_type
def test_random_games_end_and_no_card_is_lost_at_any_step(game_type: GameType) -> None:
    games_end(game_type, 100)


@by_type
@pytest.mark.soak
def test_five_thousand_random_games_end_and_no_card_is_lost(game_type: GameType) -> None:
    games_end(game_type, 5_000)


@by_type
def test_the_automatic_steps_leave_nothing_undone(game_type: GameType) -> None:
    """After every move somebody has a choice to make: no defender without an answer, no bout that waits for nobody."""
    dice = random.Random(2028)
    for _ in range(30):
        for state, seat in played(game_type, dice):
            if seat is not None:
                acting = GAME.to_act(state)
                assert not isinstance(acting, Outcome)
                choices = [[said(move) for move in GAME.legal_moves(state, each)] for each in acting]
                assert all(words not in ([], ["take"], ["finish"]) for words in choices)
