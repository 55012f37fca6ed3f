"""Ratings, the games that they were made of, and the history of chats."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ratings",
        sa.Column("user_id", sa.String(64), primary_key=True),
        sa.Column("game_type", sa.String(64), primary_key=True),
        sa.Column("mu", sa.Float, nullable=False),
        sa.Column("sigma", sa.Float, nullable=False),
        sa.Column("rating", sa.Float, nullable=False),
        sa.Column("games", sa.Integer, nullable=False),
        sa.Column("wins", sa.Integer, nullable=False),
    )
    op.create_index("ix_ratings_rating", "ratings", ["rating"])
    op.create_table(
        "rated_games",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("ended_at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "chat_entries",
        sa.Column("chat", sa.String(64), primary_key=True),
        sa.Column("number", sa.BigInteger, primary_key=True, autoincrement=False),
        sa.Column("event", sa.String(16), nullable=False),
        sa.Column("user_id", sa.String(64), nullable=False),
        sa.Column("nick", sa.String(64), nullable=False),
        sa.Column("avatar", sa.String(512)),
        sa.Column("ts", sa.BigInteger, nullable=False),
        sa.Column("text", sa.String(2048)),
    )


def downgrade() -> None:
    op.drop_table("chat_entries")
    op.drop_table("rated_games")
    op.drop_table("ratings")
