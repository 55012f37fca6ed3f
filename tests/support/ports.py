"""Ports for servers that cannot choose one themselves, and for places where nobody may listen.

The kernel hands out ports of its own range to clients and to servers that ask for port 0; a port that was probed there
and let go may be another's a moment later. These come from below that range, and each process that tests has some for
itself: it keeps listening at the first one, which claims the others too.
"""

import socket
from functools import cache
from pathlib import Path

_FIRST, _LAST = 10_000, 32_000
_EACH = 1_000
_EPHEMERAL = Path("/proc/sys/net/ipv4/ip_local_port_range")


def own_port() -> int:
    """A loopback port at which nobody listens, and nobody will but who is told of it."""
    return own_ports(1)


def own_ports(number: int) -> int:
    """The first of so many such ports in a row."""
    return _own().row(number)


class Ports:
    """A range of ports and the claim on it."""

    def __init__(self, claim: socket.socket) -> None:
        self._claim = claim  # as long as it is open
        self._first: int = claim.getsockname()[1] + 1
        self._next: int = self._first

    def row(self, number: int) -> int:
        """So many in a row that are free; a port comes again only when all others have had their turn."""
        for _ in range(_EACH):
            if self._next + number > self._first + _EACH - 1:
                self._next = self._first
            first, self._next = self._next, self._next + number
            if all(_is_free(port) for port in range(first, first + number)):
                return first
        raise AssertionError(f"of {_EACH} ports from {self._first} on none is free")


@cache
def _own() -> Ports:
    lowest = int(_EPHEMERAL.read_text().split()[0]) if _EPHEMERAL.exists() else _LAST
    for first in range(_FIRST, min(_LAST, lowest) - _EACH, _EACH):
        claim = socket.socket()
        try:
            claim.bind(("127.0.0.1", first))
            claim.listen()
        except OSError:
            claim.close()
        else:
            return Ports(claim)
    raise AssertionError(f"every range of ports between {_FIRST} and {_LAST} is claimed")


def _is_free(port: int) -> bool:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", port))
        except OSError:
            return False
        return True
