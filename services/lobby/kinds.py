"""The kinds of logs that the lobby writes, except queues, which fold in place."""

from dataclasses import dataclass

from services.lobby import channels, chat, draft, table
from services.lobby.channels import Account, UserFact
from services.lobby.chat import Chat, ChatFact
from services.lobby.draft import Waits
from services.lobby.logs import Kind
from services.lobby.table import Phase, Table, TableFact

_FEED_KEPT = 1_000  # entries of a user's feed: a client that is further behind starts over
_CHAT_KEPT = 1_000


@dataclass(frozen=True)
class Kinds:
    user: Kind[Account, UserFact]
    table: Kind[Table, TableFact]
    chat: Kind[Chat, ChatFact]


def kinds(waits: Waits) -> Kinds:
    return Kinds(
        user=Kind("user", UserFact, Account, channels.evolve, kept=_FEED_KEPT),
        table=Kind(
            "table",
            TableFact,
            Table,
            table.evolve,
            deadline=lambda each: draft.deadline(each, waits),
            over=lambda each: each.phase is Phase.CLOSED,
        ),
        chat=Kind("chat", ChatFact, Chat, chat.evolve, kept=_CHAT_KEPT),
    )
