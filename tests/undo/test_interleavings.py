"""The undo protocol in every order of events.

The server is the engine's own pure core on Xs and Os, and less deep on gomoku and go. Two clients follow the rules of
session syncing (`client.py`). What happens between them happens in every order, each as a step of its own: a client
clicks play, request, approve, reject or resign; the server takes a command; a client hears the next message of its
stream; a client gets the reply to a command; time passes until a request is due; the timer fires. Streams are first in,
first out. A client awaits the reply to one click before the next; its automatic rejection goes out beside an unanswered
play, and posts that are under way together arrive in any order. Besides, in every state of the server everyone says
everything, allowed or not.

The properties:

| name | |
|---|---|
| one mover | the server gives the turn to the one seat that must move; never do both clients believe to have it |
| turns | a play is accepted from the seat to move alone, on a free cell |
| ban | a request is accepted only for one's last stone, if not asked for before, or if it crossed the answer to it |
| answered | what the protocol allows is accepted, and a late answer is refused |
| addressed | the opponent is asked once, nobody else |
| once | a request gets one verdict, told to its requester alone; none if a resignation ends the game first |
| order | the verdict precedes the response of the same commit; a response to an approval says `undone` |
| consent | a stone goes only by an approval of this very request, by the other player, in time and before a play |
| deadline | a request sets its timer and is resolved by it, not before |
| board | the board holds the stones that were accepted and not taken back |
| clock | the approver's clock stands still |
| told | for each seat and a watcher: the view before, and what was told, make the view after |
| agreement | with nothing under way, both clients believe what the server would tell them: board, turn and undo |
| nothing hangs | with nothing under way, one client may move or the game is over; no request or reply is left open |

Each mutant of the engine is caught:

| mutant | by |
|---|---|
| a stone may be asked for twice | ban |
| one may ask after the other has moved | ban |
| a request that was sent in time is refused | answered |
| a late request passes for one that crossed | ban |
| a request that crossed ends the other's | once |
| a request that crossed may be sent again | ban |
| a play leaves the request pending | once |
| a refused play resolves the request | turns |
| an approval is taken after the play | consent |
| an approval is taken after the deadline | consent |
| an approval that came late is answered like one in time | answered |
| an answer is taken for a later request | consent |
| one may approve one's own request | consent |
| a rejection takes the stone back | once |
| an automatic rejection is not obeyed | once |
| the timer does nothing | once |
| no timer is set | deadline |
| the timer fires before its time | once |
| a resignation rejects the request | once |
| the verdict is told twice | once |
| the verdict is told to all | once |
| the requester is asked too | addressed |
| the response precedes the verdict | order |
| the undone response shows the old board | told |
| the undone response does not say so | order |
| a changed sync word is told to nobody | told |
| the undo word is stale | agreement |
| the stone that was taken back can be asked for | ban |
| the stone that was taken back stays | told |
| the requester may move meanwhile | one mover |
| the approver's turn is lost | one mover |
| the clock runs on while a request is pending | clock |
"""

import pytest

from services.session.games import AnyGame, go, gomoku
from services.session.games.xsos import GAME
from tests.undo.client import VERDICTS
from tests.undo.explorer import Budget, Explorer
from tests.undo.mutants import MUTANTS, Mutant
from tests.undo.reckoning import Violation

ABOUT_TO_WIN = (1, 0, 4, 2)  # O, who has just played, may ask; X has the winning move
DEEP = Budget(plays=4, requests=2)
NEAR_THE_END = Budget(plays=2, requests=2)
WITH_RESIGNATION = Budget(plays=2, requests=1, resignations=1)


def test_in_every_order_of_four_plays_and_two_requests_the_protocol_holds() -> None:
    census = Explorer(GAME).explore((), DEEP)
    assert census.worlds > 70_000
    assert census.depth > 40
    for name in ("Ann", "Bob"):
        heard = {f"{name} hears {event}" for event in (*VERDICTS, "request_undo", "response", "sync")}
        taken = {f"server takes {name}'s {kind}: yes" for kind in ("play", "request", "approve", "reject")}
        crossed = {f"server takes {name}'s {kind}: no" for kind in ("approve", "reject")}
        automatic = {f"server takes {name}'s auto_reject: yes", "time passes", "the timer fires"}
        assert heard | taken | crossed | automatic <= census.steps


def test_a_play_that_wins_resolves_the_request_before_the_end() -> None:
    census = Explorer(GAME).explore(ABOUT_TO_WIN, NEAR_THE_END)
    assert {f"{name} hears game_over" for name in ("Ann", "Bob")} <= census.steps
    assert "Ann hears auto_reject_undo" in census.steps


def test_a_resignation_at_any_moment_leaves_nothing_open() -> None:
    census = Explorer(GAME).explore((), WITH_RESIGNATION)
    for name in ("Ann", "Bob"):
        late = {f"server takes {name}'s {kind}: no" for kind in ("play", "request", "approve", "reject")}
        assert late <= census.steps


@pytest.mark.parametrize("game", [gomoku.GAME, go.GAME], ids=["gomoku", "go"])
def test_the_protocol_is_the_same_on_other_boards(game: AnyGame) -> None:
    census = Explorer(game, size=9).explore((), Budget(plays=3, requests=1))
    assert {f"{name} hears {verdict}" for name in ("Ann", "Bob") for verdict in VERDICTS} <= census.steps


@pytest.mark.soak
@pytest.mark.parametrize(
    ("opening", "budget"),
    [
        ((), Budget(plays=6, requests=2)),
        ((), Budget(plays=4, requests=3)),
        ((), Budget(plays=3, requests=2, resignations=1)),
        (ABOUT_TO_WIN, Budget(plays=2, requests=2, resignations=1)),
    ],
)
def test_the_protocol_holds_in_depth(opening: tuple[int, ...], budget: Budget) -> None:
    assert Explorer(GAME).explore(opening, budget).worlds > 30_000


@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.name for mutant in MUTANTS])
def test_a_mutant_is_caught(mutant: Mutant, monkeypatch: pytest.MonkeyPatch) -> None:
    rule = getattr(mutant.module, mutant.attribute)
    monkeypatch.setattr(mutant.module, mutant.attribute, mutant.bend(rule))
    with pytest.raises(Violation) as caught:
        Explorer(GAME).explore((), Budget(plays=3, requests=2, resignations=1))
    assert caught.value.broken == mutant.caught_by, caught.value


def test_every_mutant_is_listed() -> None:
    listed = [f"| {mutant.name} | {mutant.caught_by} |" for mutant in MUTANTS]
    assert __doc__ is not None
    assert [
        line for line in __doc__.splitlines() if line.endswith(tuple(f"| {m.caught_by} |" for m in MUTANTS))
    ] == listed
