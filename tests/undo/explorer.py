"""Every order in which the server and two clients can act and hear of each other, each state visited once."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from services.session.games import AnyGame
from shared.kernel import Seat
from tests.undo.client import Client, Post, Told
from tests.undo.reckoning import Server, Violation, holds
from tests.undo.server import CELLS, Engine, Served, flat


class Budget(NamedTuple):
    """How much the clients may do in all; this bounds the depth."""

    plays: int
    requests: int
    resignations: int = 0

    def spent(self, kind: str) -> "Budget | None":
        """What is left after a click, None if nothing was left for it."""
        match kind:
            case "play":
                left = self._replace(plays=self.plays - 1)
            case "request":
                left = self._replace(requests=self.requests - 1)
            case "resign":
                left = self._replace(resignations=self.resignations - 1)
            case _:
                return self
        return left if min(left) >= 0 else None


class Reply(NamedTuple):
    """An answer on its way back."""

    post: Post
    accepted: bool


class World(NamedTuple):
    """Everything that is and everything that is on its way."""

    server: int  # its number among the servers met
    clients: tuple[Client, Client]
    inbox: tuple[tuple[Told, ...], tuple[Told, ...]]  # a stream each: first in, first out
    posts: frozenset[Post]  # in no order: each has a connection of its own
    replies: frozenset[Reply]
    budget: Budget


Step = tuple[str, World]


class Census(NamedTuple):
    worlds: int
    depth: int  # the most steps that are needed to reach one
    steps: frozenset[str]  # everything that ever happened


class Explorer:
    def __init__(self, game: AnyGame, **options: Any) -> None:
        self._engine = Engine(game, **options)
        self._servers: list[Server] = []
        self._numbers: dict[Server, int] = {}
        self._served: dict[tuple[int, Post | None], tuple[int, Served]] = {}

    def explore(self, opening: tuple[int, ...], budget: Budget) -> Census:
        """Visit every world that can be reached; raises the first violation met, with the way to it."""
        first = self._begin(opening, budget)
        met: dict[World, tuple[World, str] | None] = {first: None}
        layer, depth, steps = [first], 0, set()
        while True:
            following: list[World] = []
            for world in layer:
                try:
                    self._quiet(world)
                    ways = list(self._steps(world))
                    if not ways:
                        self._ended(world)
                except Violation as violation:
                    violation.add_note("\n".join(_way(met, world)))
                    raise
                for label, reached in ways:
                    steps.add(label)
                    if reached not in met:
                        met[reached] = (world, label)
                        following.append(reached)
            if not following:
                return Census(len(met), depth, frozenset(steps))
            layer = following
            depth += 1

    def _begin(self, opening: tuple[int, ...], budget: Budget) -> World:
        server = self._engine.start(*opening)
        clients = []
        for box in (0, 1):
            view = self._engine.view(server, Seat(box))
            words = (view["sync"]["turn"], view["sync"]["undo"])
            color, board = view["gamestate"]["colors"][box], flat(view["gamestate"]["board"])
            clients.append(Client(box, color, *words, board, view["version"], words))
        return World(self._number(server), (clients[0], clients[1]), ((), ()), frozenset(), frozenset(), budget)

    def _steps(self, world: World) -> Iterator[Step]:
        """All that may happen next."""
        for client in world.clients:
            for post in client.clicks():
                if left := world.budget.spent(post.kind):
                    sent = _placed(post, client, world.budget)
                    yield f"{_name(post.box)} clicks {post.kind}", _sends(world, sent)._replace(budget=left)
        for post in world.posts:
            number, served = self._serve(world.server, post)
            label = f"server takes {_name(post.box)}'s {post.kind}: {'yes' if served.accepted else 'no'}"
            replies = world.replies | {Reply(post, served.accepted)}
            yield label, _delivers(world, number, served)._replace(posts=world.posts - {post}, replies=replies)
        for reply in world.replies:
            client = world.clients[reply.post.box].is_answered(reply.post, reply.accepted)
            label = f"{_name(reply.post.box)} is answered about its {reply.post.kind}"
            yield label, _knows(world, client)._replace(replies=world.replies - {reply})
        for box in (0, 1):
            if world.inbox[box]:
                yield self._hears(world, box)
        yield from self._time(world)

    def _hears(self, world: World, box: int) -> Step:
        told, *rest = world.inbox[box]
        client, answer = world.clients[box].hears(told)
        inbox = (tuple(rest), world.inbox[1]) if box == 0 else (world.inbox[0], tuple(rest))
        heard = _knows(world, client)._replace(inbox=inbox)
        if answer is not None:
            heard = heard._replace(posts=heard.posts | {answer})
        return f"{_name(box)} hears {told.name}", heard

    def _time(self, world: World) -> Iterator[Step]:
        server = self._servers[world.server]
        if server.pending is not None and server.now < server.pending.until:
            waited = self._number(self._engine.wait(server))
            yield "time passes", world._replace(server=waited)
        if self._engine.due(server):
            number, served = self._serve(world.server, None)
            yield "the timer fires", _delivers(world, number, served)

    def _quiet(self, world: World) -> None:
        """What holds always, and what holds once nothing is on its way."""
        server = self._servers[world.server]
        movers = [client.box for client in world.clients if client.turn == "my_turn"]
        holds(len(movers) <= 1, "one mover", "both clients believe that it is their turn")
        if any(world.inbox) or world.posts or world.replies or self._engine.due(server):
            return
        holds(len(movers) == (0 if server.over else 1), "nothing hangs", f"it is the turn of {movers}")
        for client in world.clients:
            view = self._engine.view(server, Seat(client.box))
            words = (view["sync"]["turn"], view["sync"]["undo"])
            name = _name(client.box)
            holds((client.turn, client.undo) == words, "agreement", f"{name} believes {client}, the server {words}")
            holds(client.words == words, "agreement", f"{name} was last told {client.words}, the truth is {words}")
            holds(client.board == self._engine.board(server), "agreement", f"{name} sees another board")

    def _ended(self, world: World) -> None:
        """Where nothing can follow, nothing is left open."""
        server = self._servers[world.server]
        holds(server.pending is None, "nothing hangs", "a request is never resolved")
        holds(not any(client.unanswered for client in world.clients), "nothing hangs", "an answer never came")

    def _serve(self, number: int, post: Post | None) -> tuple[int, Served]:
        """What the server makes of a command, or of a due timer."""
        known = self._served.get((number, post))
        if known is None:
            server = self._servers[number]
            served = self._engine.serve(server, post) if post else self._engine.expire(server)
            known = self._served[number, post] = (self._number(served.server), served)
        return known

    def _number(self, server: Server) -> int:
        number = self._numbers.get(server)
        if number is None:
            number = self._numbers[server] = len(self._servers)
            self._servers.append(server)
            self._provoke(server)
        return number

    def _provoke(self, server: Server) -> None:
        """Whatever else anyone may say now, polite or not, is judged too; nothing comes of it."""
        versions = {stone.version for stone in server.stones[-2:]}
        seen = {None, server.match.version, *versions, *(version - 1 for version in versions)}
        for box in (0, 1):
            for kind in ("request", "approve", "reject", "auto_reject"):
                for version in seen:
                    self._engine.serve(server, Post(box, kind, version))
            for cell, mark in enumerate(self._engine.board(server)[:CELLS]):
                if mark is None:
                    self._engine.serve(server, Post(box, "play", cell=cell))
        self._engine.expire(server)


def _placed(post: Post, client: Client, budget: Budget) -> Post:
    """Where a click puts its stone: each of the game on another free cell, so that two boards are never alike."""
    if post.kind != "play":
        return post
    free = [cell for cell, mark in enumerate(client.board[:CELLS]) if mark is None]
    return post._replace(cell=free[-budget.plays % len(free)])


def _sends(world: World, post: Post) -> World:
    return _knows(world, world.clients[post.box].sends(post))._replace(posts=world.posts | {post})


def _knows(world: World, client: Client) -> World:
    one, other = world.clients
    return world._replace(clients=(client, other) if client.box == 0 else (one, client))


def _delivers(world: World, server: int, served: Served) -> World:
    inbox = (world.inbox[0] + served.told[0], world.inbox[1] + served.told[1])
    return world._replace(server=server, inbox=inbox)


def _name(box: int) -> str:
    return ("Ann", "Bob")[box]


def _way(met: dict[World, tuple[World, str] | None], world: World) -> list[str]:
    labels = []
    while (came := met[world]) is not None:
        world, label = came
        labels.append(label)
    return labels[::-1]
