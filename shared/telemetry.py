"""Structured logs that carry the ids of the request and of the trace they belong to."""

import logging
import sys
from contextvars import ContextVar
from typing import Literal

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from shared import tracing

request_id: ContextVar[str] = ContextVar("request_id", default="")


def configure(level: str, form: Literal["auto", "json", "console"]) -> None:
    """Set up structlog, and send the standard library's loggers the same way."""
    as_json = form == "json" or (form == "auto" and not sys.stderr.isatty())
    shared: list[Processor] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        _add_request_id,
        structlog.processors.format_exc_info,
    ]
    renderer: Processor = (
        structlog.processors.JSONRenderer() if as_json else structlog.dev.ConsoleRenderer(pad_event_to=0)
    )
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared,
        processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for noisy in ("uvicorn", "uvicorn.error", "uvicorn.access", "alembic", "httpx"):
        logging.getLogger(noisy).handlers = []
        logging.getLogger(noisy).propagate = True
        logging.getLogger(noisy).setLevel(logging.WARNING)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelName(level.upper())),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )


def _add_request_id(_: WrappedLogger, __: str, event: EventDict) -> EventDict:
    if current := request_id.get():
        event["request_id"] = current
    event.update(tracing.ids())
    return event
