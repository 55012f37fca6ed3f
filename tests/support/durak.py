"""Durak for tests: positions drawn from words, and moves written as one would say them."""

import random
from collections.abc import Callable, Iterator
from typing import Any

from services.session.games.durak import GAME
from services.session.games.durak.cards import CARDS
from services.session.games.durak.moves import Attack, Defend, DurakEvent, DurakMove, Finish, Take, Transfer
from services.session.games.durak.state import CAP, FIRST_CAP, Pair, State
from shared.kernel import Chance, Decision, GameType, Options, Outcome, Refusal, Seat

ANN, BOB, CAT, DAN, EVE, FAY = map(Seat, range(6))
CHANCE = Chance(b"", "")
MOST_MOVES = 2_000  # games at random take some 130


def position(*hands: str, trump: str = "h", deck: str = "", table: str = "", **more: Any) -> State:
    """A position from words: hands such as `6c Kh`, and a table such as `6c/8c 6d`, where 8c has beaten 6c.

    Ann attacks Bob and it is not the first bout, unless told otherwise. Cards that are nowhere else have left the game.
    """
    pairs = tuple(Pair(*pair.split("/")) for pair in table.split())
    held = tuple(tuple(hand.split()) for hand in hands)
    drawn = tuple(deck.split())
    lying = {card for pair in pairs for card in (pair.attack, pair.defend)}
    seen = {*lying, *drawn, *(card for hand in held for card in hand)}
    attacker = more.pop("attacker", ANN)
    defender = more.pop("defender", Seat((attacker + 1) % len(hands)))
    bout = more.pop("bout", 2)
    held_at_the_start = len(held[defender]) + sum(pair.defend is not None for pair in pairs)
    limit = min(FIRST_CAP if bout == 1 else CAP, held_at_the_start)
    gone = tuple(card for card in CARDS if card not in seen)
    state = State(trump, drawn, held, attacker, defender, limit, bout=bout, table=pairs, gone=gone, **more)
    assert everywhere(state) == sorted(CARDS), "a card is in two places"
    return state


def everywhere(state: State) -> list[str]:
    """All cards of the game, wherever they are."""
    table = [card for pair in state.table for card in (pair.attack, pair.defend) if card]
    return sorted([*(card for hand in state.hands for card in hand), *table, *state.deck, *state.gone])


def a_move(words: str) -> DurakMove:
    """`attack 6c 6d`, `defend 6c 8c`, `transfer 6d`, `take` or `finish`."""
    kind, *cards = words.split()
    match kind:
        case "attack":
            return Attack(tuple(cards))
        case "defend":
            return Defend(*cards)
        case "transfer":
            return Transfer(*cards)
        case "take":
            return Take()
        case _:
            assert kind == "finish"
            return Finish()


def said(move: DurakMove) -> str:
    """The words for a move."""
    match move:
        case Attack(cards=cards):
            return " ".join(["attack", *cards])
        case Defend(attack_card=attack, defend_card=card):
            return f"defend {attack} {card}"
        case Transfer(card=card):
            return f"transfer {card}"
        case Take():
            return "take"
        case Finish():
            return "finish"


def decided(state: State, seat: Seat, words: str) -> Decision[DurakEvent]:
    decision = GAME.decide(state, seat, a_move(words), CHANCE)
    assert isinstance(decision, Decision), f"{words}: {decision}"
    return decision


def refused(state: State, seat: Seat, words: str) -> Refusal:
    refusal = GAME.decide(state, seat, a_move(words), CHANCE)
    assert isinstance(refusal, Refusal), f"{words} was accepted"
    return refusal


def folded(state: State, events: tuple[DurakEvent, ...]) -> State:
    for event in events:
        state = GAME.evolve(state, event)
    return state


def after(state: State, *moves: tuple[Seat, str]) -> State:
    """The position after some moves."""
    for seat, words in moves:
        state = folded(state, decided(state, seat, words).events)
    return state


def may(state: State, seat: Seat) -> list[str]:
    """All that a seat may do, in words."""
    return [said(move) for move in GAME.legal_moves(state, seat)]


def lying(state: State) -> str:
    """What is on the table, as `position` reads it."""
    return " ".join(pair.attack + (f"/{pair.defend}" if pair.defend else "") for pair in state.table)


def hand(state: State, seat: Seat) -> str:
    return " ".join(state.hands[seat])


Choose = Callable[[State, Seat], DurakMove]


def played(
    game_type: GameType, dice: random.Random, choose: Choose | None = None
) -> Iterator[tuple[State, Seat | None]]:
    """Every position of a game, with the seat that moves there; it moves at random unless it is told what to choose.

    The positions within a move and the last one have no such seat.
    """
    state = GAME.setup(game_type.game_type, dice.choice(game_type.seats), Options(), Chance(dice.randbytes(8), "setup"))
    for _ in range(MOST_MOVES):
        acting = GAME.to_act(state)
        if isinstance(acting, Outcome):
            yield state, None
            return
        seat = dice.choice(acting)
        yield state, seat
        move = choose(state, seat) if choose else dice.choice(GAME.legal_moves(state, seat))
        decision = GAME.decide(state, seat, move, CHANCE)
        assert isinstance(decision, Decision), f"{said(move)}: {decision}"
        for event in decision.events[:-1]:
            state = GAME.evolve(state, event)
            yield state, None
        state = GAME.evolve(state, decision.events[-1])
    raise AssertionError("the game never ends")
