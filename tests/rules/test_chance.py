"""Dice that others can throw again: the documented construction, checked against a second writing of it."""

import hashlib
from collections import Counter

from shared.kernel import Chance

SEED = bytes(range(32))


def numbers(seed: bytes, label: str, count: int) -> list[int]:
    """The stream of 8-byte numbers, as the documentation says."""
    stream = b"".join(hashlib.sha256(seed + f"{label}:{i}".encode()).digest() for i in range(count // 4 + 1))
    return [int.from_bytes(stream[8 * i : 8 * i + 8], "big") for i in range(count)]


def test_numbers_follow_from_the_seed_as_documented() -> None:
    chance = Chance(SEED, "setup")
    assert [chance.below(10) for _ in range(40)] == [n % 10 for n in numbers(SEED, "setup", 40)]


def test_a_shuffle_follows_from_the_seed_as_documented() -> None:
    deck = list(range(52))
    for i, n in zip(range(51, 0, -1), numbers(SEED, "deal", 51), strict=True):
        j = n % (i + 1)
        deck[i], deck[j] = deck[j], deck[i]
    assert Chance(SEED, "deal").shuffled(range(52)) == tuple(deck)


def test_a_shuffle_keeps_every_card() -> None:
    assert sorted(Chance(SEED, "x").shuffled(range(36))) == list(range(36))


def test_different_labels_and_seeds_give_different_dice() -> None:
    throws = {tuple(Chance(s, label).shuffled(range(20))) for s in (SEED, b"other") for label in ("a", "b")}
    assert len(throws) == 4


def test_dice_are_fair_enough_to_play_with() -> None:
    chance = Chance(SEED, "fair")
    counts = Counter(chance.below(6) for _ in range(6_000))
    assert all(850 < counts[face] < 1150 for face in range(6))
