"""What others must learn of a game, from the match before and after a commit. Pure."""

from services.session.match import AnyMatch, Status
from shared.bridge import GameOver, GameStarted, News, SeatsKnown
from shared.ids import GameId


def news(game: GameId, before: AnyMatch | None, after: AnyMatch) -> list[News]:
    told: list[News] = []
    if after.table is not None:
        if before is None or before.order != after.order:
            told.append(SeatsKnown(game, after.table, after.order))
        begun = (Status.ACTIVE, Status.FINISHED)
        if after.status in begun and before is not None and before.status is Status.WAITING:
            told.append(GameStarted(game, after.table))
    if after.over and not (before and before.over):
        told.append(game_over(game, after))
    return told


def game_over(game: GameId, match: AnyMatch) -> GameOver:
    outcome = match.outcome
    return GameOver(
        game,
        match.game_type,
        match.touched_at,
        status=match.status,
        table=match.table,
        players=tuple(player.user if player else None for player in match.players),
        winners=outcome.winners if outcome else (),
        scores=outcome.scores if outcome else None,
        reason=outcome.reason if outcome else match.abort_reason,
    )
