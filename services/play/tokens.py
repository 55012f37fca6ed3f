"""Who a strategy is, remembered over restarts: without its token a guest could not take its seat again."""

import hashlib
import os
from pathlib import Path


class TokenFile:
    """One file per server, game and nick, readable by its owner only."""

    def __init__(self, url: str, game: str, nick: str) -> None:
        home = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        name = hashlib.sha256(f"{url.rstrip('/')} {game} {nick}".encode()).hexdigest()[:32]
        self._path = home / "parlor" / f"{name}.token"

    def read(self) -> str | None:
        try:
            return self._path.read_text().strip() or None
        except FileNotFoundError:
            return None

    def write(self, token: str) -> None:
        """Keep a token; whoever reads meanwhile finds the old one or the new one, never half of it."""
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        fresh = self._path.with_suffix(f".{os.getpid()}")
        fresh.touch(mode=0o600)
        fresh.write_text(token)
        fresh.replace(self._path)

    def forget(self) -> None:
        self._path.unlink(missing_ok=True)
