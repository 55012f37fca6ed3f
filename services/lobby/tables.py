"""What the lobby keeps in SQL."""

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Column,
    Float,
    ForeignKey,
    Integer,
    String,
    Table,
    UniqueConstraint,
)

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

ratings = Table(
    "ratings",
    metadata,
    Column("user_id", String(64), primary_key=True),
    Column("game_type", String(64), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("rating", Float, nullable=False, index=True),  # what is surely there: mu less three sigma
    Column("games", Integer, nullable=False),
    Column("wins", Integer, nullable=False),
)

rated_games = Table(
    "rated_games",
    metadata,
    Column("id", String(64), primary_key=True),  # a game counts once
    Column("ended_at", BigInteger, nullable=False),
)

chat_entries = Table(
    "chat_entries",
    metadata,
    Column("chat", String(64), primary_key=True),
    Column("number", BigInteger, primary_key=True, autoincrement=False),
    Column("event", String(16), nullable=False),
    Column("user_id", String(64), nullable=False),
    Column("nick", String(64), nullable=False),
    Column("avatar", String(512)),
    Column("ts", BigInteger, nullable=False),
    Column("text", String(2048)),
)

ledger_accounts = Table(
    "ledger_accounts",
    metadata,
    Column("id", String(128), primary_key=True),
    Column("kind", String(16), nullable=False),
    Column("owner", String(64), nullable=False, index=True),  # a user or a game; empty for the house and the mint
    Column("currency", String(16), nullable=False),
)

ledger_transactions = Table(
    "ledger_transactions",
    metadata,
    Column("key", String(128), primary_key=True),  # what it is for: nothing is paid twice
    Column("reason", String(16), nullable=False),
    Column("currency", String(16), nullable=False),
    Column("game", String(64)),
    Column("rake", Integer, nullable=False),
    Column("at", BigInteger, nullable=False),
)

# Users' entries are numbered per account without gaps and carry the balance after them. Whoever appends must know the
# last one: of two who do so at the same moment one finds its number taken. Nobody waits for the house or the mint.
ledger_entries = Table(
    "ledger_entries",
    metadata,
    Column("transaction_key", ForeignKey("ledger_transactions.key"), primary_key=True),
    Column("line", Integer, primary_key=True, autoincrement=False),
    Column("account", ForeignKey("ledger_accounts.id"), nullable=False),
    Column("change", BigInteger, nullable=False),
    Column("number", BigInteger),
    Column("balance", BigInteger),
    UniqueConstraint("account", "number"),
    CheckConstraint("balance >= 0", name="ck_ledger_entries_not_below_zero"),
)
