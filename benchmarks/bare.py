"""The baseline of the move: a bare FastAPI POST, pydantic in and out, that does nothing else."""

from typing import Literal

import typer
import uvicorn
from fastapi import FastAPI
from pydantic import BaseModel, Field

app = FastAPI()


class Move(BaseModel):
    type: Literal["play"]
    cell: int = Field(ge=0, le=8)


class Accepted(BaseModel):
    version: int
    accepted: bool


@app.get("/ready")
async def ready() -> dict[str, bool]:
    return {"ready": True}


@app.post("/moves")
async def play(move: Move) -> Accepted:
    return Accepted(version=move.cell, accepted=True)


def serve(port: int = typer.Option(...)) -> None:
    uvicorn.run(app, port=port, loop="uvloop", http="httptools", access_log=False, log_level="warning")


if __name__ == "__main__":
    typer.run(serve)
