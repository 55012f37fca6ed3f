"""Who has a stream of a log open, in any process. Not part of any log: a word that is believed for a while."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from shared.ids import new_id
from shared.log.keys import LogKeys
from shared.log.live import Here, Person

BELL = b"p"  # what the doorbell says when somebody came or went
_BELIEVED_MS = 40_000  # several heartbeats long

_decode = msgspec.json.Decoder(Person).decode


class Presence:
    """Adds to a pipeline what must be said or asked about a log's visitors."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self._process = new_id().encode()

    def say(self, pipe: Any, keys: LogKeys, people: Iterable[Person]) -> None:
        """These are here, with us."""
        until = self._clock() + _BELIEVED_MS
        pipe.zadd(keys.present, {self._member(person): until for person in people})
        pipe.pexpire(keys.present, _BELIEVED_MS)

    def take_back(self, pipe: Any, keys: LogKeys, person: Person) -> None:
        pipe.zrem(keys.present, self._member(person))

    def ring(self, pipe: Any, keys: LogKeys) -> None:
        """Let every process look who is here."""
        pipe.execute_command("SPUBLISH", keys.log, BELL)

    def ask(self, pipe: Any, keys: LogKeys) -> None:
        pipe.zrangebyscore(keys.present, self._clock(), "+inf")

    def _member(self, person: Person) -> bytes:
        return self._process + b" " + msgspec.json.encode(person)


def heard(members: list[bytes]) -> Here:
    """The answer to `ask`."""
    people = [_decode(member.partition(b" ")[2]) for member in members]
    return {person.user: person for person in people}
