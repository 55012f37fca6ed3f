"""What the lobby's own logs tell each other: a channel asks, what is contended decides, the channel follows."""

from typing import Any, TypeAlias

import msgspec

from services.lobby.channels import Situation, Wait, Who
from shared.ids import GameId, UserId

# -- to a user's log ----------------------------------------------------------------------------------------


class Step(msgspec.Struct, frozen=True, gc=False):
    event: str
    state: Situation


class Granted(msgspec.Struct, frozen=True, gc=False, tag="granted", omit_defaults=True):
    """What the channel asked for is done."""

    channel: str
    ask: str
    steps: tuple[Step, ...]
    reason: str | None = None


class Denied(msgspec.Struct, frozen=True, gc=False, tag="denied"):
    channel: str
    ask: str
    code: str


class Matched(msgspec.Struct, frozen=True, gc=False, tag="matched"):
    """A ticket has found its partners."""

    channel: str
    ticket: str
    state: Situation


class BeginNow(msgspec.Struct, frozen=True, gc=False, tag="begin_now"):
    """The time to say `begin` has run out."""

    channel: str
    table: str


class GameOn(msgspec.Struct, frozen=True, gc=False, tag="game_on"):
    """A match or a rematch has started."""

    channel: str
    state: Situation


class PlaceKept(msgspec.Struct, frozen=True, gc=False, tag="place_kept"):
    """A box was freed and is kept for the one who waited longest."""

    channel: str
    table: str
    box: int
    wait: Wait


class RematchOpen(msgspec.Struct, frozen=True, gc=False, tag="rematch_open"):
    """The game is over, and may be followed by another."""

    channel: str
    game: GameId
    wait: Wait


class NowPlayed(msgspec.Struct, frozen=True, gc=False, tag="now_played"):
    """The game of a watched table: its first one, or another."""

    channel: str
    table: str
    game: GameId


class Over(msgspec.Struct, frozen=True, gc=False, tag="over"):
    """There is nothing more to wait for at this table; `aborted` if a game was broken off or has no table."""

    channel: str
    table: str
    reason: str
    aborted: bool = False
    game: GameId | None = None


ToUser: TypeAlias = Granted | Denied | Matched | BeginNow | GameOn | PlaceKept | RematchOpen | NowPlayed | Over

# -- to a queue ---------------------------------------------------------------------------------------------


class Ticket(msgspec.Struct, frozen=True, gc=False):
    """A search: every combination of type, seats and bet that it accepts, and its rating in each type."""

    id: str
    who: Who
    since: int
    combos: tuple[tuple[str, int, int], ...]
    ratings: dict[str, float]
    currencies: dict[str, str] = {}


class Find(msgspec.Struct, frozen=True, gc=False, tag="find"):
    ticket: Ticket


class CancelFind(msgspec.Struct, frozen=True, gc=False, tag="cancel_find"):
    ticket: str
    who: Who
    ask: str


ToQueue: TypeAlias = Find | CancelFind

# -- to a table ---------------------------------------------------------------------------------------------


class MatchMade(msgspec.Struct, frozen=True, gc=False, tag="match_made"):
    """A queue has brought these together; the match is a table that is in no room."""

    game_type: str
    cash_bet: int
    currency: str | None
    players: tuple[Who, ...]
    tickets: tuple[str, ...]


class Reserve(msgspec.Struct, frozen=True, gc=False, tag="reserve"):
    who: Who
    ask: str
    box: int


class LineUp(msgspec.Struct, frozen=True, gc=False, tag="line_up"):
    who: Who
    ask: str


class SitDown(msgspec.Struct, frozen=True, gc=False, tag="sit_down"):
    who: Who
    ask: str


class Join(msgspec.Struct, frozen=True, gc=False, tag="join"):
    who: Who
    ask: str
    box: int | None


class Attach(msgspec.Struct, frozen=True, gc=False, tag="attach"):
    """A channel comes to a seat of a game that was made without the lobby."""

    who: Who
    ask: str
    game: GameId
    game_type: str
    box: int
    seats: int


class GiveUp(msgspec.Struct, frozen=True, gc=False, tag="give_up"):
    """`leave`: from a game that runs one can come back, anything else is given up."""

    who: Who
    ask: str


class Back(msgspec.Struct, frozen=True, gc=False, tag="back"):
    who: Who
    game: GameId


class Ready(msgspec.Struct, frozen=True, gc=False, tag="ready"):
    who: Who


class Agree(msgspec.Struct, frozen=True, gc=False, tag="agree"):
    who: Who
    game: GameId


class Decline(msgspec.Struct, frozen=True, gc=False, tag="decline"):
    who: Who
    ask: str
    game: GameId


class Watch(msgspec.Struct, frozen=True, gc=False, tag="watch"):
    """With `game`, one that was made without the lobby."""

    who: Who
    game: GameId | None = None
    game_type: str | None = None
    seats: int = 0


class Unwatch(msgspec.Struct, frozen=True, gc=False, tag="unwatch"):
    who: Who


class BetsDecided(msgspec.Struct, frozen=True, gc=False, tag="bets_decided"):
    """Every seat has paid, or nobody has because somebody cannot."""

    game: GameId
    taken: bool


ToTable: TypeAlias = (
    MatchMade
    | Reserve
    | LineUp
    | SitDown
    | Join
    | Attach
    | GiveUp
    | Back
    | Ready
    | Agree
    | Decline
    | Watch
    | Unwatch
    | BetsDecided
)

# -- to the bank --------------------------------------------------------------------------------------------


class TakeBets(msgspec.Struct, frozen=True, gc=False, tag="take_bets"):
    """A game waits for its bets; `players` are in the order of their boxes."""

    table: str
    game: GameId
    game_type: str
    currency: str
    bet: int
    players: tuple[UserId, ...]


class Settle(msgspec.Struct, frozen=True, gc=False, tag="settle"):
    """A game is over: its winners are paid, or without any the bets go back."""

    game: GameId
    currency: str
    winners: tuple[int, ...]


ToBank: TypeAlias = TakeBets | Settle

# -- to a chat ----------------------------------------------------------------------------------------------


class ChatJoin(msgspec.Struct, frozen=True, gc=False, tag="chat_join"):
    """`stay` is the number of the joining entry in the user's feed; `ts` is when that was written."""

    who: Who
    ts: int
    stay: int


class ChatLeave(msgspec.Struct, frozen=True, gc=False, tag="chat_leave"):
    who: Who
    ts: int


class ChatSay(msgspec.Struct, frozen=True, gc=False, tag="chat_say"):
    who: Who
    ts: int
    text: str


ToChat: TypeAlias = ChatJoin | ChatLeave | ChatSay

# -- to the list of rooms, and to SQL -------------------------------------------------------------------------


class TableChanged(msgspec.Struct, frozen=True, gc=False, tag="table_changed"):
    room: str
    table: str


class ChatKept(msgspec.Struct, frozen=True, gc=False, tag="chat_kept"):
    """An entry of a chat, for its history."""

    chat: str
    number: int
    event: str
    user: UserId
    nick: str
    avatar: str | None
    ts: int
    text: str | None = None


Body: TypeAlias = Any
Out: TypeAlias = tuple[str, Body]
"""A letter before it is sent: to whom, and what it says."""


def to_user(who: Who, body: ToUser) -> Out:
    return f"user:{who.user}", body
