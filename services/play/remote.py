"""`parlor play`: a strategy in a game on a server."""

import asyncio
import os
from typing import Annotated

import typer

from parlor_sdk.client import AsyncClient
from parlor_sdk.errors import ParlorError, Refused
from parlor_sdk.runner import DEFAULT_LIMIT, Played
from parlor_sdk.runner import play as run
from parlor_sdk.sandbox import BadStrategy
from services.play.terminal import MISUSED, fail, note
from services.play.tokens import TokenFile

Url = Annotated[str, typer.Option(help="Where Parlor is.", metavar="URL")]
Patience = Annotated[float, typer.Option(min=0, help="Seconds that a server which is away is tried again.")]
DEFAULT_PATIENCE = 30.0
DEFAULT_URL = "http://127.0.0.1:8000"


def play(
    strategy: Annotated[str, typer.Option(help="Your strategy, as my_bot:MyBot or my_bot.py:MyBot.")],
    game: Annotated[str, typer.Option(help="The id of a game of Tsuro with an open seat.")],
    url: Url = DEFAULT_URL,
    nick: Annotated[str | None, typer.Option(help="What others see; by default the name of the class.")] = None,
    password: Annotated[
        str | None, typer.Option(envvar="PARLOR_PASSWORD", help="Log in to the account of that nick; else be a guest.")
    ] = None,
    limit: Annotated[float, typer.Option(min=0.01, help="Seconds for a move, if the clock allows.")] = DEFAULT_LIMIT,
    patience: Patience = DEFAULT_PATIENCE,
) -> None:
    """Let a strategy of yours play in a game on a server, to its end.

    It takes an open seat. Killed and started again with the same arguments, it takes its own seat again and plays on.
    The winners go to stdout, one line each: colour and nick.
    """
    name = nick or strategy.rpartition(":")[2]
    try:
        asyncio.run(
            _play(
                strategy, game, AsyncClient(url, patience=patience), TokenFile(url, game, name), name, password, limit
            )
        )
    except BadStrategy as bad:
        fail(f"This strategy cannot be used: {bad}", "It must be a class derived from parlor_sdk.Strategy.", MISUSED)
    except Refused as refused:
        fail(f"The server refused: {refused.detail} ({refused.code})", f"The game was {game} at {url}.")
    except ParlorError as error:
        fail(str(error), f"The game was {game} at {url}.")
    except KeyboardInterrupt:
        fail("Interrupted; the clock of the game runs on.", "The same command plays on.", 130)


async def _play(
    strategy: str, game: str, client: AsyncClient, tokens: TokenFile, nick: str, password: str | None, limit: float
) -> None:
    async with client:
        client.token = tokens.read()
        await _sign_in(client, game, nick, password, tokens)
        note(f"{nick} ({strategy}) in game {game}, process {os.getpid()}")
        result = await run(client, game, strategy, limit=limit, notice=lambda words: note(f"{nick} {words}"))
        await _print_winners(client, game, result)
        tokens.forget()


async def _sign_in(client: AsyncClient, game: str, nick: str, password: str | None, tokens: TokenFile) -> None:
    if client.token is not None:
        try:
            await client.view(game)
            return
        except Refused as refused:
            if refused.code != "unauthenticated":
                raise
    signed_in = await (client.sign_in_as_guest(nick) if password is None else client.log_in(nick, password))
    tokens.write(signed_in["token"])


async def _print_winners(client: AsyncClient, game: str, result: Played) -> None:
    view = await client.view(game)
    colors = view["gamestate"]["colors"]
    for player in view["players"]:
        if player["box"] in result.winners:
            print(f"{colors[player['box']]} {player['nick']}")
    forfeited = f", {result.forfeited} moves forfeited" if result.forfeited else ""
    note(f"{'won' if result.won else 'lost'} ({result.reason}{forfeited})")
