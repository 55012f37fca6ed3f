"""What a player of go asks for."""

from typing import TypeAlias

from services.session.games.stones import Play
from shared.kernel import Move


class Pass(Move, frozen=True, tag="pass"):
    pass


AnyMove: TypeAlias = Play | Pass
PASS = Pass()
