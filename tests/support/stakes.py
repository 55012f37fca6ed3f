"""Players who play for something."""

import random
from collections.abc import Sequence

from tests.support.client import Json, Player
from tests.support.lobby import Seat, begin, search
from tests.support.sse import Events
from tests.support.waiting import eventually

GRANTED = 10_000
MOST_LOOKS = 10_000


async def balance(player: Player) -> int:
    response = await player.get("/lobby/me/wallets")
    assert response.status_code == 200, response.text
    [fun] = response.json()["wallets"]
    assert fun["currency"] == "FUN"
    return int(fun["balance"])


async def entries(player: Player) -> list[Json]:
    """The movements of a wallet, the newest first, checked to add up."""
    response = await player.get("/lobby/me/wallets/FUN/entries")
    assert response.status_code == 200, response.text
    found: list[Json] = response.json()["entries"]
    total = 0
    for entry in reversed(found):
        total += entry["change"]
        assert entry["balance"] == total >= 0
    return found


async def changes(player: Player, count: int) -> list[tuple[str, int]]:
    """The first movements of a wallet, the oldest first, once there are so many."""
    found = await eventually(lambda: entries(player), lambda them: len(them) >= count)
    return [(entry["reason"], entry["change"]) for entry in reversed(found)]


async def movements(events: Events, count: int) -> list[tuple[str, int, int]]:
    """The next movements that a feed tells of."""
    told = [await events.next("wallet") for _ in range(count)]
    assert all(event.data["currency"] == "FUN" for event in told)
    return [(event.data["reason"], event.data["change"], event.data["balance"]) for event in told]


async def matched(players: Sequence[Player], queue: str, bet: int, game_type: str = "xsos") -> tuple[list[Seat], str]:
    """All search for the same, and the game begins."""
    seats = [await Seat.open(player) for player in players]
    for seat in seats:
        await seat.do("find", search(queue, game_type, len(players), cash_bet=bet))
    for seat in seats:
        await seat.until("begin")
    return seats, await begin(*seats)


async def play_to_the_end(players: Sequence[Player], game: str, seed: int) -> list[int]:
    """Somebody looks and makes a move at random, if any is offered, until it is over; answers the winners' boxes."""
    dice = random.Random(seed)
    for _ in range(MOST_LOOKS):
        player = dice.choice(players)
        view = await player.view(game)
        if view["status"] != "active":
            return list(view["result"]["winners"])
        if moves := view.get("legal_moves"):
            answer = await player.move(game, dice.choice(moves))
            assert answer.status_code == 200, answer.text
    raise AssertionError("the game never ends")
