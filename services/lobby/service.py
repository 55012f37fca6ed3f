"""The lobby's parts, put together."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

import httpx

from services.lobby.accounts import Accounts
from services.lobby.bank import Bank
from services.lobby.catalogue import Catalogue
from services.lobby.commands import Commands
from services.lobby.consumers import PostOffice
from services.lobby.draft import Waits
from services.lobby.feed import Feeds
from services.lobby.hosting import Hosting
from services.lobby.kinds import kinds
from services.lobby.logs import Logs
from services.lobby.lookups import Lookups
from services.lobby.peers import SessionPeer
from services.lobby.plans import Planner
from services.lobby.queues import Queues
from services.lobby.ratings import Ratings
from services.lobby.reception import Reception
from services.lobby.rooms import Rooms
from services.lobby.teller import Teller
from services.lobby.wallets import Wallets
from shared.runtime import Runtime, wall_clock
from shared.settings import Settings


@dataclass(frozen=True)
class Lobby:
    clock: Callable[[], int]
    accounts: Accounts
    commands: Commands
    lookups: Lookups
    queues: Queues
    rooms: Rooms
    hosting: Hosting
    ratings: Ratings
    catalogue: Catalogue
    feeds: Feeds
    post: PostOffice
    wallets: Wallets
    bank: Bank
    reception: Reception


def lobby_of(runtime: Runtime, session: httpx.AsyncClient | None) -> Lobby:
    settings = runtime.settings
    waits = _waits(settings)
    logs = Logs(runtime.hub, runtime.store, runtime.redis, wall_clock)
    forms = kinds(waits)
    catalogue = Catalogue(runtime.redis)
    ratings = Ratings(runtime.db)
    peer = SessionPeer(session)
    rooms = Rooms(runtime.redis, runtime.doorbell, logs, forms, catalogue)
    accounts = Accounts(logs, forms, runtime.hub, runtime.store)
    lookups = Lookups(logs, forms, rooms, catalogue, ratings, peer)
    queues = Queues(runtime.store, runtime.redis, wall_clock)
    wallets = Wallets(runtime.db, wall_clock, settings.grant_fun)
    teller = Teller(wallets, accounts)
    planner = Planner(logs, forms, rooms, catalogue, ratings, wallets, peer, queues, _polish(settings.chat_filter))
    post = PostOffice(logs, forms, accounts, queues, rooms, waits)
    admins = frozenset(each.strip() for each in settings.admins.split(",") if each.strip())
    return Lobby(
        clock=wall_clock,
        accounts=accounts,
        commands=Commands(accounts, lookups, planner, wall_clock),
        lookups=lookups,
        queues=queues,
        rooms=rooms,
        hosting=Hosting(logs, forms, rooms, catalogue, runtime.store, admins),
        ratings=ratings,
        catalogue=catalogue,
        feeds=Feeds(logs, forms, rooms, lookups, teller, runtime.hub, runtime.redis, settings.linger_ms),
        post=post,
        wallets=wallets,
        bank=Bank(wallets, catalogue, teller, post.tell_table),
        reception=Reception(runtime.db, wall_clock, wallets.welcome),
    )


def _waits(settings: Settings) -> Waits:
    return Waits(
        begin=settings.begin_wait_ms,
        revanche=settings.revanche_wait_ms,
        sitdown=settings.sitdown_wait_ms,
        empty=settings.empty_table_ms,
        abandon=settings.abandon_ms,
    )


def _polish(name: str | None) -> Callable[[str], str]:
    """The operator's own function for every chat message, or none."""
    if not name:
        return lambda text: text
    module, _, function = name.partition(":")
    found: Callable[[str], str] = getattr(import_module(module), function)
    return found
