"""The relay's paths."""

from fastapi import APIRouter

routes = APIRouter(prefix="/relay", tags=["relay"])
