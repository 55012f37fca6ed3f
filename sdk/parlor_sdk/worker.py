"""The process in which a strategy lives: questions come in as lines of JSON, answers go out the same way.

Started by `parlor_sdk.sandbox` as `python -m parlor_sdk.worker module:Class`.
"""

import importlib
import importlib.util
import json
import os
import sys
import threading
import traceback
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from typing import Any, TextIO

from parlor_sdk.tsuro import PORTS, ROTATIONS, Board, FirstMove, Move, Strategy


class _Rubbish(Exception):
    pass


def load(name: str) -> type[Strategy]:
    """The class called `module:Class` or `file.py:Class`; the present directory is searched too."""
    where, _, attribute = name.rpartition(":")
    if not where:
        raise ImportError("a strategy is named like my_bot:MyBot")
    sys.path.insert(0, os.getcwd())
    if where.endswith(".py"):
        spec = importlib.util.spec_from_file_location(Path(where).stem, where)
        if spec is None or spec.loader is None or not Path(where).exists():
            raise ImportError(f"there is no file {where}")
        module = importlib.util.module_from_spec(spec)
        sys.modules[spec.name] = module
        spec.loader.exec_module(module)
    else:
        module = importlib.import_module(where)
    found = module
    for part in attribute.split("."):
        found = getattr(found, part)
    if not (isinstance(found, type) and issubclass(found, Strategy)):
        raise ImportError(f"{attribute} is no subclass of parlor_sdk.Strategy")
    return found


def answered(strategy: Strategy, question: dict[str, Any]) -> dict[str, Any]:
    """What the strategy says to one question, as the server wants it."""
    if question["event"] == "set_color":
        strategy.set_color(question["color"])
        return {}
    tiles, board = list(question["tiles"]), Board.from_json(question["board"])
    if question["event"] == "generate_first_move":
        first = strategy.generate_first_move(tiles, board)
        if not isinstance(first, FirstMove) or not _are_ints(first.tile, first.x, first.y) or not _is_port(first.port):
            raise _Rubbish(f"this is no first move: {first!r}")
        return {"type": "first_move", **_turned(first)}
    move = strategy.generate_move(tiles, board)
    if not isinstance(move, Move) or not _are_ints(move.tile):
        raise _Rubbish(f"this is no move: {move!r}")
    return {"type": "move", **_turned(move)}


def _turned(move: Move | FirstMove) -> dict[str, Any]:
    if not _are_ints(move.rotation) or move.rotation not in ROTATIONS:
        raise _Rubbish(f"no such rotation: {move.rotation!r}")
    return asdict(move)


def _are_ints(*values: object) -> bool:
    return all(type(value) is int and abs(value) < 2**31 for value in values)


def _is_port(port: object) -> bool:
    return isinstance(port, str) and len(port) == 1 and port in PORTS


def serve(name: str, questions: "SimpleQueue[str]", answers: TextIO) -> None:
    def say(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    try:
        strategy = load(name)()
    except BaseException as error:  # whatever it is, even an exit: the one who asked is told
        say({"error": _words(error)})
        return
    say({"ready": True})
    while True:
        question = json.loads(questions.get())
        try:
            say(answered(strategy, question))
        except _Rubbish as rubbish:
            say({"error": str(rubbish)})
        except BaseException as error:  # even an exit costs this move only
            traceback.print_exc()
            say({"error": _words(error)})


def _words(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _listen(questions: "SimpleQueue[str]", lines: TextIO) -> None:
    """Hand on what is asked. When nobody can ask any more, end at once, even in the middle of an endless thought."""
    for line in lines:
        questions.put(line)
    os._exit(0)


def main() -> None:
    # What the strategy prints goes to stderr: our stdout is for answers alone.
    answers = os.fdopen(os.dup(1), "w")
    lines = os.fdopen(os.dup(0))
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    questions: SimpleQueue[str] = SimpleQueue()
    threading.Thread(target=_listen, args=(questions, lines), daemon=True).start()
    serve(sys.argv[1], questions, answers)


if __name__ == "__main__":
    main()
