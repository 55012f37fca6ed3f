"""Typed settings from PARLOR_* variables."""

import secrets
from pathlib import Path
from typing import Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_SECRET_FILE = "secret"
_SHORTEST_SECRET = 32  # characters: as long as the hash that they sign with


class Settings(BaseSettings):
    """Read once, by the composition root."""

    model_config = SettingsConfigDict(env_prefix="PARLOR_", extra="ignore")

    host: str = Field("127.0.0.1", description="address to listen on")
    port: int = Field(8000, ge=0, le=65535)
    data_dir: Path = Field(Path(".parlor"), description="where the embedded Redis, SQLite and the secret live")
    redis_url: str | None = None
    database_url: str | None = None
    secret: SecretStr | None = Field(None, description="signs the tokens; the same in all services")

    trusted_proxies: str = Field("127.0.0.1", description="whose X-Forwarded-For is believed; a list with commas, or *")
    rate_limit: Literal["on", "off"] = "on"
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    log_format: Literal["auto", "json", "console"] = "auto"
    grace_ms: int = Field(5_000, ge=0, description="how long a stopping service takes to close its streams")
    idle_game_ms: int = Field(7 * 24 * 3600 * 1000, ge=1, description="a game without a clock is aborted after this")

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
