"""The history of chats in SQL, for as long as the database keeps it."""

from typing import Any

import msgspec
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.ext.asyncio import AsyncEngine

from services.lobby.letters import ChatKept
from services.lobby.tables import chat_entries
from shared import bridge

ADDRESS = "history"
_kept = msgspec.json.Decoder(ChatKept)


class History:
    def __init__(self, db: AsyncEngine) -> None:
        self._db = db

    async def keep(self, messages: list[bytes]) -> None:
        """Outbox handler: entries of chats; a repeat finds them kept already."""
        letters = [bridge.read_envelope(message) for message in messages]
        rows = [_row(_kept.decode(letter.body)) for letter in letters if letter.to == ADDRESS]
        if not rows:
            return
        insert = sqlite.insert if self._db.dialect.name == "sqlite" else postgresql.insert
        async with self._db.begin() as connection:
            await connection.execute(insert(chat_entries).values(rows).on_conflict_do_nothing())


def _row(entry: ChatKept) -> dict[str, Any]:
    return {
        "chat": entry.chat,
        "number": entry.number,
        "event": entry.event,
        "user_id": entry.user,
        "nick": entry.nick,
        "avatar": entry.avatar,
        "ts": entry.ts,
        "text": entry.text,
    }
