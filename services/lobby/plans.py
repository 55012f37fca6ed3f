"""What each channel command comes to: a transition with its letters, or a letter that asks the log which decides."""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from services.lobby import letters as mail
from services.lobby.bodies import (
    FindBody,
    JoinBody,
    PlaceBody,
    RoomBody,
    TableBody,
    TextBody,
    WatchBody,
    numbers,
)
from services.lobby.catalogue import Catalogue, checked_bet, checked_seats, currency
from services.lobby.channels import FREE, Channel, Criterion, Situation, Who
from services.lobby.kinds import Kinds
from services.lobby.letters import Out, Ticket
from services.lobby.logs import Logs
from services.lobby.peers import SessionPeer
from services.lobby.queues import Queues
from services.lobby.ratings import NEWCOMER, Ratings
from services.lobby.rooms import Rooms
from services.lobby.table import Phase, Table, table_of
from services.lobby.wallets import Wallets
from shared.auth import Caller
from shared.ids import GameId, derived_id, is_id, new_id
from shared.problems import Problem, invalid

_change = msgspec.structs.replace
_MOST_COMBOS = 256


class Plan(msgspec.Struct, frozen=True):
    """A transition if it has an event, words if it says something, else an ask."""

    event: str | None = None
    state: Situation = FREE
    letters: Callable[[int, int], Sequence[Out]] = lambda number, now: ()
    """From the number that the entry gets in the user's feed, and the time."""
    asking: Callable[[str], Sequence[Out]] = lambda ask: ()
    says: str | None = None


class Wishes(msgspec.Struct, frozen=True):
    """A search whose every wish is in the catalogue."""

    queue: str
    criteria: tuple[Criterion, ...]
    currencies: dict[str, str]

    @property
    def combos(self) -> tuple[tuple[str, int, int], ...]:
        found = [(c.game_type, seats, bet) for c in self.criteria for seats in c.num_seats for bet in c.cash_bet]
        return tuple(dict.fromkeys(found))


class Planner:
    def __init__(
        self,
        logs: Logs,
        kinds: Kinds,
        rooms: Rooms,
        catalogue: Catalogue,
        ratings: Ratings,
        wallets: Wallets,
        peer: SessionPeer,
        queues: Queues,
        polished: Callable[[str], str],
    ) -> None:
        self._logs = logs
        self._kinds = kinds
        self._rooms = rooms
        self._catalogue = catalogue
        self._ratings = ratings
        self._wallets = wallets
        self._peer = peer
        self._queues = queues
        self._polished = polished

    async def wishes(self, body: FindBody) -> Wishes:
        """Raises the 422 problem for what cannot be played."""
        criteria, currencies = [], {}
        for wish in body.criteria:
            kind = await self._catalogue.type(wish.game_type)
            seats = tuple(checked_seats(kind, each) for each in numbers(wish.num_seats, "num_seats"))
            bets = tuple(checked_bet(kind, each) for each in numbers(wish.cash_bet, "cash_bet"))
            criteria.append(Criterion(kind["game_type"], seats, bets))
            currencies[kind["game_type"]] = currency(kind)
        wishes = Wishes(body.queue, tuple(criteria), currencies)
        if len(wishes.combos) > _MOST_COMBOS:
            raise invalid("criteria: too many combinations.")
        return wishes

    async def plan(self, caller: Caller, channel: Channel, name: str, body: Any, credentials: dict[str, str]) -> Plan:
        """Raises 404 for a table, room or game that is not there, then other refusals."""
        who = Who(caller.user, caller.nick, caller.avatar, channel.id)
        if body is None:
            return _PLAIN[name](who, channel.state)
        match body:
            case Wishes():
                return await self._find(who, body)
            case TextBody(text=text):
                return await self._say(who, channel.state, text)
            case RoomBody(room=room):
                return await self._enter(who, name, room)
            case PlaceBody(table=table_id, box=box):
                table = await self._table(table_id)
                checked_box(table, box)
                await self._check_funds(who, table)
                return _asks(f"table:{table_id}", lambda ask: mail.Reserve(who, ask, box))
            case TableBody(table=table_id):
                await self._check_funds(who, await self._table(table_id))
                return _asks(f"table:{table_id}", lambda ask: mail.LineUp(who, ask))
            case JoinBody(table=str() as table_id, box=wanted):
                table = await self._table(table_id)
                checked_box(table, wanted)
                await self._check_funds(who, table)
                return _asks(f"table:{table_id}", lambda ask: mail.Join(who, ask, wanted))
            case JoinBody(game=str() as game):
                return await self._join_game(who, GameId(game), credentials)
            case WatchBody(table=str() as table_id):
                table = await self._table(table_id)
                return _watches(who, table_id, table.confirmed, table.game_type, mail.Watch(who), table.currency)
            case WatchBody(game=str() as game):
                return await self._watch_game(who, GameId(game), credentials)
        raise AssertionError(f"no plan for {name}")

    async def _table(self, table_id: str) -> Table:
        table = await self._rooms.table(table_id)
        if table is None or table.phase is Phase.CLOSED or table.room is None:
            raise Problem("not_found", "There is no such table.")
        return table

    async def _find(self, who: Who, wishes: Wishes) -> Plan:
        await self._check_wishes(who, wishes)
        skills = await self._ratings.lately(who.user)
        ratings = {each.game_type: skills.get(each.game_type, NEWCOMER).mu for each in wishes.criteria}
        ticket_id = new_id()
        self._queues.expect(wishes.queue, ticket_id)
        state = Situation(queue=wishes.queue, criteria=wishes.criteria, ticket=ticket_id)

        def letters(number: int, now: int) -> list[Out]:
            ticket = Ticket(ticket_id, who, now, wishes.combos, ratings, wishes.currencies)
            return [(f"queue:{wishes.queue}", mail.Find(ticket))]

        return Plan("E2", state, letters)

    async def _check_wishes(self, who: Who, wishes: Wishes) -> None:
        """Raises the 409 problem for somebody who cannot pay the lowest bet asked for."""
        lowest: dict[str, int] = {}
        for game_type, _, bet in wishes.combos:
            named = wishes.currencies[game_type]
            lowest[named] = min(bet, lowest.get(named, bet))
        for named, bet in lowest.items():
            if not bet or await self._wallets.balance(who.user, named) >= bet:
                return
        raise Problem("insufficient_funds")

    async def _check_funds(self, who: Who, table: Table | None) -> None:
        """Raises the 409 problem for somebody who cannot pay a table's bet, and has not sat down there yet."""
        if table is None or table.currency is None or table.has(who.user):
            return
        if await self._wallets.balance(who.user, table.currency) < table.cash_bet:
            raise Problem("insufficient_funds")

    async def _enter(self, who: Who, name: str, room: str) -> Plan:
        if name == "subscribe":
            await self._known_room(room)
            return Plan("E15", Situation(room=room))
        if await self._rooms.title(room) is None:
            await self._table_or_match(room)
        return Plan("E1", Situation(room=room), lambda number, now: [(f"chat:{room}", mail.ChatJoin(who, now, number))])

    async def _known_room(self, room: str) -> None:
        if await self._rooms.title(room) is None:
            raise Problem("not_found", "There is no such room.")

    async def _table_or_match(self, table_id: str) -> None:
        """A match has a chat as well."""
        table = await self._rooms.table(table_id)
        if table is None or (table.phase is Phase.CLOSED and table.room is not None):
            raise Problem("not_found", "There is no such room.")

    async def _say(self, who: Who, state: Situation, text: str) -> Plan:
        assert state.room is not None, "a channel in a chat names it"
        room = state.room
        chat = await self._logs.current(self._kinds.chat, room)
        if chat is not None and chat.is_muted(who.user, self._logs.clock()):
            raise Problem("forbidden", "You have been muted here.")
        said = self._polished(text)
        return Plan(says=said, letters=lambda number, now: [(f"chat:{room}", mail.ChatSay(who, now, said))])

    async def _join_game(self, who: Who, game: GameId, credentials: dict[str, str]) -> Plan:
        view = await self._view(game, credentials)
        if table_id := view.get("table"):
            await self._check_funds(who, await self._rooms.table(table_id))
            return _asks(f"table:{table_id}", lambda ask: mail.Join(who, ask, None))
        if view["status"] not in ("waiting", "active"):
            raise Problem("wrong_state", "The game is over.")
        seat = view["self"]
        key = derived_id("join", who.channel, game)
        box = seat["box"] if seat else await self._peer.join(game, credentials, key)
        seats = max((await self._catalogue.type(view["game_type"]))["seats"])
        return _asks(
            f"table:{table_of(game)}",
            lambda ask: mail.Attach(who, ask, game, view["game_type"], box, seats),
        )

    async def _watch_game(self, who: Who, game: GameId, credentials: dict[str, str]) -> Plan:
        view = await self._view(game, credentials)
        game_type = view["game_type"]
        if table_id := view.get("table"):
            table = await self._rooms.table(table_id)
            return _watches(who, table_id, game, game_type, mail.Watch(who), table.currency if table else None)
        seats = max((await self._catalogue.type(game_type))["seats"])
        return _watches(who, table_of(game), game, game_type, mail.Watch(who, game, game_type, seats))

    async def _view(self, game: str, credentials: dict[str, str]) -> dict[str, Any]:
        view = await self._peer.view(game, credentials) if is_id(game) else None
        if view is None:
            raise Problem("not_found", "There is no such game.")
        return view


def checked_box(table: Table, box: int | None) -> None:
    if box is not None and not 0 <= box < len(table.boxes):
        raise invalid("There is no such box at this table.")


def _asks(to: str, letter: Callable[[str], Any]) -> Plan:
    return Plan(asking=lambda ask: [(to, letter(ask))])


def _moves(event: str, state: Situation, to: str, letter: Any) -> Plan:
    return Plan(event, state, lambda number, now: [(to, letter)])


def _watches(
    who: Who, table_id: str, game: GameId | None, game_type: str, letter: mail.Watch, currency: str | None = None
) -> Plan:
    state = Situation(table=table_id, game=game, game_type=game_type, currency=currency)
    return _moves("E17", state, f"table:{table_id}", letter)


def _at(state: Situation) -> str:
    return f"table:{state.table}"


def _game(state: Situation) -> GameId:
    assert state.game is not None, "a channel at a game names it"
    return GameId(state.game)


_PLAIN: dict[str, Callable[[Who, Situation], Plan]] = {
    "findcancel": lambda who, s: _asks(f"queue:{s.queue}", lambda ask: mail.CancelFind(s.ticket or "", who, ask)),
    "begin": lambda who, s: _moves("E4", s, _at(s), mail.Ready(who)),
    "revanche": lambda who, s: _moves("E8", _change(s, wait=None), _at(s), mail.Agree(who, _game(s))),
    "cancelrevanche": lambda who, s: _asks(_at(s), lambda ask: mail.Decline(who, ask, _game(s))),
    "leave": lambda who, s: _asks(_at(s), lambda ask: mail.GiveUp(who, ask)),
    "return": lambda who, s: _moves("E25", s, _at(s), mail.Back(who, _game(s))),
    "unwatch": lambda who, s: _moves("E18", FREE, _at(s), mail.Unwatch(who)),
    "unsubscribe": lambda who, s: Plan("E16"),
    "sitdown": lambda who, s: _asks(_at(s), lambda ask: mail.SitDown(who, ask)),
    "chatleave": lambda who, s: Plan("E13", FREE, lambda _, now: [(f"chat:{s.room}", mail.ChatLeave(who, now))]),
}
"""The commands without a body."""
