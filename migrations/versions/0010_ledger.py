"""The ledger of play money: accounts, transactions, and entries that are never changed."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "ledger_accounts",
        sa.Column("id", sa.String(128), primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("owner", sa.String(64), nullable=False),
        sa.Column("currency", sa.String(16), nullable=False),
    )
    op.create_index("ix_ledger_accounts_owner", "ledger_accounts", ["owner"])
    op.create_table(
        "ledger_transactions",
        sa.Column("key", sa.String(128), primary_key=True),
        sa.Column("reason", sa.String(16), nullable=False),
        sa.Column("currency", sa.String(16), nullable=False),
        sa.Column("game", sa.String(64)),
        sa.Column("rake", sa.Integer, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "ledger_entries",
        sa.Column("transaction_key", sa.String(128), primary_key=True),
        sa.Column("line", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("account", sa.String(128), nullable=False),
        sa.Column("change", sa.BigInteger, nullable=False),
        sa.Column("number", sa.BigInteger),
        sa.Column("balance", sa.BigInteger),
        sa.ForeignKeyConstraint(
            ["transaction_key"],
            ["ledger_transactions.key"],
            name="fk_ledger_entries_transaction_key_ledger_transactions",
        ),
        sa.ForeignKeyConstraint(["account"], ["ledger_accounts.id"], name="fk_ledger_entries_account_ledger_accounts"),
        sa.UniqueConstraint("account", "number", name="uq_ledger_entries_account"),
        sa.CheckConstraint("balance >= 0", name="ck_ledger_entries_not_below_zero"),
    )


def downgrade() -> None:
    op.drop_table("ledger_entries")
    op.drop_table("ledger_transactions")
    op.drop_table("ledger_accounts")
