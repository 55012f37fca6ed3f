"""What each viewer is shown of a match: the whole view, and the messages of each entry. Pure."""

from typing import Any

import msgspec

from services.session import clocks, undo, waves
from services.session.clocks import Wait
from services.session.facts import (
    Aborted,
    AnyEntry,
    Created,
    DrawOffered,
    DrawRejected,
    Fact,
    Joined,
    Left,
    Played,
    Player,
    Released,
    Started,
    UndoAsked,
    Undone,
    UndoRejected,
)
from services.session.games import AnyGame
from services.session.match import AnyMatch, Status
from shared.ids import UserId
from shared.kernel import ONE_WAVE, Message, Seat, Viewer, Wave
from shared.log.live import Here


def sync(match: AnyMatch, viewer: Viewer) -> dict[str, str]:
    """The words from which a client draws its buttons."""
    undo_word = "ban" if viewer is None or match.last is None else _undo_word(match, viewer)
    return {"turn": "my_turn" if viewer in match.acting else "not_my_turn", "undo": undo_word}


def _undo_word(match: AnyMatch, viewer: Seat) -> str:
    if match.undo is not None:
        return "requesting" if match.undo.by == viewer else "approving"
    return "allow" if undo.is_allowed(match, viewer) else "ban"


def waits(match: AnyMatch, now: int) -> list[Wait]:
    """Who is waited for, for what and how long."""
    banks = match.clock.banks
    if (move := match.open) is not None:
        ms = match.options.ack_time * 1000
        tick = min(ms, max(0, now - move.since))
        return [Wait(box, "ack", tick, ms, banks[box]) for box in move.waiting]
    shown = clocks.waits(match.clock, match.options, match.acting, now)
    if (asked := match.undo) is not None:
        other, ms = Seat(1 - asked.by), asked.until - asked.since
        shown.append(Wait(other, "undo", min(ms, max(0, now - asked.since)), ms, banks[other]))
    return shown


def view(
    game: AnyGame, match: AnyMatch, game_id: str, version: int, viewer: Viewer, here: Here, now: int
) -> dict[str, Any]:
    """All that a viewer may know."""
    return {**_beside_moves(game, match, game_id, version, viewer, here, now), **_legal_moves(game, match, viewer)}


def _beside_moves(
    game: AnyGame, match: AnyMatch, game_id: str, version: int, viewer: Viewer, here: Here, now: int
) -> dict[str, Any]:
    """The view without the legal moves."""
    shown = {
        "id": game_id,
        "game_type": match.game_type,
        "version": version,
        "status": match.status,
        "self": None if viewer is None else {"box": viewer},
        "players": _players(match, here, now),
        "watchers": _watchers(match, here),
        "waits": waits(match, now),
        "sync": sync(match, viewer),
        "gamestate": _gamestate(game, match, viewer),
        "draw": None if match.draw is None or match.over else {"by": match.draw},
        "result": result(match),
        "options": match.options,
        "commitment": match.commitment,
    }
    if match.table is not None:
        shown["table"] = match.table
    if match.status is Status.FINISHED:
        shown |= game.closing(match.position)
    return shown


def presence(match: AnyMatch, here: Here) -> dict[str, Any]:
    seated = [
        {"box": box, **_whereabouts(player, here)} for box, player in enumerate(match.players) if player is not None
    ]
    return {"players": seated, "watchers": _watchers(match, here)}


def messages(
    game: AnyGame,
    game_id: str,
    before: AnyMatch | None,
    entry: AnyEntry,
    after: AnyMatch,
    version: int,
    viewer: Viewer,
    here: Here,
    now: int | None = None,
) -> list[Message]:
    """What an entry tells a viewer, with the clocks as they stood when it was written, or as they stand now."""
    at = entry.at if now is None else now
    told: list[Message] = []
    for fact in entry.facts:
        if isinstance(fact, Started):
            told.append(Message("started", _beside_moves(game, after, game_id, version, viewer, here, at)))
        told += _told(game, before, fact, after, viewer, at)
    if after.status is Status.FINISHED and (before is None or before.status is not Status.FINISHED):
        told.append(_game_over(game, after, viewer))
    if not told and before is not None and _signals(before, viewer) != _signals(after, viewer):
        told.append(Message("sync", {}))
    if not told:
        return told
    changes = _changes(after, viewer, at)
    *earlier, last = [m if m.event in _BARE else Message(m.event, {**m.data, **changes}) for m in told]
    # Once: there may be thousands of legal moves (a first tile in tsuro: 170 KB), and a stream holds 256 KB.
    return [*earlier, Message(last.event, {**last.data, **_legal_moves(game, after, viewer)})]


_BARE = ("joined", "left", "started")  # what changes with them is in the view that follows


def _told(
    game: AnyGame, before: AnyMatch | None, fact: Fact, after: AnyMatch, viewer: Viewer, at: int
) -> list[Message]:
    if isinstance(fact, Played):
        assert before is not None, "a match is played only after it was created"
        sent = after.open.sent if after.open is not None else len(fact.waves)
        return _news(game, before.position, fact.events, after.position, fact.waves, viewer, 0, sent)
    if isinstance(fact, Created):
        return [_joined(Seat(box), player) for box, player in enumerate(fact.players) if player]
    if isinstance(fact, Joined):
        return [_joined(fact.box, fact.player)]
    if isinstance(fact, Left):
        player = before.players[fact.box] if before else None
        return [Message("left", {"box": fact.box, "user": player.user})] if player else []
    if isinstance(fact, Started):
        return _news(game, fact.position, fact.events, after.position, ONE_WAVE, viewer, 0, 0)
    if isinstance(fact, Released):
        assert before is not None and before.open is not None, "only an open move has waves to release"
        move = before.open
        sent = after.open.sent if after.open is not None else len(move.waves)
        return _news(game, move.before, move.events, before.position, move.waves, viewer, move.sent + 1, sent)
    if isinstance(fact, UndoAsked):
        assert after.undo is not None, "it has just been asked for"
        asked = {"by": fact.by, "deadline_ms": max(0, after.undo.until - at)}
        return [Message("request_undo", asked)] if viewer not in (None, fact.by) else []
    if isinstance(fact, UndoRejected):
        return [Message(f"{fact.how}_undo", {"by": fact.by})] if viewer == fact.by else []
    if isinstance(fact, Undone):
        assert before is not None and before.last is not None, "only a move that was made can be taken back"
        verdict = [Message("approve_undo", {"by": fact.by})] if viewer == fact.by else []
        projected = [game.project(before.last.before, event, viewer) for event in before.last.events]
        return verdict + [Message(m.event, {**m.data, "undone": True}) for m in projected if m is not None]
    if isinstance(fact, DrawOffered):
        return [Message("draw_offered", {"by": fact.by})]
    if isinstance(fact, DrawRejected):
        return [Message("draw_rejected", {"by": fact.by})]
    if isinstance(fact, Aborted):
        return [Message("aborted", {"reason": fact.reason, "gamestate": _gamestate(game, after, viewer)})]
    return []


def _news(
    game: AnyGame,
    position: Any,
    events: tuple[Any, ...],
    final: Any,
    sent: tuple[Wave, ...],
    viewer: Viewer,
    first: int,
    last: int,
) -> list[Message]:
    """The game's own messages about a move that led to `final`, from the first to the last of the waves given."""
    wanted = None if len(sent) == 1 else waves.news(len(events), sent, viewer, first, last)
    told = []
    for i, event in enumerate(events, start=1):
        position = final if i == len(events) else game.evolve(position, event)
        if wanted is None or i - 1 in wanted:
            message = game.project(position, event, viewer)
            if message is not None:
                told.append(message)
    return told


def _joined(box: Seat, player: Player) -> Message:
    return Message("joined", {"box": box, "user": player.user, "nick": player.nick, "avatar": player.avatar})


def _game_over(game: AnyGame, match: AnyMatch, viewer: Viewer) -> Message:
    assert match.outcome is not None, "a finished match has an outcome"
    over = {
        "result": result(match),
        "winners": match.outcome.winners,
        "reason": match.outcome.reason,
        "gamestate": _gamestate(game, match, viewer),
        **game.closing(match.position),
    }
    return Message("game_over", over)


def _changes(match: AnyMatch, viewer: Viewer, at: int) -> dict[str, Any]:
    """What may differ for a viewer after any entry, beside the legal moves."""
    return {"sync": sync(match, viewer), "waits": waits(match, at), "timeBank": match.clock.banks}


def _signals(match: AnyMatch, viewer: Viewer) -> tuple[Any, ...]:
    """What changes a viewer's `sync` or `waits`."""
    return sync(match, viewer), match.clock, match.undo, match.open and match.open.version


def _gamestate(game: AnyGame, match: AnyMatch, viewer: Viewer) -> dict[str, Any]:
    if match.position is None:
        return {}
    shown = game.view(_known_position(game, match, viewer), viewer)
    if match.over and "turn" in shown:
        shown = {**shown, "turn": None}  # the rules do not know of a resignation
    return shown


def _known_position(game: AnyGame, match: AnyMatch, viewer: Viewer) -> Any:
    """The position as far as a viewer has been told of it."""
    move = match.open
    if move is None:
        return match.position
    position = move.before
    for event in move.events[: waves.known(move, viewer)]:
        position = game.evolve(position, event)
    return position


def _legal_moves(game: AnyGame, match: AnyMatch, viewer: Viewer) -> dict[str, Any]:
    if viewer is None or viewer not in match.acting:
        return {}
    return {"legal_moves": game.legal_moves(match.position, viewer)}


def result(match: AnyMatch) -> dict[str, Any] | None:
    """The outcome as clients see it."""
    if match.outcome is None:
        return None
    shown = msgspec.structs.asdict(match.outcome)
    if match.outcome.scores is None:
        del shown["scores"]
    return shown


def _players(match: AnyMatch, here: Here, now: int) -> list[dict[str, Any]]:
    return [
        {
            "box": box,
            "user": player.user,
            "nick": player.nick,
            "avatar": player.avatar,
            "timeBank": match.clock.banks[box],
            "timeBankTick": clocks.bank_tick(match.clock, match.options, Seat(box), now),
            **_whereabouts(player, here),
        }
        for box, player in enumerate(match.players)
        if player is not None
    ]


def _whereabouts(player: Player, here: Here) -> dict[str, bool]:
    """A bot is always there."""
    person = here.get(player.user)
    return {
        "online": player.bot is not None or (person is not None and person.online),
        "away": bool(person and person.away),
    }


def _watchers(match: AnyMatch, here: Here) -> list[dict[str, Any]]:
    seated: set[UserId] = {player.user for player in match.players if player is not None}
    return [
        {"user": person.user, "nick": person.nick, "avatar": person.avatar}
        for person in here.values()
        if person.online and person.user not in seated
    ]
