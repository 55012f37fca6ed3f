"""What the tests of the lobby's pure parts share."""

from services.lobby.channels import Account, Ask, Channel, Who
from services.lobby.draft import Draft, Waits
from services.lobby.letters import Ticket
from services.lobby.seating import decide
from services.lobby.table import Made, Table, evolve
from shared.ids import UserId

WAITS = Waits(begin=10_000, revanche=30_000, sitdown=30_000, empty=30_000, abandon=60_000)


def somebody(name: str, channel: str | None = None) -> Who:
    return Who(UserId(name), name.title(), None, channel or f"channel of {name}")


ANN, BOB, CID, DAN = (somebody(name) for name in ("ann", "bob", "cid", "dan"))


def account_with(channel: Channel, ask: str | None = None) -> Account:
    asked = Ask(ask, "anything") if ask else None
    return Account({channel.id: Channel(channel.id, channel.tag, channel.version, channel.state, asked)})


def ticket(
    who: Who, *combos: tuple[str, int, int], since: int = 0, rating: float = 25.0, name: str | None = None
) -> Ticket:
    wanted = combos or (("xsos", 2, 0),)
    return Ticket(
        name or f"ticket of {who.channel}", who, since, wanted, {game_type: rating for game_type, *_ in wanted}
    )


class AtTable:
    """A table under test: commands go in, facts are folded, letters come out."""

    def __init__(self, seats: int = 2, room: str | None = "xsos") -> None:
        self.now = 1_000
        self.table: Table | None = None
        self.letters: list[tuple[str, object]] = []
        if room is not None:
            self.table = evolve(None, Made("t", room, "xsos", seats, 0, None, {}, UserId("owner")), self.now)

    def __call__(self, command: object) -> list[tuple[str, object]]:
        """Decide a command; answers the letters that it sent."""
        draft: Draft = decide("t", self.table, command, self.now, WAITS)  # type: ignore[arg-type]  # any command
        for fact in draft.facts:
            self.table = evolve(self.table, fact, self.now)
        self.letters += draft.letters
        return draft.letters
