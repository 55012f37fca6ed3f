"""Repeated commands get their first answer."""

import hashlib
import re

import msgspec

from shared.ids import UserId, derived_id
from shared.log.commit import KeptAnswer
from shared.log.keys import Partition
from shared.problems import Problem, invalid

_KEPT_SECONDS = 24 * 3600
_KEY = re.compile(rb"[\x21-\x7e]{1,128}")


class Answer(msgspec.Struct, frozen=True):
    """What a command is answered with, ready to send."""

    status: int
    body: bytes
    replayed: bool = False


class Idempotency(msgspec.Struct, frozen=True):
    """A caller's key for one path, and the body it came with."""

    name: str
    fingerprint: bytes

    def kept_at(self, partition: Partition) -> str:
        return partition.answer(self.name)

    def keep(self, partition: Partition, answer: Answer) -> KeptAnswer:
        record = b"%s %d %s" % (self.fingerprint, answer.status, answer.body)
        return KeptAnswer(self.kept_at(partition), record, _KEPT_SECONDS)

    def replay(self, record: bytes) -> Answer:
        """The first answer again; raises when the key came with another body then."""
        fingerprint, status, body = record.split(b" ", 2)
        if fingerprint != self.fingerprint:
            raise Problem("idempotency_mismatch")
        return Answer(int(status), body, replayed=True)


def idempotency_of(headers: dict[bytes, bytes], user: UserId, path: str, body: bytes) -> Idempotency | None:
    key = headers.get(b"idempotency-key")
    if key is None:
        return None
    if not _KEY.fullmatch(key):
        raise invalid("Idempotency-Key: 1 to 128 visible ASCII characters.")
    name = derived_id(user, path, key.decode())
    return Idempotency(name, hashlib.sha256(body).hexdigest()[:32].encode())
