"""A decision about a table in the making, and how places are kept. Pure."""

import msgspec

from services.lobby import letters as mail
from services.lobby.channels import Situation, Wait, Who
from services.lobby.letters import Granted, Out, Step, to_user
from services.lobby.table import NEVER, OutOfLine, Phase, Reserved, Table, TableFact, evolve
from shared import bridge
from shared.bridge import SESSION

BANK = "bank"


class Waits(msgspec.Struct, frozen=True):
    """Times that are the operator's to set, in ms."""

    begin: int
    revanche: int
    sitdown: int
    empty: int
    abandon: int


class Draft:
    """A decision in the making: every fact is seen by what is decided after it."""

    def __init__(self, table_id: str, table: Table | None, now: int, waits: Waits) -> None:
        self.id = table_id
        self._before = table
        self._table = table
        self.now = now
        self.waits = waits
        self.facts: list[TableFact] = []
        self.letters: list[Out] = []

    @property
    def table(self) -> Table:
        assert self._table is not None, "only a table that is there can be sat at"
        return self._table

    def do(self, fact: TableFact) -> None:
        self._table = evolve(self._table, fact, self.now)
        self.facts.append(fact)

    def tell(self, who: Who, body: mail.ToUser) -> None:
        self.letters.append(to_user(who, body))

    def order(self, body: bridge.Order) -> None:
        self.letters.append((SESSION, body))

    def ask_bank(self, body: mail.ToBank) -> None:
        self.letters.append((BANK, body))

    def grant(self, who: Who, ask: str, *steps: Step, reason: str | None = None) -> None:
        self.tell(who, Granted(who.channel, ask, steps, reason))

    def deny(self, who: Who, ask: str, code: str) -> None:
        self.tell(who, mail.Denied(who.channel, ask, code))

    def finish(self) -> None:
        """A table in a room tells the room what has changed."""
        room = self._table.room if self._table else None
        if room and self._table and (self._before is None or summary(self._before) != summary(self._table)):
            self.letters.append((f"room:{room}", mail.TableChanged(room, self.id)))


def summary(table: Table) -> dict[str, object]:
    """A table as lists of tables show it."""
    shown: dict[str, object] = {
        "id": table.id,
        "room": table.room,
        "game_type": table.game_type,
        "created": table.created,
        "players": sum(box.taken for box in table.boxes),
        "watchers": len(table.watchers),
        "bet": table.cash_bet,
        "boxes": [
            {"box": i, "user": box.who.user if box.who else None, "state": box.word}
            for i, box in enumerate(table.boxes)
        ],
        "closed": table.phase is Phase.CLOSED,
    }
    return {**shown, "currency": table.currency} if table.currency else shown


def deadline(table: Table, waits: Waits) -> int:
    """When the table must be looked at again, 0 for never."""
    if table.phase is Phase.CLOSED:
        return 0
    times = [box.wait.until for box in table.boxes if box.wait]
    if table.wait is not None:
        times.append(table.wait.until)
    if table.empty_since is not None and table.room:
        times.append(table.empty_since + waits.empty)
    if table.deserted_since not in (None, NEVER):
        assert table.deserted_since is not None
        times.append(table.deserted_since + waits.abandon)
    return min(times, default=0)


def keep_place(draft: Draft, box: int, who: Who) -> Situation:
    wait = Wait(draft.now, draft.now + draft.waits.sitdown)
    draft.do(Reserved(box, who, wait))
    return Situation(table=draft.id, box=box, wait=wait)


def serve_line(draft: Draft) -> None:
    """Free boxes are kept for those who have waited longest."""
    while draft.table.phase is Phase.OPEN and draft.table.line and (box := draft.table.free_box()) is not None:
        who = draft.table.line[0]
        draft.do(OutOfLine(who.channel))
        place = keep_place(draft, box, who)
        assert place.wait is not None, "a reservation has a deadline"
        draft.tell(who, mail.PlaceKept(who.channel, draft.id, box, place.wait))
