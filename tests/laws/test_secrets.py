"""Nobody sees what they should not: two deals that differ only in what a viewer may not know look the same to it."""

from collections.abc import Callable
from typing import Any

import pytest

from services.session import views
from services.session.games import AnyGame
from services.session.games.cabo import Cabo
from services.session.games.cabo.bots import careful
from services.session.games.cabo.commands import Command, Discard, ReplaceCard, ShowCards
from services.session.games.cabo.events import CaboEvent, Drawn
from services.session.games.cabo.state import Phase, Table
from services.session.games.durak import Durak
from services.session.games.durak.state import State as Deal
from services.session.games.tsuro import Tsuro
from services.session.games.tsuro.state import State
from services.session.replays import Replays
from shared.kernel import Chance, Decision, GameType, Message, Refusal, Seat, Undoable, Viewer
from tests.laws.cabo_twin import CaboTwins
from tests.laws.durak_twin import DurakTwins
from tests.laws.leaks import Checker, Leak
from tests.laws.table import GAMES
from tests.laws.tsuro_twin import TsuroTwins
from tests.laws.twins import TwinMaker

TWINS: dict[str, TwinMaker] = {"cabo": CaboTwins(), "durak": DurakTwins(), "tsuro": TsuroTwins()}
COURSES = {
    "cabo": 60,
    "durak": 20,
    "tsuro": 12,
}  # each is two or three seconds of work; the long form has 50 times more
HIDDEN = [(game, t) for game in GAMES.all if game.name in TWINS for t in game.types]

of_every_hidden_game = pytest.mark.parametrize(("game", "game_type"), HIDDEN, ids=[t.game_type for _, t in HIDDEN])


def checked(game: AnyGame, game_type: GameType, courses: range) -> Checker:
    checker = Checker(game, game_type, TWINS[game.name])
    for seed in courses:
        checker.check(seed)
    return checker


@pytest.mark.parametrize("game", GAMES.all, ids=[game.name for game in GAMES.all])
def test_a_game_has_open_information_or_a_twin_maker(game: AnyGame) -> None:
    """Undo is offered only where everything is open; whatever else is registered must be checked for leaks."""
    assert issubclass(game.forms.options, Undoable) or game.name in TWINS


@of_every_hidden_game
def test_deals_that_differ_in_what_a_viewer_may_not_know_look_the_same_to_it(
    game: AnyGame, game_type: GameType
) -> None:
    checker = checked(game, game_type, range(COURSES[game.name]))
    assert sum(checker.compared.values()) > 2 * checker.courses, "hardly any deal had a twin"
    assert None in checker.compared


@pytest.mark.soak
@of_every_hidden_game
def test_thousands_of_deals_look_the_same(game: AnyGame, game_type: GameType) -> None:
    checked(game, game_type, range(1_000, 1_000 + 50 * COURSES[game.name]))


class ShowsTheNextCard(Cabo):
    def view(self, state: Table, viewer: Viewer) -> dict[str, Any]:
        return {**super().view(state, viewer), "next": state.heap[:1]}


class ShowsAllOwnCards(Cabo):
    def view(self, state: Table, viewer: Viewer) -> dict[str, Any]:
        own = [] if viewer is None else [card.value for card in state.hands[viewer]]
        return {**super().view(state, viewer), "known": own}


class TellsWhatWasDrawn(Cabo):
    def project(self, state: Table, event: CaboEvent, viewer: Viewer) -> Message:
        message = super().project(state, event, viewer)
        return Message(message.event, {**message.data, "value": event.value}) if isinstance(event, Drawn) else message


class OffersOnlyShowsThatSucceed(Cabo):
    def legal_moves(self, state: Table, seat: Seat) -> list[Command]:
        def succeeds(show: ShowCards) -> bool:
            return len({state.hands[seat][index].value for index in show.hand_card_indexes}) == 1

        return [move for move in super().legal_moves(state, seat) if not isinstance(move, ShowCards) or succeeds(move)]


class RefusesInAnotherWordWhenTheNextCardIsHigh(Cabo):
    def decide(self, state: Table, seat: Seat, move: Command, chance: Chance) -> Decision[CaboEvent] | Refusal:
        verdict = super().decide(state, seat, move, chance)
        is_high = bool(state.heap) and state.heap[0] > 6
        return Refusal.ILLEGAL_MOVE if verdict is Refusal.WRONG_PHASE and is_high else verdict


class HasABotThatCheats(Cabo):
    @staticmethod
    def looks_at_its_cards(state: Table, seat: Seat, chance: Chance) -> Command:
        if state.phase is not Phase.ACT:
            return careful(state, seat, chance)
        values = [card.value for card in state.hands[seat]]
        worst = max(range(len(values)), key=values.__getitem__)
        return ReplaceCard(worst) if values[worst] > (state.drawn or 0) else Discard()

    bots = {"careful": looks_at_its_cards}  # noqa: RUF012  (a table of functions, never changed)


class LetsTheTileOfAnotherShow(Tsuro):
    def view(self, state: State, viewer: Viewer) -> dict[str, Any]:
        return {**super().view(state, viewer), "hand": state.hand}


class ShowsWhatIsDrawnNext(Durak):
    def view(self, state: Deal, viewer: Viewer) -> dict[str, Any]:
        return {**super().view(state, viewer), "next": state.deck[:1]}


@pytest.mark.parametrize(
    ("planted", "place"),
    [
        (ShowsTheNextCard, "the view"),
        (ShowsAllOwnCards, "the view"),
        (TellsWhatWasDrawn, "a message"),
        (OffersOnlyShowsThatSucceed, "legal_moves"),
        (RefusesInAnotherWordWhenTheNextCardIsHigh, "a refusal"),
        (HasABotThatCheats, "a bot's choice"),
        (LetsTheTileOfAnotherShow, "the view"),
        (ShowsWhatIsDrawnNext, "the view"),
    ],
)
def test_a_planted_leak_is_found(planted: Callable[[], AnyGame], place: str) -> None:
    game = planted()
    with pytest.raises(Leak) as found:
        checked(game, game.types[0], range(30))
    assert found.value.place == place


def test_a_view_that_runs_ahead_of_the_waves_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "_known_position", lambda game, match, viewer: match.position)
    with pytest.raises(Leak, match="the view"):
        checked(Cabo(), Cabo.types[0], range(100))


def test_a_replay_that_shows_a_seat_what_another_saw_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = Replays._events
    monkeypatch.setattr(Replays, "_events", lambda self, game, step, viewer: honest(self, game, step, Seat(0)))
    with pytest.raises(Leak, match="the replay"):
        checked(Cabo(), Cabo.types[0], range(30))
