"""How the log of a game is read: codecs for each game, and the fold and views of a match behind one face."""

from collections.abc import Hashable
from typing import Any

import msgspec

from services.session import views
from services.session.facts import FORM, AnyEntry, Created, Entry
from services.session.games import AnyGame, Games
from services.session.match import AnyMatch, Match, evolve
from shared.ids import UserId
from shared.kernel import Message
from shared.log import forms
from shared.log.forms import NotUnderstood
from shared.log.live import Here


class _TypeOnly(msgspec.Struct):
    game_type: str


class GameLog:
    """The session service's kind of numbered log."""

    service = "session"
    kind = "game"

    def __init__(self, games: Games) -> None:
        self._games = games
        self._codecs = {
            t.game_type: (
                msgspec.json.Decoder(_bound(Entry, own.options, own.state, own.event, own.move)).decode,
                msgspec.json.Decoder(_bound(Match, own.options, own.state, own.event)).decode,
            )
            for game in games.all
            for own in (game.forms,)
            for t in game.types
        }
        self._untyped = msgspec.json.Decoder(Entry[Any, Any, Any, Any]).decode
        self._encode = msgspec.json.Encoder().encode

    def game(self, match: AnyMatch) -> AnyGame:
        return self._games.game(match.game_type)

    def encode(self, entry: AnyEntry) -> bytes:
        return self._encode(entry)

    def decode(self, state: AnyMatch | None, raw: bytes) -> AnyEntry:
        game_type = state.game_type if state else _created(forms.entry(self._untyped, raw, FORM)).game_type
        entry: AnyEntry = forms.entry(self._codec(game_type)[0], raw, FORM)
        return entry

    def _codec(self, game_type: str) -> tuple[Any, Any]:
        if game_type not in self._codecs:
            raise NotUnderstood  # a game that is not installed here
        return self._codecs[game_type]

    def evolve(self, state: AnyMatch | None, entry: AnyEntry) -> AnyMatch:
        game_type = state.game_type if state else _created(entry).game_type
        return evolve(self._games.game(game_type), state, entry)

    def encode_state(self, state: AnyMatch) -> bytes:
        return forms.stamped(self._encode(state), FORM)

    def decode_state(self, raw: bytes) -> AnyMatch:
        form, body = forms.opened(raw)
        if form != FORM:
            raise NotUnderstood  # the whole log is there to be folded instead
        game_type = msgspec.json.decode(body, type=_TypeOnly).game_type
        match: AnyMatch = self._codec(game_type)[1](body)
        return match

    def perspective(self, state: AnyMatch, user: UserId) -> Hashable:
        return state.box_of(user)

    def regroups(self, before: AnyMatch | None, after: AnyMatch) -> bool:
        return before is None or before.players is not after.players

    def messages(
        self,
        log_id: str,
        version: int,
        before: AnyMatch | None,
        entry: AnyEntry,
        after: AnyMatch,
        user: UserId,
        here: Here,
        now: int | None,
    ) -> list[Message]:
        viewer = after.box_of(user)
        return views.messages(self.game(after), log_id, before, entry, after, version, viewer, here, now)

    def snapshot(
        self, log_id: str, version: int, state: AnyMatch, user: UserId, here: Here, now: int
    ) -> dict[str, Any]:
        return views.view(self.game(state), state, log_id, version, state.box_of(user), here, now)

    def presence(self, state: AnyMatch, here: Here) -> dict[str, Any]:
        return views.presence(state, here)


def _bound(generic: Any, *forms: Any) -> Any:
    """A generic type with a game's own types in it."""
    return generic[forms]


def _created(entry: AnyEntry) -> Created[Any]:
    first = entry.facts[0]
    assert isinstance(first, Created), "a log begins with Created"
    return first
