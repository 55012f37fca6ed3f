"""`parlor tsuro`: a game, or a series of games, on this machine."""

import json
import random
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from typing import Annotated, Literal

import typer
from rich.console import Group
from rich.live import Live
from rich.panel import Panel
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table
from rich.text import Text

from parlor_sdk.sandbox import BadStrategy
from services.play import drawing
from services.play.local import BUILT_IN, Contestant, Step, Tally, outcome, played, secret_of
from services.play.terminal import MISUSED, err, fail, note, out
from services.session.games.tsuro import GAME
from services.session.games.tsuro.state import COLORS, AnyMove, State, TilePlaced, TsuroOptions
from shared.kernel import Bot, Outcome, Seat

Invalid = Literal["discard", "eliminate"]
Supply = Literal["shuffled", "ordered"]
Players = Sequence[Bot[State, AnyMove]]
_SEATS = GAME.types[0].seats


@dataclass(frozen=True)
class Line:
    """One seat of a game, for printing."""

    box: int
    color: str
    strategy: str

    def __str__(self) -> str:
        return f"{self.color} {self.strategy}"


def tsuro(
    strategies: Annotated[
        list[str], typer.Argument(help="Two to eight of first, last, random, greedy, or your own my_bot:MyBot.")
    ],
    seed: Annotated[int | None, typer.Option(help="Decides all chance; the same seed gives the same games.")] = None,
    games: Annotated[int, typer.Option(min=1, help="Play a series and count the wins.")] = 1,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print the winners and nothing else.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    invalid: Annotated[Invalid, typer.Option(help="What a bad move costs: the move, or the avatar.")] = "discard",
    supply: Annotated[Supply, typer.Option(help="How each round of all 35 tiles is dealt.")] = "shuffled",
    limit: Annotated[float, typer.Option(min=0.01, help="Seconds that a strategy of yours has for a move.")] = 10.0,
    delay: Annotated[float, typer.Option(min=0, help="Seconds between two moves on a terminal.")] = 0.1,
) -> None:
    """Play Tsuro here: show the board as it grows and print the winners.

    Winners go to stdout, one line each: colour and strategy. Boards and progress go to stderr.
    """
    if len(strategies) not in _SEATS:
        fail("Tsuro is for two to eight strategies.", "For example: parlor tsuro first random greedy", MISUSED)
    seats = [Line(box, COLORS[box], name) for box, name in enumerate(strategies)]
    options = TsuroOptions(invalid=invalid, supply=supply)
    seed = random.randrange(10**6) if seed is None else seed
    silent = quiet or as_json
    with _seated(strategies, limit, silent) as players:
        if games == 1:
            steps = played(players, options, secret_of(seed, 0))
            end = _end(steps) if silent else _watched(steps, seats, seed, delay)
            _print_game(seats, end, seed, as_json)
        else:
            tally = _series(players, options, seed, games, silent)
            _print_series(seats, tally, seed, quiet, as_json)


@contextmanager
def _seated(names: Sequence[str], limit: float, silent: bool) -> Iterator[Players]:
    notice = (lambda words: None) if silent else note
    with ExitStack() as stack:
        players: list[Bot[State, AnyMove]] = []
        for name in names:
            if ":" not in name and name not in BUILT_IN:
                hint = f"Choose among {', '.join(BUILT_IN)}, or name your own like my_bot:MyBot."
                fail(f"There is no strategy {name!r}.", hint, MISUSED)
            try:
                player = stack.enter_context(Contestant(name, limit, notice)) if ":" in name else BUILT_IN[name]
            except BadStrategy as bad:
                fail(f"This strategy cannot be used: {bad}", "It must be a class derived from Strategy.", MISUSED)
            players.append(player)
        yield players


def _end(steps: Iterator[Step]) -> State:
    state = None
    for state, _ in steps:  # noqa: B007  (the last one is wanted)
        pass
    assert state is not None, "a game has at least its opening"
    return state


def _watched(steps: Iterator[Step], seats: Sequence[Line], seed: int, delay: float) -> State:
    """Play a game before the user's eyes; where there is no terminal, show how it ended."""
    owners: dict[int, Seat] = {}
    state = None
    with Live(console=err, auto_refresh=False, transient=False) as live:
        for state, events in steps:
            owners.update((event.square, event.seat) for event in events if isinstance(event, TilePlaced))
            if err.is_terminal:
                live.update(_picture(state, owners, seats, seed), refresh=True)
                time.sleep(delay)
        assert state is not None, "a game has at least its opening"
        live.update(_picture(state, owners, seats, seed), refresh=True)
    return state


def _picture(state: State, owners: dict[int, Seat], seats: Sequence[Line], seed: int) -> Group:
    over = GAME.to_act(state)
    words = Text()
    for line in seats:
        words.append("● ", drawing.STYLES[line.color]).append(f"{line} ").append(_fate(state, over, line.box), "dim")
    title = f"Tsuro · seed {seed} · move {state.number}"
    return Group(Panel(drawing.board(state, owners), title=title, width=64), words)


def _fate(state: State, over: tuple[Seat, ...] | Outcome, box: int) -> str:
    seat = Seat(box)
    if isinstance(over, Outcome):
        return "won  " if seat in over.winners else "     "
    avatar = state.avatar(seat)
    if avatar is None:
        return "out  " if state.is_gone(seat) else "     "
    return "loop " if avatar.looped else "     "


def _series(players: Players, options: TsuroOptions, seed: int, games: int, silent: bool) -> Tally:
    tally = Tally()
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=err, disable=silent or not err.is_terminal, transient=True) as progress:
        task = progress.add_task("playing", total=games)
        for number in range(games):
            tally.add(outcome(_end(played(players, options, secret_of(seed, number)))))
            progress.advance(task)
    return tally


def _print_game(seats: Sequence[Line], end: State, seed: int, as_json: bool) -> None:
    over = outcome(end)
    if as_json:
        players = [asdict(line) for line in seats]
        told = {"seed": seed, "players": players, "winners": over.winners, "reason": over.reason, "moves": end.number}
        print(json.dumps(told))
        return
    for seat in over.winners:
        print(seats[seat])


def _print_series(seats: Sequence[Line], tally: Tally, seed: int, quiet: bool, as_json: bool) -> None:
    counts = [(line, tally.wins[Seat(line.box)], tally.shared[Seat(line.box)]) for line in seats]
    if as_json:
        players = [{**asdict(line), "wins": wins, "shared": shared} for line, wins, shared in counts]
        print(json.dumps({"seed": seed, "games": tally.games, "players": players, "reasons": dict(tally.reasons)}))
        return
    if quiet:
        for line, wins, _ in counts:
            print(line, wins)
        return
    table = Table("colour", "strategy", title=f"{tally.games} games, seed {seed}")
    table.add_column("wins", justify="right")
    table.add_column("of them shared", justify="right")
    for line, wins, shared in counts:
        table.add_row(line.color, line.strategy, f"{wins} ({100 * wins / tally.games:.1f} %)", str(shared))
    out.print(table)
