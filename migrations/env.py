"""Alembic's entry: runs the versions on the database that `shared.db.migrate` names."""

import asyncio

from alembic import context
from sqlalchemy import Connection

import services.lobby.tables
import services.session.tables  # noqa: F401  (each service's tables belong to the metadata)
from shared import db


def _run(connection: Connection) -> None:
    context.configure(connection=connection, target_metadata=db.metadata, render_as_batch=True)
    with context.begin_transaction():
        context.run_migrations()


async def _migrate() -> None:
    engine = db.engine(context.config.attributes["url"])
    async with engine.connect() as connection:
        await connection.run_sync(_run)
        await connection.commit()
    await engine.dispose()


asyncio.run(_migrate())
