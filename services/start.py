"""The `parlor` command as it is started: the garbage collector rests while everything is imported."""

import gc


def parlor() -> None:
    gc.disable()  # nothing that is imported goes away again; looking for it took an eighth of a start
    from services.cli import app

    gc.freeze()
    gc.enable()
    app()
