"""How a channel follows what another log has decided. Pure: a letter that no longer fits the channel does nothing."""

from typing import assert_never

import msgspec

from services.lobby.channels import FREE, Account, Channel, Refused, Shown, Situation, UserFact, moved
from services.lobby.letters import (
    BeginNow,
    Denied,
    GameOn,
    Granted,
    Matched,
    NowPlayed,
    Over,
    PlaceKept,
    RematchOpen,
    Step,
    ToUser,
)
from services.lobby.machine import Value

_change = msgspec.structs.replace

# What the end of a table means to a channel, by its state.
_ENDS = {
    Value.REVANCHE: ("E11",),
    Value.OKREVANCHE: ("E10",),
    Value.LEAVE: ("E26",),
    Value.TAKETURN: ("E23",),
    Value.TAKEPLACE: ("E23",),
    Value.WATCH: ("E18",),
    Value.BEGIN: ("E4", "E6", "E23"),
    Value.OKBEGIN: ("E6", "E23"),
}


def follow(account: Account, letter: ToUser) -> list[UserFact]:
    """The facts that a letter makes in a user's log."""
    channel = account.channels.get(letter.channel)
    if channel is None:
        return []
    match letter:
        case Granted(ask=ask, steps=steps, reason=reason):
            if channel.asked is None or channel.asked.id != ask:
                return []
            return _walked(channel, steps, ask, reason) or [Refused(channel.id, ask, "wrong_state")]
        case Denied(ask=ask, code=code):
            return [Refused(channel.id, ask, code)] if channel.asked and channel.asked.id == ask else []
        case Matched(ticket=ticket, state=state):
            return _matched(channel, state) if channel.state.ticket == ticket else []
        case BeginNow(table=table):
            here = channel.state.table == table and channel.state.value is Value.BEGIN
            return _walked(channel, (Step("E4", channel.state),)) if here else []
        case GameOn(state=state):
            return _game_on(channel, state) if channel.state.table == state.table else []
        case PlaceKept(table=table, box=box, wait=wait):
            if channel.state.table != table or channel.state.value is not Value.TAKETURN:
                return []
            return _walked(channel, (Step("E21", _change(channel.state, box=box, wait=wait)),))
        case RematchOpen(game=game, wait=wait):
            return _rematch_open(channel, game, wait) if channel.state.game == game else []
        case NowPlayed(table=table, game=game):
            watched = channel.state.value is Value.WATCH and channel.state.table == table
            news = watched and channel.state.game != game
            return [Shown(channel.id, channel.version, _change(channel.state, game=game))] if news else []
        case Over(table=table, game=game):
            if channel.state.table != table or (game is not None and channel.state.game != game):
                return []
            return _over(channel, letter)
        case _:
            assert_never(letter)


def _matched(channel: Channel, state: Situation) -> list[UserFact]:
    facts = _walked(channel, (Step("E3", state),))
    if channel.asked is not None:  # a `findcancel` that came too late
        facts.append(Refused(channel.id, channel.asked.id, "wrong_state"))
    return facts


def _game_on(channel: Channel, state: Situation) -> list[UserFact]:
    steps: tuple[Step, ...]
    match channel.state.value:
        case Value.BEGIN:
            steps = (Step("E4", channel.state), Step("E6", state))
        case Value.OKBEGIN:
            steps = (Step("E6", state),)
        case Value.OKREVANCHE:
            steps = (Step("E9", state),)
        case _:
            return []
    facts = _walked(channel, steps)
    if channel.asked is not None:  # a `cancelrevanche` that came too late
        facts.append(Refused(channel.id, channel.asked.id, "wrong_state"))
    return facts


def _rematch_open(channel: Channel, game: str, wait: object) -> list[UserFact]:
    if channel.state.value is Value.GAME:
        facts = _walked(channel, (Step("E7", _change(channel.state, wait=wait)),))
    elif channel.state.value is Value.LEAVE:
        facts = _walked(channel, (Step("E26", FREE),), reason="game_over")
    else:
        return []
    return facts


def _over(channel: Channel, letter: Over) -> list[UserFact]:
    if channel.state.value is Value.GAME:
        events: tuple[str, ...] = ("E23",) if letter.aborted else ("E7", "E11")
    else:
        events = _ENDS.get(channel.state.value, ())
    steps = tuple(Step(event, FREE if i == len(events) - 1 else channel.state) for i, event in enumerate(events))
    facts = _walked(channel, steps, reason=letter.reason)
    if facts and channel.asked is not None:
        facts.append(Refused(channel.id, channel.asked.id, "wrong_state"))
    return facts


def _walked(
    channel: Channel, steps: tuple[Step, ...], ask: str | None = None, reason: str | None = None
) -> list[UserFact]:
    """The transitions one after another, all or none; the last one settles the ask and gives the reason."""
    facts: list[UserFact] = []
    for i, step in enumerate(steps):
        last = i == len(steps) - 1
        fact = moved(channel, step.event, step.state, ask if last else None, reason if last else None)
        if fact is None:
            return []
        facts.append(fact)
        channel = _change(channel, state=fact.state, version=fact.version)
    return facts
