"""What the session service keeps in SQL."""

from sqlalchemy import BigInteger, Column, LargeBinary, String, Table

from shared.db import metadata

archived_games = Table(
    "archived_games",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("game_type", String(64), nullable=False, index=True),
    Column("ended_at", BigInteger, nullable=False, index=True),
    Column("log", LargeBinary, nullable=False),  # the entries as Redis had them, so that any view can be made anew
)
