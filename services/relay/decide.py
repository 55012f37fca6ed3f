"""What becomes of a message: its number decides, and in some rooms a referee. Pure."""

from enum import StrEnum
from typing import TypeAlias

from services.relay import referee
from services.relay.messages import AnyMessage, GameOver, Join, LeaveGame, UpdateGame, leave_ack, reread
from services.relay.rooms import Acked, Closed, Dropped, Fact, Held, Opened, Phase, Player, Room, Took, took
from shared.ids import UserId
from shared.kernel import Value

SEATS = 2
MOST_HELD = 64  # messages of one sender that wait for an earlier one


class Status(StrEnum):
    FORWARDED = "forwarded"
    STORED = "stored"
    DUPLICATE = "duplicate"
    HELD = "held"


class Refusal(StrEnum):
    ROOM_FULL = "room_full"
    WRONG_STATE = "wrong_state"
    SEQ_GAP = "seq_gap"
    ILLEGAL_UPDATE = "illegal_update"


class Ruling(Value, frozen=True):
    """What becomes of a command: the facts that it makes, none if it has no effect."""

    facts: tuple[Fact, ...] = ()
    status: Status = Status.STORED
    expected: int = 0
    """The sequence number wanted next from the sender."""
    peer: UserId | None = None
    """Whose open stream would make `stored` into `forwarded`."""


Verdict: TypeAlias = Ruling | Refusal


def decide(room: Room, message: AnyMessage, payload: bytes) -> Verdict:
    """What a message does; `payload` is the message as it is kept."""
    player = room.player(message.sender)
    if player is None and len(room.players) == SEATS:
        return Refusal.ROOM_FULL
    if player is None or not player.playing or room.phase is Phase.OVER:
        return _from_outside(room, player, message, payload)
    if message.seq < player.expected:
        return Ruling(status=Status.DUPLICATE, expected=player.expected)
    if message.seq > player.expected:
        return _too_early(player, message, payload)
    if not _allowed(room, message):
        return Refusal.ILLEGAL_UPDATE
    return _in_turn(room, player, message, payload)


def _from_outside(room: Room, player: Player | None, message: AnyMessage, payload: bytes) -> Verdict:
    """From somebody who is not in the present game, or when there is none."""
    if not isinstance(message, Join):
        if player is not None and message.seq < player.expected:
            return Ruling(status=Status.DUPLICATE, expected=player.expected)
        return Refusal.WRONG_STATE
    if message.seq > 0:
        return Refusal.SEQ_GAP
    if room.phase is Phase.OVER:
        return Ruling((Opened(message.sender, payload),), expected=1)
    return Ruling((Took(message.sender, payload),), expected=1, peer=room.peer(message.sender))


def _too_early(player: Player, message: AnyMessage, payload: bytes) -> Verdict:
    if message.seq > player.expected + MOST_HELD:
        return Refusal.SEQ_GAP
    known = any(seq == message.seq for seq, _ in player.held)
    facts = () if known else (Held(message.sender, payload),)
    return Ruling(facts, Status.HELD, player.expected)


def _in_turn(room: Room, player: Player, message: AnyMessage, payload: bytes) -> Ruling:
    """The message that was wanted, and those that were waiting for it."""
    sender, version = player.user, room.version + 1
    facts: list[Fact] = [Took(sender, payload)]
    peer = room.peer(sender)
    expected = message.seq + 1
    waiting = dict(player.held)
    after = took(room, sender, message, version) if waiting else room
    last = message
    while expected in waiting and after.phase is not Phase.OVER:
        last = reread(waiting[expected])
        if not _allowed(after, last):
            facts.append(Dropped(sender, expected))
            break
        facts.append(Took(sender, waiting[expected]))
        after = took(after, sender, last, version)
        expected += 1
    if isinstance(last, LeaveGame) and peer is None:
        facts.append(Acked(sender, version, leave_ack(last)))  # there is nobody to wait for
    return Ruling(tuple(facts), Status.STORED, expected, peer)


def acknowledge(room: Room, taker: UserId, upto: int) -> Ruling:
    """A player's stream has taken everything up to a version: whoever left is told."""
    taken = [leave for leave in room.leaves if leave.message.sender != taker and leave.version <= upto]
    facts = [Acked(leave.message.sender, leave.version, leave_ack(leave.message)) for leave in taken]
    return Ruling(tuple(facts))


def close(room: Room, at_version: int) -> Ruling:
    """Unless something has happened since that version, the players are forgotten; the room's numbers go on."""
    return Ruling((Closed(),) if room.players and room.version == at_version else ())


class Terms(Value, frozen=True):
    """How long an empty room stays open, and how long a closed one is remembered, in ms."""

    idle_ms: int
    forget_ms: int


def deadline(room: Room, terms: Terms) -> int:
    """When to look after the room again, 0 for never.

    Rounded up by a hundredth, so that most messages need not touch the timer.
    """
    if not room.version:
        return 0
    wait = terms.idle_ms if room.players else terms.forget_ms
    grain = max(1, wait // 100)
    return -(-(room.touched_at + wait) // grain) * grain


def _allowed(room: Room, message: AnyMessage) -> bool:
    """Has the referee, if there is one, nothing against it?"""
    if not room.strict or not isinstance(message, UpdateGame | GameOver):
        return True
    board = referee.EMPTY if room.game is None else room.game
    if isinstance(message, GameOver):
        return referee.is_over(board)
    mark = referee.X if message.sender == room.starter else referee.O
    return room.phase is Phase.PLAYING and referee.is_next(board, message.game, mark)
