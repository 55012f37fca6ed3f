"""A user's channels, folded from the facts of the user's log: its entries are the user's feed. Pure."""

from typing import TypeAlias, assert_never

import msgspec

from services.lobby import machine
from services.lobby.machine import Value
from shared.ids import UserId

_change = msgspec.structs.replace

MOST_CHANNELS = 16
CHAT_BURST, CHAT_BURST_MS = 10, 10_000  # so many messages in so long, over all of a user's channels


class Criterion(msgspec.Struct, frozen=True, gc=False):
    """One way to play that a ticket asks for, in any of these numbers of seats and bets."""

    game_type: str
    num_seats: tuple[int, ...]
    cash_bet: tuple[int, ...]


class Wait(msgspec.Struct, frozen=True, gc=False):
    """Something is waited for, from a time to a time, in ms."""

    since: int
    until: int


class Situation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a channel is used for, with what that state needs of the following."""

    value: Value = Value.FREE
    room: str | None = None  # subscribed, chat
    queue: str | None = None  # find
    criteria: tuple[Criterion, ...] = ()  # find
    ticket: str | None = None  # find
    table: str | None = None  # a table's id, or the match's: begin to okrevanche, watch, taketurn, takeplace
    game: str | None = None
    game_type: str | None = None
    num_seats: int | None = None
    cash_bet: int = 0
    currency: str | None = None
    box: int | None = None
    wait: Wait | None = None  # begin, okbegin, revanche, takeplace


FREE = Situation()


class Key(msgspec.Struct, frozen=True, gc=False):
    """The idempotency of the command that asked."""

    name: str
    fingerprint: str


class Ask(msgspec.Struct, frozen=True, gc=False):
    """A command that another log decides; until it has, nothing else is decided on the channel."""

    id: str
    command: str
    key: Key | None = None


class Channel(msgspec.Struct, frozen=True, gc=False):
    id: str
    tag: str
    version: int
    state: Situation = FREE
    asked: Ask | None = None
    stay: int = 0  # the number in the feed of the entry that led to the present state


class Purse(msgspec.Struct, frozen=True, gc=False):
    """A wallet as far as its user has been told: the number of the last movement, and the balance after it."""

    number: int
    balance: int


class Account(msgspec.Struct, frozen=True, gc=False):
    """All of a user's channels; `handled` is the last letter of each partition that was taken in."""

    channels: dict[str, Channel] = {}
    said: tuple[int, ...] = ()  # when the latest chat messages were sent
    number: int = 0  # of the latest entry
    handled: dict[str, str] = {}
    purses: dict[str, Purse] = {}  # by currency


NOBODY = Account()


class Opened(msgspec.Struct, frozen=True, gc=False, tag="opened"):
    channel: str
    tag: str


class Closed(msgspec.Struct, frozen=True, gc=False, tag="closed"):
    channel: str
    version: int


class Moved(msgspec.Struct, frozen=True, gc=False, tag="moved", omit_defaults=True):
    """A transition; `ask` is the command that it answers, `reason` why the server freed the channel."""

    channel: str
    version: int  # of the channel, after it
    event: str
    state: Situation
    ask: str | None = None
    reason: str | None = None


class Shown(msgspec.Struct, frozen=True, gc=False, tag="shown"):
    """The table that a channel watches has another game; that is no transition."""

    channel: str
    version: int
    state: Situation


class Asked(msgspec.Struct, frozen=True, gc=False, tag="asked"):
    channel: str
    ask: Ask


class Refused(msgspec.Struct, frozen=True, gc=False, tag="refused"):
    """Another log has said no."""

    channel: str
    ask: str
    code: str


class Said(msgspec.Struct, frozen=True, gc=False, tag="said"):
    channel: str


class WalletMoved(msgspec.Struct, frozen=True, gc=False, tag="wallet_moved"):
    """A movement of the user's wallet; the wallet counts them."""

    currency: str
    movement: int
    change: int
    balance: int
    reason: str


UserFact: TypeAlias = Opened | Closed | Moved | Shown | Asked | Refused | Said | WalletMoved


def evolve(account: Account | None, fact: UserFact, at: int) -> Account:
    account = account or NOBODY
    account = _change(account, number=account.number + 1)
    match fact:
        case Opened(channel=channel_id, tag=tag):
            return _with(account, Channel(channel_id, tag, version=1, stay=account.number))
        case Closed(channel=channel_id):
            return _change(account, channels={k: v for k, v in account.channels.items() if k != channel_id})
        case Moved(channel=channel_id, version=version, state=state, ask=ask):
            known = account.channels[channel_id]
            settled = None if known.asked and known.asked.id == ask else known.asked
            stay = account.number
            moved = _change(known, version=version, state=state, asked=settled, stay=stay)
            return _with(account, moved)
        case Shown(channel=channel_id, state=state):
            return _with(account, _change(account.channels[channel_id], state=state))
        case Asked(channel=channel_id, ask=asked):
            return _with(account, _change(account.channels[channel_id], asked=asked))
        case Refused(channel=channel_id):
            return _with(account, _change(account.channels[channel_id], asked=None))
        case WalletMoved(currency=currency, movement=movement, balance=balance):
            return _change(account, purses={**account.purses, currency: Purse(movement, balance)})
        case Said():
            return _change(account, said=(*(t for t in account.said if t > at - CHAT_BURST_MS), at))
        case _:
            assert_never(fact)


def _with(account: Account, channel: Channel) -> Account:
    return _change(account, channels={**account.channels, channel.id: channel})


def moved(
    channel: Channel, event: str, state: Situation = FREE, ask: str | None = None, reason: str | None = None
) -> Moved | None:
    """The transition, if the machine has it; None if it is illegal in the channel's state."""
    target = machine.target(channel.state.value, event)
    if target is None:
        return None
    return Moved(channel.id, channel.version + 1, event, _change(state, value=target), ask, reason)


class Who(msgspec.Struct, frozen=True, gc=False):
    """Somebody, by one of its channels."""

    user: UserId
    nick: str
    avatar: str | None
    channel: str
