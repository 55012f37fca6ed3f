"""A client written from the rules of session syncing alone: what it believes, what it may do, what it does by itself.

It awaits the answer to one click before the next; only its automatic rejection goes out beside a play that is
still on its way, and the two may overtake each other.
"""

from typing import NamedTuple

Words = tuple[str, str]
"""Turn and undo, as `sync` spells them."""
Cells = tuple[str | None, ...]

VERDICTS = ("approve_undo", "reject_undo", "auto_reject_undo", "timeup_reject_undo")
CLICKS = ("play", "request", "approve", "reject", "resign")


class Post(NamedTuple):
    """A command on its way to the server."""

    box: int
    kind: str
    seen: int | None = None
    cell: int | None = None
    about: int | None = None  # the version of the request that it answers


class Told(NamedTuple):
    """A message on its way to a client, as far as a client of the seed looks at it."""

    name: str
    version: int
    words: Words
    color: str | None = None
    undone: bool = False
    board: Cells | None = None


class Client(NamedTuple):
    box: int
    color: str
    turn: str
    undo: str
    board: Cells
    seen: int
    words: Words  # the last that the server said
    playing: bool = False  # a play of ours has not come back
    request: int | None = None  # the version of the request that we were asked to answer
    unanswered: tuple[str, ...] = ()
    over: bool = False

    def clicks(self) -> list[Post]:
        """What its buttons allow."""
        if self.over or any(kind in CLICKS for kind in self.unanswered):
            return []
        allowed = []
        if self.turn == "my_turn":
            allowed.append(self._post("play"))
        if self.undo == "allow":
            allowed.append(self._post("request"))
        if self.undo == "approving":
            allowed += [self._post("approve"), self._post("reject")]
        return [*allowed, self._post("resign")]

    def sends(self, post: Post) -> "Client":
        """What it believes once a command is out, before any answer."""
        sent = self._replace(unanswered=tuple(sorted((*self.unanswered, post.kind))))
        match post.kind:
            case "play":
                return sent._replace(turn="not_my_turn", undo="ban", playing=True, request=None)
            case "request":
                return sent._replace(undo="requesting")
            case "approve":
                return sent._replace(turn="not_my_turn", undo="ban")
            case "reject":
                return sent._replace(undo="ban")
            case _:
                return sent

    def hears(self, told: Told) -> tuple["Client", Post | None]:
        """What it believes after a message, and what it answers by itself."""
        client = self._replace(seen=told.version, words=told.words)
        if told.name == "response":
            return client._response(told), None
        if told.name == "request_undo":
            if self.turn == "my_turn":
                return client._replace(undo="approving", request=told.version), None
            answer = Post(self.box, "auto_reject", told.version, about=told.version)
            return client.sends(answer), answer
        if told.name == "approve_undo":
            return client._replace(turn="my_turn", undo="ban"), None
        if told.name in VERDICTS:
            # A verdict on a request that crossed may come while we are asked about the other's.
            return client._replace(undo="approving" if self.undo == "approving" else "ban"), None
        if told.name == "game_over":
            return client._replace(turn="not_my_turn", undo="ban", over=True, playing=False, request=None), None
        assert told.name == "sync", f"a message that no client knows: {told}"
        turn, undo = told.words
        still_asked = self.request if undo == "approving" else None
        return client._replace(turn=self.turn if self.playing else turn, undo=undo, request=still_asked), None

    def is_answered(self, post: Post, accepted: bool) -> "Client":
        unanswered = list(self.unanswered)
        unanswered.remove(post.kind)
        client = self._replace(unanswered=tuple(unanswered))
        if accepted or self.over:
            return client
        if post.kind == "request":
            return client._replace(undo="ban")
        if post.kind in ("approve", "reject") and self.request == post.about:
            return client._replace(turn="my_turn", undo="ban", request=None)
        return client

    def _response(self, told: Told) -> "Client":
        assert told.board is not None, "a response shows the board"
        seen = self._replace(board=told.board)
        mine = told.color == self.color
        if told.undone:
            return seen if mine else seen._replace(turn="not_my_turn", undo="ban", request=None)
        if mine:
            return seen._replace(turn="not_my_turn", undo="allow", playing=False)
        return seen._replace(turn="my_turn", undo="ban")

    def _post(self, kind: str) -> Post:
        return Post(self.box, kind, self.seen, about=self.request)
