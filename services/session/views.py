"""What each viewer is shown of a match: the whole view, and the messages of each entry. Pure."""

from typing import Any

import msgspec

from services.session import clocks
from services.session.games import AnyGame
from services.session.match import (
    Aborted,
    AnyEntry,
    AnyMatch,
    Created,
    Joined,
    Match,
    Played,
    Player,
    Started,
    Status,
)
from shared.ids import UserId
from shared.kernel import Message, Seat, Viewer
from shared.log.live import Here


def sync(match: AnyMatch, viewer: Viewer) -> dict[str, str]:
    """The words from which a client draws its buttons."""
    return {"turn": "my_turn" if viewer in match.acting else "not_my_turn", "undo": "ban"}


def view(
    game: AnyGame, match: AnyMatch, game_id: str, version: int, viewer: Viewer, here: Here, now: int
) -> dict[str, Any]:
    """All that a viewer may know."""
    shown = {
        "id": game_id,
        "game_type": match.game_type,
        "version": version,
        "status": match.status,
        "self": None if viewer is None else {"box": viewer},
        "players": _players(match, here, now),
        "watchers": _watchers(match, here),
        "waits": clocks.waits(match.clock, match.options, now),
        "sync": sync(match, viewer),
        "gamestate": _gamestate(game, match, viewer),
        "result": result(match),
        "options": match.options,
        "commitment": match.commitment,
    }
    return {**shown, **_legal_moves(game, match, viewer)}


def presence(match: AnyMatch, here: Here) -> dict[str, Any]:
    seated = [
        {"box": box, "online": player.user in here, "away": False}
        for box, player in enumerate(match.players)
        if player is not None
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
        if isinstance(fact, Played):
            told += _played(game, before, fact, after, viewer, at)
        elif isinstance(fact, Created):
            told += [_joined(Seat(box), player) for box, player in enumerate(fact.players) if player]
        elif isinstance(fact, Joined):
            told.append(_joined(fact.box, fact.player))
        elif isinstance(fact, Started):
            told.append(Message("started", view(game, after, game_id, version, viewer, here, at)))
        elif isinstance(fact, Aborted):
            told.append(Message("aborted", {"reason": fact.reason, **_changes(game, after, viewer, at)}))
    if after.status is Status.FINISHED and (before is None or before.status is not Status.FINISHED):
        told.append(_game_over(game, after, viewer, at))
    if not told and before is not None and _signals(before, viewer) != _signals(after, viewer):
        changes = _changes(game, after, viewer, at)
        told.append(Message("sync", {"sync": changes["sync"], "waits": changes["waits"]}))
    return told


def _played(
    game: AnyGame, before: AnyMatch | None, fact: Played[Any], after: AnyMatch, viewer: Viewer, at: int
) -> list[Message]:
    """The game's own messages, each with what the engine adds."""
    assert before is not None, "a match is played only after it was created"
    changes = _changes(game, after, viewer, at)
    told = []
    position = before.position
    for event in fact.events:
        position = after.position if event is fact.events[-1] else game.evolve(position, event)
        message = game.project(position, event, viewer)
        if message is not None:
            told.append(Message(message.event, {**message.data, **changes}))
    return told


def _joined(box: Seat, player: Player) -> Message:
    return Message("joined", {"box": box, "user": player.user, "nick": player.nick, "avatar": player.avatar})


def _game_over(game: AnyGame, match: AnyMatch, viewer: Viewer, at: int) -> Message:
    assert match.outcome is not None, "a finished match has an outcome"
    shown = result(match)
    over = {
        "result": shown,
        "winners": match.outcome.winners,
        "reason": match.outcome.reason,
        "gamestate": _gamestate(game, match, viewer),
        **game.closing(match.position),
        **_changes(game, match, viewer, at),
    }
    return Message("game_over", over)


def _changes(game: AnyGame, match: AnyMatch, viewer: Viewer, at: int) -> dict[str, Any]:
    """What may differ for a viewer after any entry."""
    return {
        "sync": sync(match, viewer),
        "waits": clocks.waits(match.clock, match.options, at),
        "timeBank": match.clock.banks,
        **_legal_moves(game, match, viewer),
    }


def _signals(match: AnyMatch, viewer: Viewer) -> tuple[Any, ...]:
    return viewer in match.acting, match.clock


def _gamestate(game: AnyGame, match: AnyMatch, viewer: Viewer) -> dict[str, Any]:
    if match.position is None:
        return {}
    shown = game.view(match.position, viewer)
    if match.status is Status.FINISHED and "turn" in shown:
        shown = {**shown, "turn": None}  # the rules do not know of a resignation
    return shown


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
            "online": player.user in here,
            "away": False,
        }
        for box, player in enumerate(match.players)
        if player is not None
    ]


def _watchers(match: Match[Any, Any], here: Here) -> list[dict[str, Any]]:
    seated: set[UserId] = {player.user for player in match.players if player is not None}
    return [
        {"user": person.user, "nick": person.nick, "avatar": person.avatar}
        for person in here.values()
        if person.user not in seated
    ]
