"""A slow referee for Durak, written from the rule book alone: it is asked of one move at a time whether it is legal."""

from dataclasses import dataclass

ORDER = ["6", "7", "8", "9", "10", "J", "Q", "K", "A"]


@dataclass
class Table:
    """What lies where, in plain words; a pair is an attacking card and what beat it, or an empty word."""

    hands: list[list[str]]
    pairs: list[tuple[str, str]]
    attacker: int
    defender: int
    trump: str
    first_bout: bool
    taking: bool
    passed: set[int]
    out: set[int]
    in_pairs: bool
    transferable: bool


def rank(card: str) -> str:
    return card[:-1]


def suit(card: str) -> str:
    return card[-1]


def stronger(card: str, attack: str, trump: str) -> bool:
    if suit(card) == trump and suit(attack) != trump:
        return True
    return suit(card) == suit(attack) and ORDER.index(rank(card)) > ORDER.index(rank(attack))


def left_of(table: Table, seat: int) -> int:
    """The next seat that still plays."""
    seat = (seat + 1) % len(table.hands)
    while seat in table.out:
        seat = (seat + 1) % len(table.hands)
    return seat


def most(table: Table) -> int:
    """Each beaten pair has cost the defender one of the cards that it began with."""
    began_with = len(table.hands[table.defender])
    for _, answer in table.pairs:
        if answer:
            began_with += 1
    return min(began_with, 5 if table.first_bout else 6)


def is_legal(table: Table, seat: int, words: str) -> bool:
    kind, *cards = words.split()
    if seat in table.out:
        return False
    if kind == "attack":
        return may_attack(table, seat, cards)
    if kind == "finish":
        could_throw = any(may_attack(table, seat, [card]) for card in table.hands[seat])
        return bool(table.pairs) and could_throw
    if seat != table.defender or table.taking or all(answer for _, answer in table.pairs):
        return False  # only an attack that is open is answered, and only by the defender
    if kind == "take":
        return True
    if kind == "defend":
        attack, answer = cards
        return (attack, "") in table.pairs and answer in table.hands[seat] and stronger(answer, attack, table.trump)
    assert kind == "transfer"
    return may_transfer(table, seat, cards[0])


def may_attack(table: Table, seat: int, cards: list[str]) -> bool:
    if seat == table.defender or seat in table.passed:
        return False
    if table.in_pairs and abs(seat - table.defender) == 2:
        return False
    for card in cards:
        if card not in table.hands[seat] or cards.count(card) > 1 or rank(card) != rank(cards[0]):
            return False
    if len(table.pairs) + len(cards) > most(table):
        return False
    if not table.pairs:
        return seat == table.attacker
    lying = [card for pair in table.pairs for card in pair if card]
    return any(rank(card) == rank(cards[0]) for card in lying)


def may_transfer(table: Table, seat: int, card: str) -> bool:
    if not table.transferable or card not in table.hands[seat]:
        return False
    for attack, answer in table.pairs:
        if answer or rank(attack) != rank(card):
            return False
    return len(table.hands[left_of(table, seat)]) >= len(table.pairs) + 1
