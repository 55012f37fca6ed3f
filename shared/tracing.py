"""Traces from a request through its commit to the streams that are told, also in other processes. Off by default.

While it is off nothing of OpenTelemetry is loaded, and what it costs is one comparison with None at each place.
"""

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.trace import Span, Tracer

Target = Literal["off", "otlp", "console"]

_MARK = "~"  # in the id of an entry, before the span that wrote it

tracer: "Tracer | None" = None
"""None while traces are off."""


@contextmanager
def tracing(target: Target, service: str) -> Iterator[None]:
    """Send traces while the body lasts; OTEL_* variables say where to, how many, and under which name."""
    global tracer
    if target == "off":
        yield
        return
    provider = _provider(target, service)
    tracer = provider.get_tracer("parlor")
    try:
        yield
    finally:
        tracer = None
        provider.shutdown()


def request(
    method: str, path: str, headers: dict[bytes, bytes], request_id: str
) -> "AbstractContextManager[Span | None]":
    """The span of a request, below the caller's if it names one."""
    if tracer is None:
        return nullcontext()
    from opentelemetry.propagate import extract
    from opentelemetry.trace import SpanKind

    carrier = {name: headers[name.encode()].decode("latin-1") for name in _CARRIED if name.encode() in headers}
    attributes = {"http.request.method": method, "url.path": path, "parlor.request_id": request_id}
    return tracer.start_as_current_span(
        f"{method} {path.split('/')[1]}", extract(carrier), SpanKind.SERVER, attributes=attributes
    )


def answered(span: "Span | None", status: int) -> None:
    if span is not None:
        span.set_attribute("http.response.status_code", status)


def commit(log: str, expected: int) -> "Span | None":
    """The span of a commit, which ends when its outcome is known."""
    if tracer is None:
        return None
    return tracer.start_span("commit", attributes={"parlor.log": log, "parlor.expected": expected})


def signed(entry_id: str) -> str:
    """The id of an entry, with the span that writes it: so whoever reads the entry can go on with its trace."""
    if tracer is None:
        return entry_id
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    if not context.trace_flags.sampled:
        return entry_id
    return f"{entry_id}{_MARK}{context.trace_id:032x}{context.span_id:016x}"


def told(entry: Any, log: str, version: int) -> "AbstractContextManager[Span | None]":
    """The span of writing an entry's events to the streams of this process."""
    if tracer is None:
        return nullcontext()
    attributes: dict[str, str | int] = {"parlor.log": log, "parlor.version": version}
    return tracer.start_as_current_span("tell", _origin(getattr(entry, "id", "")), attributes=attributes)


def ids() -> dict[str, str]:
    """The present trace and span, for a line of the log."""
    if tracer is None:
        return {}
    from opentelemetry.trace import get_current_span

    context = get_current_span().get_span_context()
    if not context.is_valid:
        return {}
    return {"trace_id": f"{context.trace_id:032x}", "span_id": f"{context.span_id:016x}"}


_CARRIED = ("traceparent", "tracestate")


def _origin(entry_id: str) -> "Context | None":
    """The span that wrote an entry, as a parent; None for an entry of a process without traces."""
    from opentelemetry.trace import NonRecordingSpan, SpanContext, TraceFlags, set_span_in_context

    _, marked, ids = entry_id.partition(_MARK)
    if not marked:
        return None
    context = SpanContext(int(ids[:32], 16), int(ids[32:], 16), is_remote=True, trace_flags=TraceFlags(1))
    return set_span_in_context(NonRecordingSpan(context))


def _provider(target: Target, service: str) -> "TracerProvider":
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider
    from opentelemetry.sdk.trace.export import BatchSpanProcessor, ConsoleSpanExporter

    name = os.environ.get("OTEL_SERVICE_NAME", f"parlor-{service}")
    provider = TracerProvider(resource=Resource.create({"service.name": name}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter() if target == "otlp" else ConsoleSpanExporter()))
    return provider
