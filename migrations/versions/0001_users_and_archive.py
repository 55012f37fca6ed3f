"""Users, and the archive of finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("nick", sa.String(64), nullable=False),
        sa.Column("nick_key", sa.String(128)),
        sa.Column("avatar", sa.String(512)),
        sa.Column("password", sa.String(256)),
        sa.Column("created_at", sa.BigInteger, nullable=False),
        sa.UniqueConstraint("nick_key", name="uq_users_nick_key"),
    )
    op.create_table(
        "archived_games",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("game_type", sa.String(64), nullable=False),
        sa.Column("ended_at", sa.BigInteger, nullable=False),
        sa.Column("log", sa.LargeBinary, nullable=False),
    )
    op.create_index("ix_archived_games_game_type", "archived_games", ["game_type"])
    op.create_index("ix_archived_games_ended_at", "archived_games", ["ended_at"])


def downgrade() -> None:
    op.drop_table("archived_games")
    op.drop_table("users")
