"""What the lobby keeps in SQL."""

from sqlalchemy import BigInteger, Column, String, Table

from shared.db import metadata

users = Table(
    "users",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("nick", String(64), nullable=False),
    Column("nick_key", String(128), unique=True),  # the nick without its case; only registered users have one
    Column("avatar", String(512)),
    Column("password", String(256)),
    Column("created_at", BigInteger, nullable=False),
)
