"""SQL: what outlives a game. SQLite on a laptop, PostgreSQL elsewhere."""

from pathlib import Path

from alembic import command
from alembic.config import Config
from sqlalchemy import MetaData, event, make_url, text
from sqlalchemy.engine.interfaces import DBAPIConnection
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine
from sqlalchemy.pool import ConnectionPoolEntry

_PATIENCE = 30  # seconds for SQLite, which is slow on a busy machine rather than away

MIGRATIONS = Path(__file__).parent.parent / "migrations"

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
        "pk": "pk_%(table_name)s",
    }
)


def engine(url: str) -> AsyncEngine:
    """An engine for either database, asked for by an address without a driver's name or with it."""
    address = make_url(url)
    if address.get_backend_name() == "sqlite":
        # SQLite has one writer at a time and lets the others in at random: here they stand in line for a connection.
        made = create_async_engine(
            address.set(drivername="sqlite+aiosqlite"), pool_size=1, max_overflow=0, pool_timeout=_PATIENCE
        )
        event.listen(made.sync_engine, "connect", _tame_sqlite)
        return made
    return create_async_engine(
        address.set(drivername="postgresql+asyncpg"),
        pool_size=5,
        max_overflow=10,
        pool_timeout=3,
        pool_pre_ping=True,
    )


def migrate(url: str) -> None:
    """Bring the database to the newest form. Blocks, and runs its own event loop: call it before serving."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    config.attributes["url"] = url
    command.upgrade(config, "head")


async def check(db: AsyncEngine) -> None:
    """Raises unless the database answers and has been migrated."""
    async with db.connect() as connection:
        await connection.execute(text("SELECT version_num FROM alembic_version"))


def _tame_sqlite(connection: DBAPIConnection, _: ConnectionPoolEntry) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL", f"busy_timeout={_PATIENCE * 1000}", "foreign_keys=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
