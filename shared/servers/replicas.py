"""Waiting until replicas have what was written, so that it outlives the server that was told."""

import msgspec

from shared.problems import Unavailable


class Replicas(msgspec.Struct, frozen=True):
    """How many must have a write before it is answered, and for how long they are waited for."""

    number: int
    within_ms: int

    def question(self, key: str) -> list[tuple[str | int, ...]]:
        """Two commands that follow others on the same connection; the last reply is how many replicas have it all.

        WAIT speaks of what its own connection wrote last. The write of ours makes it speak of everything that the
        server was told before, whoever did: an answer that was kept by another process may not be replicated yet.
        """
        stem = key.partition("}")[0] + "}"  # any key of that server would do
        return [("SET", f"{stem}:asked", 1), ("WAIT", self.number, self.within_ms)]


class Unconfirmed(Unavailable):
    """It is written, but may be lost with its server; a repeat with the same key tells what became of it."""

    def __init__(self) -> None:
        super().__init__("Not enough replicas have confirmed it in time; whether it lasts is not known.")
