"""Load, decide, commit: the one way a game changes."""

import hashlib
import itertools
import secrets
from collections.abc import Callable
from typing import Any

import msgspec
from prometheus_client import Counter

from services.session import decide as rules
from services.session.decide import Command, Expire
from services.session.games import Games
from services.session.machine import GameLog
from services.session.match import AnyEntry, AnyMatch, Created, Entry, Fact, Player, Status
from shared import metrics
from shared.idempotency import Answer, Idempotency
from shared.ids import GameId, UserId, is_id, new_id
from shared.log.hub import Hub
from shared.log.live import LiveLog
from shared.log.store import Commit, Committed, Conflict, Kept, LogStore
from shared.problems import Problem, Unavailable

_ATTEMPTS = 12  # commits that may lose against a newer version before the caller is told to try again
_SNAPSHOT_EVERY = 64  # entries; folding that many takes about a millisecond

LiveGame = LiveLog[AnyMatch, AnyEntry]


class GameOver(msgspec.Struct, frozen=True, tag="game_over"):
    """An outbox message: a game has come to its end."""

    game: GameId
    game_type: str
    at: int


class Engine:
    def __init__(
        self,
        games: Games,
        machine: GameLog,
        hub: Hub,
        store: LogStore,
        clock: Callable[[], int],
        idle_ms: int,
    ) -> None:
        self._games = games
        self._machine = machine
        self._hub = hub
        self._store = store
        self._clock = clock
        self._idle_ms = idle_ms
        self._process = new_id()
        self._count = itertools.count()
        self._counters: dict[str, Counter] = {}  # looking a labelled counter up costs more than counting

    async def game(self, game_id: str) -> LiveGame:
        """The game as far as this process knows it; raises the 404 problem."""
        live = await self._hub.log(self._machine, game_id) if is_id(game_id) else None
        if live is None:
            raise Problem("not_found", "There is no such game.")
        return live

    async def create(
        self,
        game_id: GameId,
        game_type: str,
        options: Any,
        players: tuple[Player | None, ...],
        idem: Idempotency | None,
    ) -> Answer:
        """A new game; it starts at once if no seat is open."""
        game = self._games.game(game_type)
        seed = secrets.token_hex(32)
        commitment = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
        created = Created(game_type, options, players, seed, commitment)
        batches: list[tuple[Fact, ...]] = [(created,)]
        if None not in players:
            batches.append((rules.start(game, game_type, len(players), options, seed),))
        live: LiveGame = self._hub.fresh(self._machine, game_id)
        entries = [self._entry(facts) for facts in batches]
        steps = self._folded(None, entries)
        after = steps[-1]
        answer = Answer(201, _encode({"id": game_id, "version": 1, "status": after.status}))
        outcome = await self._commit(live, entries, None, after, idem, answer)
        if isinstance(outcome, Kept):
            assert idem is not None, "only an idempotent command has a kept answer"
            return idem.replay(outcome.record)
        if isinstance(outcome, Conflict):
            raise Unavailable("That id is in use.")
        for version, (entry, step) in enumerate(zip(entries, steps, strict=True), start=1):
            live.advance(version, entry, step)
        self._hub.hold(live)
        self._accepted("create")
        return answer

    async def submit(
        self,
        game_id: str,
        name: str,
        command: Callable[[AnyMatch], Command],
        idem: Idempotency | None,
        reply: Callable[[AnyMatch, int], dict[str, Any]] = lambda _, version: {"version": version},
    ) -> Answer:
        """Decide a command and append what it makes, again and again while others are faster."""
        live = await self._known(game_id, idem)
        if isinstance(live, Answer):
            return live
        for _ in range(_ATTEMPTS):
            state, version = live.state, live.version
            game = self._machine.game(state)
            verdict: rules.Verdict | Problem
            try:
                verdict = rules.decide(game, state, version, command(state), self._clock(), self._idle_ms)
            except Problem as problem:
                verdict = problem
            if not isinstance(verdict, tuple):
                refused = verdict if isinstance(verdict, Problem) else Problem(verdict.value)
                await live.catch_up()
                if live.version != version:
                    continue  # what was known was old news
                if kept := await self._recall(live, idem):
                    return kept
                metrics.COMMANDS.labels(name, refused.code).inc()
                raise refused
            entries = [self._entry(verdict)] if verdict else []
            after = self._folded(state, entries)[-1] if entries else state
            answer = Answer(200, _encode(reply(after, version + len(entries))))
            if not entries and idem is None:
                return answer
            outcome = await self._commit(live, entries, state, after, idem, answer)
            if isinstance(outcome, Committed):
                if entries:
                    live.advance(version + 1, entries[0], after)
                self._accepted(name)
                return answer
            if isinstance(outcome, Kept):
                assert idem is not None, "only an idempotent command has a kept answer"
                return idem.replay(outcome.record)
            metrics.CONFLICTS.inc()
            if 0 <= outcome.version < version:
                await self._hub.start_over(live)
            else:
                await live.catch_up()
        raise Unavailable("Too many others are acting on this game at the same moment.")

    def _accepted(self, name: str) -> None:
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = metrics.COMMANDS.labels(name, "accepted")
        counter.inc()

    async def expire(self, game_id: str) -> None:
        """A game's timer is due; one that is wrong, after a change of settings or a loss of data, is put right."""
        live = await self._hub.log(self._machine, game_id)
        if live is not None:
            await live.catch_up()
        due = rules.deadline(live.state, self._idle_ms) if live is not None else 0
        if live is not None and 0 < due <= self._clock():
            await self.submit(game_id, "expire", lambda _: Expire(), None)
        else:
            known = live or self._hub.fresh(self._machine, game_id)
            await self._store.commit(Commit(known.keys, known.version, [], timer=due))

    async def view(self, game_id: str, user: UserId) -> dict[str, Any]:
        """The present truth, as a user may see it."""
        live = await self.game(game_id)
        here = await self._hub.here(live)
        return self._machine.snapshot(game_id, live.version, live.state, user, here, self._clock())

    async def recall(self, game_id: str, idem: Idempotency | None) -> Answer | None:
        """The answer that a command with this key was given before, if any."""
        if idem is None:
            return None
        return await self._recall(self._hub.fresh(self._machine, game_id), idem)

    async def _known(self, game_id: str, idem: Idempotency | None) -> LiveGame | Answer:
        try:
            return await self.game(game_id)
        except Problem:
            if is_id(game_id) and (kept := await self.recall(game_id, idem)):
                return kept
            raise

    async def _recall(self, live: LiveGame, idem: Idempotency | None) -> Answer | None:
        if idem is None:
            return None
        record = await self._store.recall(idem.kept_at(live.keys.partition))
        return idem.replay(record) if record is not None else None

    def _folded(self, state: AnyMatch | None, entries: list[AnyEntry]) -> list[AnyMatch]:
        steps = []
        for entry in entries:
            state = self._machine.evolve(state, entry)
            steps.append(state)
        return steps

    def _entry(self, facts: tuple[Fact, ...]) -> AnyEntry:
        return Entry(f"{self._process}-{next(self._count)}", self._clock(), facts)

    async def _commit(
        self,
        live: LiveGame,
        entries: list[AnyEntry],
        before: AnyMatch | None,
        after: AnyMatch,
        idem: Idempotency | None,
        answer: Answer,
    ) -> Committed | Conflict | Kept:
        version = live.version + len(entries)
        deadline = rules.deadline(after, self._idle_ms)
        unchanged = before is not None and rules.deadline(before, self._idle_ms) == deadline
        over = _is_over(after) and not (before and _is_over(before))
        snapshot = b"%d %s" % (version, self._machine.encode_state(after)) if version % _SNAPSHOT_EVERY == 0 else b""
        encoded = [self._machine.encode(entry) for entry in entries]
        if len(entries) == 1:
            live.expect(encoded[0], entries[0], after)
        commit = Commit(
            keys=live.keys,
            expected=live.version,
            entries=encoded,
            timer=None if unchanged else deadline,
            outbox=[_encode(GameOver(GameId(live.keys.id), after.game_type, after.touched_at))] if over else (),
            answer=idem.keep(live.keys.partition, answer) if idem else None,
            snapshot=snapshot,
        )
        return await self._store.commit(commit)


def _is_over(match: AnyMatch) -> bool:
    return match.status in (Status.FINISHED, Status.ABORTED)


_encode = msgspec.json.Encoder().encode
