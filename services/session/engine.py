"""Load, decide, commit: the one way a game changes."""

import asyncio
import hashlib
import itertools
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

import msgspec
import structlog
from prometheus_client import Counter

from services.session import bots, undo
from services.session import decide as rules
from services.session.decide import Command, Credit, Expire, Pace
from services.session.facts import AnyEntry, Created, Entry, Fact, Player
from services.session.games import Games
from services.session.machine import GameLog
from services.session.match import AnyMatch, Status
from services.session.news import game_over, news
from services.session.verdict import Ballot, Moot, Verdict
from shared import metrics, tracing
from shared.idempotency import Answer, Idempotency
from shared.ids import GameId, UserId, is_id, new_id
from shared.log.commit import Commit, Committed, Conflict, Kept, Vote
from shared.log.hub import Hub
from shared.log.live import LiveLog
from shared.log.store import LogStore
from shared.problems import Problem, Unavailable

_ATTEMPTS = 12  # commits that may lose against a newer version before the caller is told to try again
_SNAPSHOT_EVERY = 64  # entries; folding that many takes about a millisecond

log = structlog.get_logger()

LiveGame = LiveLog[AnyMatch, AnyEntry]
Reply = Callable[[AnyMatch, int, tuple[Fact, ...]], dict[str, Any]]
"""The body of an answer, from the match after the command, its version and the facts that were made."""


def version_only(match: AnyMatch, version: int, facts: tuple[Fact, ...]) -> dict[str, Any]:
    return {"version": version}


class Engine:
    def __init__(
        self,
        games: Games,
        machine: GameLog,
        hub: Hub,
        store: LogStore,
        clock: Callable[[], int],
        pace: Pace,
        archived: Callable[[GameId], Awaitable[list[bytes]]],
    ) -> None:
        """`archived` answers the entries of a game whose log Redis has let go, none if there was no such game."""
        self._games = games
        self._machine = machine
        self._hub = hub
        self._store = store
        self._clock = clock
        self._pace = pace
        self._archived = archived
        self._process = new_id()
        self._count = itertools.count()
        self._counters: dict[str, Counter] = {}  # looking a labelled counter up costs more than counting

    async def game(self, game_id: str) -> LiveGame:
        """The game as far as this process knows it; raises the 404 problem."""
        if not is_id(game_id):
            raise Problem("not_found", "There is no such game.")
        live = await self._hub.log(self._machine, game_id)
        return live if live is not None and live.version else await self._from_archive(GameId(game_id))

    async def _from_archive(self, game_id: GameId) -> LiveGame:
        """A game that ended so long ago that its log is gone. It takes no command any more, so nothing is held."""
        live: LiveGame = self._hub.fresh(self._machine, game_id)
        for version, raw in enumerate(await self._archived(game_id), start=1):
            live.ring(version, raw)
        if not live.version:
            raise Problem("not_found", "There is no such game.")
        return live

    async def create(
        self,
        game_id: GameId,
        game_type: str,
        options: Any,
        players: tuple[Player | None, ...],
        idem: Idempotency | None,
        table: str | None = None,
        order: int = 0,
    ) -> Answer:
        """A new game; it starts at once if no seat is open, unless it is made for a table of the lobby."""
        game = self._games.game(game_type)
        seed = secrets.token_hex(32)
        commitment = hashlib.sha256(bytes.fromhex(seed)).hexdigest()
        created = Created(game_type, options, players, seed, commitment, table, order)
        batches: list[tuple[Fact, ...]] = [(created,)]
        if None not in players and table is None:
            batches.append((rules.start(game, game_type, len(players), options, seed),))
        live: LiveGame = self._hub.fresh(self._machine, game_id)
        entries = [self._entry(facts) for facts in batches]
        steps = self._folded(None, entries)
        answer = Answer(201, _encode({"id": game_id, "version": 1, "status": steps[-1].status}))
        outcome = await self._commit(live, entries, None, steps, idem, answer)
        if isinstance(outcome, Kept):
            assert idem is not None, "only an idempotent command has a kept answer"
            return idem.replay(outcome.record)
        if isinstance(outcome, Conflict):
            raise Unavailable("That id is in use.")
        self._hub.hold(live)
        self._accepted("create")
        return answer

    async def submit(
        self,
        game_id: str,
        name: str,
        command: Callable[[AnyMatch], Command],
        idem: Idempotency | None,
        reply: Reply = version_only,
    ) -> Answer:
        """Decide a command and append what it makes, again and again while others are faster."""
        live = await self._known(game_id, idem)
        if isinstance(live, Answer):
            return live
        for _ in range(_ATTEMPTS):
            state, version = live.state, live.version
            verdict = self._decided(state, version, command)
            if not self._is_final(live, verdict) and await live.catch_up():
                continue  # what was known was old news
            if not isinstance(verdict, tuple | Ballot | Moot):
                refused = verdict if isinstance(verdict, Problem) else Problem(verdict.value)
                if kept := await self._recall(live, idem):
                    return kept
                metrics.COMMANDS.labels(name, refused.code).inc()
                raise refused
            facts = () if isinstance(verdict, Moot) else verdict.facts if isinstance(verdict, Ballot) else verdict
            entries = [self._entry(facts)] if facts else []
            steps = self._folded(state, entries)
            after = steps[-1] if steps else state
            answer = Answer(200, _encode(reply(after, version + len(entries), facts)))
            if not entries and idem is None:
                await self._store.confirm(live.keys.log)
                return answer
            vote = self._vote(verdict, live, idem) if isinstance(verdict, Ballot) else None
            outcome = await self._commit(live, entries, state, steps, idem, answer, vote)
            if isinstance(outcome, Committed):
                self._accepted(name)
                if outcome.version == version:
                    return Answer(200, _encode(reply(state, version, ())))
                return answer
            if isinstance(outcome, Kept):
                assert idem is not None, "only an idempotent command has a kept answer"
                return idem.replay(outcome.record)
            metrics.CONFLICTS.inc()
            if 0 <= outcome.version < version:
                await self._hub.start_over(live)
                live = await self.game(game_id)
            else:
                await live.catch_up()
        raise Unavailable("Too many others are acting on this game at the same moment.")

    def _decided(self, state: AnyMatch, version: int, command: Callable[[AnyMatch], Command]) -> Verdict | Problem:
        game = self._machine.game(state)
        try:
            return rules.decide(game, state, version, command(state), self._clock(), self._pace)
        except Problem as problem:
            return problem

    @staticmethod
    def _is_final(live: LiveGame, verdict: Verdict | Problem) -> bool:
        """May it be judged by what we know? A commit finds out by itself whether that was old news."""
        if isinstance(verdict, Moot):
            return not live.is_in_doubt
        return isinstance(verdict, Ballot) or (isinstance(verdict, tuple) and verdict != ())

    def _vote(self, ballot: Ballot, live: LiveGame, idem: Idempotency | None) -> Vote:
        waiting = Answer(200, _encode(version_only(live.state, live.version, ())))
        record = idem.keep(live.keys.partition, waiting).record if idem else b""
        return Vote(str(ballot.box), str(ballot.wave), [str(box) for box in ballot.others], record)

    def _accepted(self, name: str) -> None:
        counter = self._counters.get(name)
        if counter is None:
            counter = self._counters[name] = metrics.COMMANDS.labels(name, "accepted")
        counter.inc()

    async def expire(self, game_id: str, in_charge: bool = True) -> None:
        """A game's timer is due; one that is wrong, after a change of settings or a loss of data, is put right.

        Only whoever is in charge of the partition knows that move clocks have been credited with outages.
        """
        live = await self._hub.log(self._machine, game_id)
        if live is not None:
            await live.catch_up()
        due = rules.deadline(live.state, self._pace) if live is not None and live.version else 0
        if live is None or not 0 < due <= self._clock():
            known = live or self._hub.fresh(self._machine, game_id)
            await self._store.commit(Commit(known.keys, known.version, [], timer=due))
        elif errand := bots.errand(live.state):
            await self._run(live, errand)
        else:
            await self.submit(game_id, "expire", lambda _: Expire(in_charge), None)

    async def _run(self, live: LiveGame, errand: bots.Errand) -> None:
        """Do what a bot has to do, as any player would: by a command."""
        state, version = live.state, live.version
        command: Command
        match errand:
            case bots.ToAnswerUndo(box):
                command = rules.AnswerUndo(box, undo.Answer.APPROVE)
            case bots.ToAnswerDraw(box):
                command = rules.Draw(box, "reject")
            case bots.ToMove(box):
                # A bot may think for a while; meanwhile the loop serves others.
                move = await asyncio.to_thread(bots.choice, self._machine.game(state), state, box, version)
                command = rules.Play(box, move, only_at=version)
        try:
            await self.submit(live.keys.id, "bot", lambda _: command, None)
        except Unavailable:
            raise
        except Problem as problem:
            log.info("bot_came_late", game=live.keys.id, code=problem.code)

    async def credit(self, game_id: str, begun: int, until: int) -> None:
        """The service was away: move clocks stood still meanwhile."""
        if await self._hub.log(self._machine, game_id) is not None:
            await self.submit(game_id, "credit", lambda _: Credit(begun, until), None)

    async def mark_away(
        self,
        game_id: str,
        user: UserId,
        away: bool,
        idem: Idempotency | None,
        check: Callable[[], None] = lambda: None,
    ) -> Answer:
        """A player leaves for a while, or is back; this is no part of the log. `check` raises for an unfit body."""
        live = await self._known(game_id, idem)
        if isinstance(live, Answer):
            return live
        if kept := await self._recall(live, idem):
            return kept
        check()
        await live.catch_up()
        if live.state.box_of(user) is None:
            raise Problem("forbidden", "You have no seat in this game.")
        if live.state.over:
            raise Problem("wrong_state")
        await self._hub.mark_away(live, user, away)
        answer = Answer(200, _encode({"version": live.version}))
        if idem is not None:
            await self._commit(live, [], live.state, [], idem, answer)
        return answer

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

    async def is_deserted(self, game_id: GameId) -> bool:
        """Has everyone left a game that runs? Bots do not leave, nor does who plays without the lobby."""
        live = await self.game(game_id)
        here = await self._hub.here(live)
        away = {user for user, person in here.items() if person.away}
        return live.state.status is Status.ACTIVE and all(each and each.user in away for each in live.state.players)

    async def report(self, game_id: GameId) -> None:
        """Say once more that a game is over, if it is."""
        live = await self.game(game_id)
        await live.catch_up()
        if live.state.over:
            outbox = [_encode(game_over(game_id, live.state))]
            await self._store.commit(Commit(live.keys, live.version, [], outbox=outbox))

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
        return Entry(tracing.signed(f"{self._process}-{next(self._count)}"), self._clock(), facts)

    async def _commit(
        self,
        live: LiveGame,
        entries: list[AnyEntry],
        before: AnyMatch | None,
        steps: list[AnyMatch],
        idem: Idempotency | None,
        answer: Answer,
        vote: Vote | None = None,
    ) -> Committed | Conflict | Kept:
        """Append, and move our own copy of the game on."""
        after = steps[-1] if steps else before
        assert after is not None, "a game begins with an entry"
        version = live.version + len(entries)
        deadline = rules.deadline(after, self._pace)
        # A bot's turn may be due in the same millisecond as the one before: whoever acted on that must be rung again.
        is_due = 0 < deadline <= self._clock()
        unchanged = before is not None and rules.deadline(before, self._pace) == deadline and not is_due
        snapshot = b"%d %s" % (version, self._machine.encode_state(after)) if version % _SNAPSHOT_EVERY == 0 else b""
        encoded = [self._machine.encode(entry) for entry in entries]
        if len(entries) == 1:
            live.expect(encoded[0], entries[0], after)
        commit = Commit(
            keys=live.keys,
            expected=live.version,
            entries=encoded,
            timer=None if unchanged else deadline,
            outbox=[_encode(each) for each in news(GameId(live.keys.id), before, after)],
            answer=idem.keep(live.keys.partition, answer) if idem else None,
            snapshot=snapshot,
            vote=vote,
            past=live.past_of_commit,
        )
        outcome = await self._store.commit(commit)
        if isinstance(outcome, Committed) and outcome.version == version:
            live.landed(commit, zip(entries, steps, strict=True))
        return outcome


_encode = msgspec.json.Encoder().encode
