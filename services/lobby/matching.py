"""Who is brought together: tickets by what they ask for and by rating, and the choice among them.

The index changes in place, because a copy for each ticket would make a long queue slow. Adding and removing are each
other's inverse, so that whatever was done can be taken back. Time is an argument, and the choice itself only reads.
"""

from bisect import bisect_left, insort
from collections import Counter, deque
from typing import TypeAlias

import msgspec

from services.lobby.letters import Ticket
from shared.ids import UserId

Combo: TypeAlias = tuple[str, int, int]  # game type, seats, bet

UNLIMITED_AFTER_MS = 10_000
_FIRST_WINDOW = 2.0  # in points of skill, of which a newcomer has 25 give or take 8
_LAST_WINDOW = 12.0  # just before it becomes unlimited
_STEPS = 5  # how often a window widens until then; each may cost a look at the queue
_RECENT = 50  # matched tickets whose waiting time is remembered


def window(waited_ms: int) -> float:
    """How far from its own rating a ticket accepts others after a wait."""
    if waited_ms >= UNLIMITED_AFTER_MS:
        return float("inf")
    step = max(0, waited_ms) * _STEPS // UNLIMITED_AFTER_MS
    return _FIRST_WINDOW + (_LAST_WINDOW - _FIRST_WINDOW) * step / (_STEPS - 1)


_WIDENS_AFTER = tuple(UNLIMITED_AFTER_MS * step // _STEPS for step in range(1, _STEPS + 1))


def _types(ticket: Ticket) -> set[str]:
    return {game_type for game_type, *_ in ticket.combos}


class Match(msgspec.Struct, frozen=True):
    """Tickets that play together, the oldest first."""

    combo: Combo
    tickets: tuple[Ticket, ...]


class Tickets:
    """Who waits in a queue, found by age, by combination and by rating."""

    def __init__(self) -> None:
        self.by_id: dict[str, Ticket] = {}
        self.recent: deque[int] = deque(maxlen=_RECENT)  # how long those who were matched last had waited
        self.by_type: Counter[str] = Counter()  # how many would take a game type
        self._by_age: list[tuple[int, str]] = []
        self._by_user: dict[UserId, dict[str, None]] = {}
        self._by_combo: dict[Combo, list[tuple[float, str]]] = {}  # by rating
        self._queued: dict[Combo, dict[str, None]] = {}  # by arrival

    def add(self, ticket: Ticket) -> None:
        self.by_id[ticket.id] = ticket
        insort(self._by_age, (ticket.since, ticket.id))
        self._by_user.setdefault(ticket.who.user, {})[ticket.id] = None
        self.by_type.update(_types(ticket))
        for combo in ticket.combos:
            insort(self._by_combo.setdefault(combo, []), (ticket.ratings[combo[0]], ticket.id))
            self._queued.setdefault(combo, {})[ticket.id] = None

    def remove(self, ticket_id: str) -> Ticket:
        ticket = self.by_id.pop(ticket_id)
        del self._by_age[bisect_left(self._by_age, (ticket.since, ticket_id))]
        self.by_type.subtract(_types(ticket))
        mine = self._by_user[ticket.who.user]
        del mine[ticket_id]
        if not mine:
            del self._by_user[ticket.who.user]
        for combo in ticket.combos:
            ranked = self._by_combo[combo]
            del ranked[bisect_left(ranked, (ticket.ratings[combo[0]], ticket_id))]
            del self._queued[combo][ticket_id]
            if not ranked:
                del self._by_combo[combo], self._queued[combo]
        return ticket

    def waiting(self) -> dict[Combo, int]:
        return {combo: len(ranked) for combo, ranked in sorted(self._by_combo.items())}

    def of_user(self, user: UserId) -> Ticket | None:
        """A user's ticket, the first of several."""
        return next((self.by_id[ticket_id] for ticket_id in self._by_user.get(user, ())), None)

    def widened(self, looked_at: int, now: int) -> list[Ticket]:
        """Those whose window has widened between two times, the oldest first."""
        found: set[tuple[int, str]] = set()
        for after in _WIDENS_AFTER:
            first = bisect_left(self._by_age, (looked_at - after + 1, ""))
            found.update(self._by_age[first : bisect_left(self._by_age, (now - after + 1, ""))])
        return [self.by_id[ticket_id] for _, ticket_id in sorted(found)]

    def widens_next(self, now: int) -> int | None:
        """When the next window widens."""
        times = []
        for after in _WIDENS_AFTER:
            first = bisect_left(self._by_age, (now - after + 1, ""))
            if first < len(self._by_age):
                times.append(self._by_age[first][0] + after)
        return min(times, default=None)

    def patient(self, combo: Combo, now: int) -> list[Ticket]:
        """Those who ask for a combination and have waited beyond every window."""
        found = []
        for ticket_id in self._queued.get(combo, ()):
            if now - self.by_id[ticket_id].since < UNLIMITED_AFTER_MS:
                break
            found.append(self.by_id[ticket_id])
        return found

    def near(self, combo: Combo, rating: float, reach: float) -> list[Ticket]:
        """Those who ask for a combination, within reach of a rating, the nearest first."""
        ranked = self._by_combo.get(combo, [])
        first = 0 if reach == float("inf") else bisect_left(ranked, (rating - reach, ""))
        found = []
        for i in range(first, len(ranked)):  # not a slice, which would copy the rest of a long queue
            theirs, ticket_id = ranked[i]
            if theirs > rating + reach:
                break
            found.append((abs(theirs - rating), self.by_id[ticket_id].since, ticket_id))
        return [self.by_id[ticket_id] for *_, ticket_id in sorted(found)]


def match_for(tickets: Tickets, ticket: Ticket, now: int, reach: float | None = None) -> Match | None:
    """Partners for a ticket: the closest in rating within its window, at most one ticket of each user."""
    reach = window(now - ticket.since) if reach is None else reach
    for combo in ticket.combos:
        party, users = [ticket], {ticket.who.user}
        for other in tickets.near(combo, ticket.ratings[combo[0]], reach):
            if other.who.user not in users:
                party.append(other)
                users.add(other.who.user)
            if len(party) == combo[1]:
                return Match(combo, (ticket, *sorted(party[1:], key=lambda each: each.since)))
    return None


def match_with(tickets: Tickets, newcomer: Ticket, now: int) -> Match | None:
    """A match that has become possible by a newcomer: the oldest ticket that it helps is served."""
    helped = {other.id: other for combo in newcomer.combos for other in _in_sight(tickets, newcomer, combo, now)}
    for ticket in sorted(helped.values(), key=lambda each: (each.since, each.id)):
        if found := match_for(tickets, ticket, now):
            return found
    return match_for(tickets, newcomer, now)


def _in_sight(tickets: Tickets, newcomer: Ticket, combo: Combo, now: int) -> list[Ticket]:
    """Those in whose window a newcomer lies.

    They are few: whoever is near enough to each other has been matched, except tickets of one user, and of those who
    have waited beyond every window a combination holds at most one short of a match.
    """
    rating = newcomer.ratings[combo[0]]
    near = tickets.near(combo, rating, _LAST_WINDOW)
    patient = tickets.patient(combo, now)
    seen = {t.id: t for t in (*near, *patient) if abs(t.ratings[combo[0]] - rating) <= window(now - t.since)}
    seen.pop(newcomer.id, None)
    return list(seen.values())


def why_not(tickets: Tickets, ticket: Ticket, now: int) -> str:
    """Why a ticket has not been matched: nobody asks for the same, too few do, or their ratings are too far off."""
    others = [
        {t.who.user for t in tickets.near(combo, 0.0, float("inf")) if t.who.user != ticket.who.user}
        for combo in ticket.combos
    ]
    if not any(others):
        return "nobody_else"
    if any(len(users) >= combo[1] - 1 for users, combo in zip(others, ticket.combos, strict=True)):
        return "ratings_too_far_apart"
    return "too_few_players"
