"""Who has a stream of a log open, in any process, and who is away. Not part of any log: a word believed for a while."""

from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from shared.ids import UserId, new_id
from shared.log.keys import LogKeys
from shared.log.live import Here, Person

BELL = b"p"  # what the doorbell says when somebody came or went
_BELIEVED_MS = 40_000  # several heartbeats long
_AWAY_MS = 30 * 24 * 3600 * 1000  # longer than any game waits for its players
_AWAY = b"away"  # stands where else a process names itself

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

    def mark(self, pipe: Any, keys: LogKeys, user: UserId, away: bool) -> None:
        """Somebody says to be away, until further notice and whatever happens to us."""
        member = _AWAY + b" " + user.encode()  # not the nick, which may be another by the time of return
        if away:
            pipe.zadd(keys.away, {member: self._clock() + _AWAY_MS})
            pipe.pexpire(keys.away, _AWAY_MS)
        else:
            pipe.zrem(keys.away, member)

    def ring(self, pipe: Any, keys: LogKeys) -> None:
        """Let every process look who is here."""
        pipe.execute_command("SPUBLISH", keys.log, BELL)

    def ask(self, pipe: Any, keys: LogKeys) -> None:
        pipe.zunion([keys.present, keys.away], withscores=True)

    def heard(self, members: list[tuple[bytes, float]]) -> Here:
        """The answer to `ask`."""
        here: Here = {}
        away: list[UserId] = []
        now = self._clock()
        for member, until in members:
            if until >= now:
                word, _, raw = member.partition(b" ")
                if word == _AWAY:
                    away.append(UserId(raw.decode()))
                else:
                    person = _decode(raw)
                    here[person.user] = person
        for user in away:
            known = here.get(user, Person(user, "", None, online=False))
            here[user] = msgspec.structs.replace(known, away=True)
        return here

    def _member(self, person: Person) -> bytes:
        return self._process + b" " + msgspec.json.encode(person)
