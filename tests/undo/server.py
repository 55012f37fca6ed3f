"""The real engine without its Redis, and beside it the little that must be remembered to judge what it does.

Every command is judged where it is served: by the stones, the request and the deadline that the outside can count,
never by what the engine keeps inside.
"""

from typing import Any, NamedTuple

import msgspec

from services.session import decide as rules
from services.session import undo, views
from services.session.facts import AnyEntry, Created, Entry, Fact, Player, Started
from services.session.games import AnyGame
from services.session.match import evolve
from services.session.verdict import Ballot
from shared.ids import UserId
from shared.kernel import Message, Seat, Viewer
from tests.support.convergence import fold, law
from tests.support.sse import Event
from tests.undo.client import VERDICTS, Cells, Post, Told
from tests.undo.reckoning import Pending, Server, Stone, holds

UNDO_SECONDS = 20
BEGINNING = 1_000_000
PACE = rules.Pace(idle_ms=7 * 24 * 3600 * 1000, bot_ms=300)
SEED = "00" * 32
CELLS = 9  # on a larger board the first row is enough: the rules of undo do not depend on the place
VIEWERS: tuple[Viewer, ...] = (None, Seat(0), Seat(1))


class Served(NamedTuple):
    server: Server
    accepted: bool
    told: tuple[tuple[Told, ...], tuple[Told, ...]]


Mail = dict[Viewer, list[Message]]


class Engine:
    """Serves posts and deadlines, and judges each."""

    def __init__(self, game: AnyGame, **options: Any) -> None:
        self._game = game
        self._options = msgspec.convert({"undo_time": UNDO_SECONDS, **options}, game.forms.options)

    def start(self, *cells: int) -> Server:
        """A game in which these cells have been played, by turns."""
        game_type = self._game.types[0].game_type
        players = (Player(UserId("u0"), "Ann", None), Player(UserId("u1"), "Bob", None))
        started: Started[Any, Any] = rules.start(self._game, game_type, 2, self._options, SEED)
        created = self._entry((Created(game_type, self._options, players, SEED, "commitment"), started), BEGINNING)
        match = evolve(self._game, None, created)
        self._plays = self._game.legal_moves(match.position, match.acting[0])[:CELLS]
        server = Server(match, BEGINNING, match.acting[0], ())
        for cell in cells:
            server = self.serve(server, Post(server.mover, "play", cell=cell)).server
        return server

    def view(self, server: Server, viewer: Viewer) -> dict[str, Any]:
        shown = views.view(self._game, server.match, "g", server.match.version, viewer, {}, server.now)
        plain: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(shown))
        return plain

    def due(self, server: Server) -> bool:
        return 0 < rules.deadline(server.match, PACE) <= server.now

    def wait(self, server: Server) -> Server:
        """Time passes until the pending request is due."""
        assert server.pending is not None
        return server._replace(now=server.pending.until)

    def expire(self, server: Server) -> Served:
        """The timer fires."""
        verdict = rules.decide(self._game, server.match, server.match.version, rules.Expire(), server.now, PACE)
        assert isinstance(verdict, tuple)
        served, mail = self._commit(server, verdict)
        asked = server.pending
        late = asked is not None and asked.until <= server.now
        expected = {asked.by: ["timeup_reject_undo"]} if asked and late else {}
        self._verdicts(mail, expected)
        if late:
            served = served._replace(server=served.server._replace(pending=None))
            holds(bool(verdict), "deadline", "a request outlives its deadline")
        else:
            holds(not verdict, "deadline", "the timer did something before anything was due")
        return self._judged(server, served)

    def serve(self, server: Server, post: Post) -> Served:
        """What becomes of a command, once it has been judged."""
        verdict = rules.decide(self._game, server.match, server.match.version, self._command(post), server.now, PACE)
        assert not isinstance(verdict, Ballot)
        if not isinstance(verdict, tuple):
            holds(not self._legitimate(server, post), "answered", f"{post} was refused: {verdict}")
            return Served(server, False, ((), ()))
        served, mail = self._commit(server, verdict)
        match post.kind:
            case "play":
                served = self._played(server, post, served, mail)
            case "request":
                served = self._requested(server, post, served, mail)
            case "resign":
                self._verdicts(mail, {})
                served = served._replace(server=served.server._replace(pending=None))
            case _:
                served = self._answered(server, post, served, mail)
        return self._judged(server, served)

    def _legitimate(self, server: Server, post: Post) -> bool:
        """Must this be accepted?"""
        if server.over:
            return False
        match post.kind:
            case "play":
                free = post.cell is not None and self.board(server)[post.cell] is None
                return free and post.box == server.mover
            case "request":
                return server.may_ask(post.box) or server.crosses(post.box, post.seen)
            case "auto_reject" | "resign":
                return True
            case _:
                return server.may_answer(post)

    def _played(self, server: Server, post: Post, served: Served, mail: Mail) -> Served:
        holds(self._legitimate(server, post), "turns", f"{post} was accepted")
        asked = server.pending
        self._verdicts(mail, {asked.by: ["auto_reject_undo"]} if asked else {})
        for viewer in VIEWERS:
            names = [m.event for m in mail[viewer]]
            verdict = ["auto_reject_undo"] if asked and viewer == asked.by else []
            holds(names[: len(verdict) + 1] == [*verdict, "response"], "order", names)
        assert post.cell is not None
        stone = Stone(post.box, post.cell, served.server.match.version)
        return served._replace(server=served.server._replace(stones=(*server.stones, stone), pending=None))

    def _requested(self, server: Server, post: Post, served: Served, mail: Mail) -> Served:
        holds(self._legitimate(server, post), "ban", f"{post} was accepted")
        after = served.server
        if not server.may_ask(post.box):
            self._verdicts(mail, {post.box: ["auto_reject_undo"]})
            mine, theirs = server.stones[-2:]
            return served._replace(
                server=after._replace(stones=(*server.stones[:-2], mine._replace(asked=True), theirs))
            )
        self._verdicts(mail, {})
        asked = {viewer: [m.event for m in mail[viewer]].count("request_undo") for viewer in VIEWERS}
        holds(asked == {None: 0, Seat(post.box): 0, Seat(1 - post.box): 1}, "addressed", asked)
        pending = Pending(post.box, after.match.version, server.now + UNDO_SECONDS * 1000)
        holds(rules.deadline(after.match, PACE) == pending.until, "deadline", "no timer is set for the request")
        stones = (*server.stones[:-1], server.stones[-1]._replace(asked=True))
        return served._replace(server=after._replace(stones=stones, pending=pending))

    def _answered(self, server: Server, post: Post, served: Served, mail: Mail) -> Served:
        if not server.may_answer(post):
            holds(served.server == server, "consent", f"{post} had an effect")
            holds(post.kind == "auto_reject", "answered", f"{post} was not refused")
            return served
        asked = server.pending
        assert asked is not None
        self._verdicts(mail, {asked.by: [f"{post.kind}_undo"]})
        after = served.server._replace(pending=None)
        if post.kind != "approve":
            return served._replace(server=after)
        for viewer in VIEWERS:
            names = [m.event for m in mail[viewer]]
            verdict = ["approve_undo"] if viewer == asked.by else []
            holds(names == [*verdict, "response"], "order", names)
            holds(mail[viewer][-1].data.get("undone") is True, "order", "the response does not say `undone`")
        # Whoever had moved before cannot ask any more: the one who took back has answered that move once.
        rest = tuple(stone._replace(asked=True) for stone in server.stones[:-1])
        return served._replace(server=after._replace(stones=rest))

    def _verdicts(self, mail: Mail, expected: dict[int, list[str]]) -> None:
        """Each request is resolved once, and its requester alone is told."""
        for viewer in VIEWERS:
            told = [m.event for m in mail[viewer] if m.event in VERDICTS]
            due = expected.get(viewer, []) if viewer is not None else []
            holds(told == due, "once", f"{viewer} was told {told}, not {due}")

    def _judged(self, before: Server, served: Served) -> Served:
        """What must hold whatever happened."""
        after = served.server
        acting = [viewer for viewer in VIEWERS if views.sync(after.match, viewer)["turn"] == "my_turn"]
        holds(acting == ([] if after.over else [after.mover]), "one mover", f"by the server's word {acting}")
        holds(self.board(after) == self._reckoned(after), "board", f"{self.board(after)}, not {self._reckoned(after)}")
        holds((after.pending is None) == (after.match.undo is None), "once", "the engine still has a request")
        for wait in views.waits(after.match, after.now):
            holds(wait.name != "move" or wait.tick == 0, "clock", "time passes only while a request is pending")
        return served

    def board(self, server: Server) -> Cells:
        """The board as the engine shows it."""
        return flat(self._game.view(server.match.position, None)["board"])

    def _reckoned(self, server: Server) -> Cells:
        """The board as the stones that were accepted and not taken back make it."""
        shown = self._game.view(server.match.position, None)
        cells: list[str | None] = [None] * len(flat(shown["board"]))
        for stone in server.stones:
            cells[stone.cell] = shown["colors"][stone.box]
        return tuple(cells)

    def _command(self, post: Post) -> rules.Command:
        box = Seat(post.box)
        match post.kind:
            case "play":
                assert post.cell is not None
                return rules.Play(box, self._plays[post.cell])
            case "request":
                return rules.AskUndo(box, post.seen)
            case "resign":
                return rules.Resign(box)
            case answer:
                return rules.AnswerUndo(box, undo.Answer(answer), post.seen)

    def _commit(self, server: Server, facts: tuple[Fact, ...]) -> tuple[Served, Mail]:
        if not facts:
            return Served(server, True, ((), ())), {viewer: [] for viewer in VIEWERS}
        entry = self._entry(facts, server.now)
        after = server._replace(match=evolve(self._game, server.match, entry))
        mail = {
            viewer: views.messages(self._game, "g", server.match, entry, after.match, after.match.version, viewer, {})
            for viewer in VIEWERS
        }
        for viewer in VIEWERS:
            self._converges(server, after, viewer, mail[viewer])
        version = after.match.version
        told = tuple(tuple(_told(m, version) for m in mail[Seat(box)]) for box in (0, 1))
        return Served(after, True, (told[0], told[1])), mail

    def _converges(self, before: Server, after: Server, viewer: Viewer, mail: list[Message]) -> None:
        """What a viewer was told of a commit leads from the view before it to the view after it."""
        version = after.match.version
        data = [msgspec.json.decode(msgspec.json.encode({"version": version, **m.data})) for m in mail]
        snapshot = Event(None, "snapshot", self.view(before, viewer))
        believed = fold(snapshot, [Event(None, m.event, d) for m, d in zip(mail, data, strict=True)])
        truth = self.view(after, viewer)
        holds(law(believed) == law(truth), "told", f"{viewer}: {law(believed)}, not {law(truth)}")

    def _entry(self, facts: tuple[Fact, ...], now: int) -> AnyEntry:
        return Entry("e", now, facts)


def _told(message: Message, version: int) -> Told:
    data = message.data
    words = (data["sync"]["turn"], data["sync"]["undo"])
    if message.event != "response":
        return Told(message.event, version, words)
    return Told(message.event, version, words, data["color"], data.get("undone", False), flat(data["board"]))


def flat(board: Any) -> Cells:
    """A board as one row."""
    return tuple(place for row in board for place in row) if isinstance(board[0], list | tuple) else tuple(board)
