"""How the log of a room is read, and what its players are shown."""

from collections.abc import Hashable
from functools import lru_cache
from typing import Any

import msgspec

from services.relay import rooms
from services.relay.rooms import FORM, Entry, Room
from shared.ids import UserId, derived_id
from shared.log import forms
from shared.log.live import Here
from shared.sse import Verbatim

_decode_entry = msgspec.msgpack.Decoder(Entry).decode
_decode_room = msgspec.msgpack.Decoder(Room).decode
_encode = msgspec.msgpack.Encoder().encode


@lru_cache(maxsize=65536)  # as many as log_keys keeps; making one costs more than deciding a message
def room_id(utou: str) -> str:
    """A room's name in Redis: of one length whatever clients call it, and not the secret itself."""
    return derived_id("room", utou)


def server_msg(payload: bytes) -> Verbatim:
    return Verbatim("server_msg", payload)


class RoomLog:
    """The relay's kind of numbered log. MessagePack, because it holds payloads byte for byte."""

    service = "relay"
    kind = "room"

    def encode(self, entry: Entry) -> bytes:
        return _encode(entry)

    def decode(self, state: Room | None, raw: bytes) -> Entry:
        entry: Entry = forms.entry(_decode_entry, raw, FORM)
        return entry

    def evolve(self, state: Room | None, entry: Entry) -> Room:
        return rooms.evolve(state, entry)

    def encode_state(self, state: Room) -> bytes:
        return forms.stamped(_encode(state), FORM)

    def decode_state(self, raw: bytes) -> Room:
        room: Room = forms.state(_decode_room, raw, FORM)
        return room

    def perspective(self, state: Room, user: UserId) -> Hashable:
        return user

    def regroups(self, before: Room | None, after: Room) -> bool:
        return False

    def messages(
        self,
        log_id: str,
        version: int,
        before: Room | None,
        entry: Entry,
        after: Room,
        user: UserId,
        here: Here,
        now: int | None,
    ) -> list[Verbatim]:
        if after.player(user) is None:  # whose stream has outlived the room is told nothing of its next life
            return []
        return [server_msg(payload) for payload in rooms.told(entry, user)]

    def snapshot(self, log_id: str, version: int, state: Room, user: UserId, here: Here, now: int) -> dict[str, Any]:
        return {
            "utouId": state.utou,
            "version": version,
            "phase": state.phase,
            "players": [
                {
                    "from": player.user,
                    "name": player.name,
                    "imgURL": player.img,
                    "expectedSeq": player.expected,
                    "online": player.user in here,
                }
                for player in state.players
            ],
            "game": state.game,
            "strict": state.strict,
        }

    def presence(self, state: Room, here: Here) -> dict[str, Any]:
        players = [{"from": player.user, "online": player.user in here} for player in state.players]
        return {"players": players, "watchers": []}
