"""The paths of wallets."""

from typing import Annotated, Any

from fastapi import APIRouter, Query

from services.lobby.channel_routes import LobbyDep, UserDep
from services.lobby.wallets import Movement
from shared.problems import Problem, invalid

routes = APIRouter(prefix="/lobby/me/wallets", tags=["lobby"])


@routes.get("")
async def wallets(caller: UserDep, lobby: LobbyDep) -> dict[str, Any]:
    """What the caller has to play for."""
    found = await lobby.wallets.balances(caller.user, await lobby.catalogue.currencies())
    return {"wallets": [{"currency": currency, "balance": balance} for currency, balance in found.items()]}


@routes.get("/{currency}/entries")
async def entries(
    currency: str,
    caller: UserDep,
    lobby: LobbyDep,
    before: Annotated[str | None, Query(description="an entry's id: only what is older")] = None,
) -> dict[str, Any]:
    """What has moved one of the caller's wallets, the newest first."""
    if currency not in await lobby.wallets.balances(caller.user, await lobby.catalogue.currencies()):
        raise Problem("not_found", "There is no such currency.")
    if before is not None and not (before.isascii() and before.isdigit() and len(before) < 16):
        raise invalid("`before` is the id of an entry.")
    found = await lobby.wallets.history(caller.user, currency, int(before) if before is not None else None)
    return {"entries": [_shown(each) for each in found]}


def _shown(movement: Movement) -> dict[str, Any]:
    shown = {
        "id": movement.number,
        "ts": movement.at,
        "change": movement.change,
        "balance": movement.balance,
        "reason": movement.reason,
    }
    return {**shown, "game": movement.game} if movement.game else shown
