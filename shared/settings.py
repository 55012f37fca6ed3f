"""Typed settings from PARLOR_* variables."""

import secrets
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from shared.servers.address import FORMS, parsed

_SECRET_FILE = "secret"
_SHORTEST_SECRET = 32  # characters: as long as the hash that they sign with


class Settings(BaseSettings):
    """Read once, by the composition root."""

    model_config = SettingsConfigDict(env_prefix="PARLOR_", extra="ignore")

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8000, ge=0, le=65535)
    data_dir: Path = Field(Path(".parlor"), description="where the embedded Redis, SQLite and the secret live")
    redis_url: str | None = Field(None, description=FORMS)
    redis_wait_replicas: int = Field(0, ge=0, description="replicas that must have a write before it is answered")
    redis_wait_ms: int = Field(1_000, ge=1, le=4_000, description="how long they are waited for")
    database_url: str | None = None
    secret: SecretStr | None = Field(None, description="signs the tokens; the same in all services")

    trusted_proxies: str = Field("127.0.0.1", description="whose X-Forwarded-For is believed; a list with commas, or *")
    rate_limit: Literal["on", "off"] = "on"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    metrics_port: int | None = Field(
        None, ge=1, le=65535, description="with --workers, the first of as many ports at which each shows its metrics"
    )
    tracing: Literal["off", "otlp", "console"] = Field("off", description="where traces go; OTEL_* say more")
    log_format: Literal["auto", "json", "console"] = "auto"
    grace_ms: int = Field(5_000, ge=0, description="how long a stopping service takes to close its streams")
    idle_game_ms: int = Field(7 * 24 * 3600 * 1000, ge=1, description="a game without a clock is aborted after this")
    bot_delay_ms: int = Field(300, ge=0, description="how long a bot takes for a move when humans are at the table")
    begin_wait_ms: int = Field(10_000, ge=0, description="a match begins by itself after this")
    revanche_wait_ms: int = Field(30_000, ge=0, description="how long a rematch is waited for")
    sitdown_wait_ms: int = Field(30_000, ge=0, description="how long a box stays reserved")
    empty_table_ms: int = Field(30_000, ge=0, description="a table that nobody is at disappears after this")
    abandon_ms: int = Field(60_000, ge=0, description="a game that all players have left is aborted after this")
    linger_ms: int = Field(120_000, ge=1, description="whoever has no stream any more counts as online for this long")
    session_url: str | None = Field(None, description="where a lobby that runs alone asks for views of games")
    grant_fun: int = Field(10_000, ge=0, le=10**9, description="play money that every new user is given")
    admins: str = Field("", description="ids of the users who own the rooms; a list with commas")
    chat_filter: str | None = Field(None, description="`module:function` that every chat message passes through")
    relay_idle_ms: int = Field(3600 * 1000, ge=1, description="a relay room with nobody in it is closed after this")
    relay_forget_ms: int = Field(
        30 * 24 * 3600 * 1000, ge=1, description="a closed relay room's number is kept so long"
    )

    liff_channel_id: str | None = Field(None, min_length=1, description="the audience of LINE's ID tokens")
    liff_channel_secret: SecretStr | None = Field(None, description="checks ID tokens signed with HS256")
    liff_keys: Path | None = Field(None, description="public keys that check ID tokens: a file, JWKS or PEM")
    liff_issuer: str = "https://access.line.me"

    @field_validator("redis_url")
    @classmethod
    def _known_form(cls, url: str | None) -> str | None:
        if url is not None:
            parsed(url)
        return url

    @field_validator("secret")
    @classmethod
    def _long_enough(cls, secret: SecretStr | None) -> SecretStr | None:
        if secret is not None and len(secret.get_secret_value()) < _SHORTEST_SECRET:
            raise ValueError(f"needs at least {_SHORTEST_SECRET} characters")
        return secret


def embedded_secret(data_dir: Path) -> str:
    """The data directory's own secret, made on the first run and readable by its owner only."""
    path = data_dir / _SECRET_FILE
    if not path.exists():
        draft = path.with_suffix(".new")
        draft.touch(mode=0o600)
        draft.write_text(secrets.token_urlsafe(48))
        draft.rename(path)  # whole or not at all, should the first run be killed
    return path.read_text().strip()
