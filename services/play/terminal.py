"""Where the commands write: results to stdout, everything else to stderr."""

import sys
from typing import NoReturn

from rich.console import Console
from rich.markup import escape

FAILED = 1  # it did not work out: no server, no seat, an aborted game
MISUSED = 2  # what was asked for makes no sense

out = Console(highlight=False, emoji=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, emoji=False)


def note(words: str) -> None:
    err.print(f"[dim]{escape(words)}[/dim]", soft_wrap=True)


def fail(message: str, hint: str, code: int = FAILED) -> NoReturn:
    err.print(f"[red]parlor:[/red] {escape(message)}\n        [dim]{escape(hint)}[/dim]", soft_wrap=True)
    sys.exit(code)
