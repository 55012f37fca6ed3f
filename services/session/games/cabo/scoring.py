"""What a finished round is worth."""

from shared.kernel import Seat

STOPPED_IN_VAIN = 5
HALVED = {66: 33}  # a total that is hit exactly, whatever the limit of the game


def scores(hands: tuple[tuple[int, ...], ...], stopper: Seat | None) -> tuple[int, ...]:
    """Each seat's points for its cards; the lowest sum is worth nothing, unless the stopper has to share it."""
    sums = [sum(hand) for hand in hands]
    lowest = min(sums)
    in_vain = stopper is not None and (sums[stopper] > lowest or sums.count(lowest) > 1)

    def score(seat: int) -> int:
        if in_vain and seat == stopper:
            return sums[seat] + STOPPED_IN_VAIN
        return 0 if sums[seat] == lowest else sums[seat]

    return tuple(score(seat) for seat in range(len(hands)))


def totals(before: tuple[int, ...], gained: tuple[int, ...]) -> tuple[int, ...]:
    sums = [total + score for total, score in zip(before, gained, strict=True)]
    return tuple(HALVED.get(total, total) for total in sums)
