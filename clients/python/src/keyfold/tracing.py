"""Spans of OpenTelemetry: one for each call, and in it one for each of its requests, with the
attributes of the semantic conventions for DynamoDB.

`Options(tracing=trace.get_tracer("shop"))` switches them on. This package needs OpenTelemetry only
then, and the program has it.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from keyfold.errors import KeyfoldError, Service
from keyfold.lower.capacity import total

if TYPE_CHECKING:
    from keyfold.lower.steps import Answer, Request

_MEMBERS = {
    "IndexName": "index_name",
    "ConsistentRead": "consistent_read",
    "Limit": "limit",
    "ScanIndexForward": "scan_forward",
}


class Tracer(Protocol):
    """The part of OpenTelemetry's tracer that is used."""

    @property
    def start_as_current_span(self) -> Any:
        """Starts a span that is the current one until its end."""


def in_call(tracer: Tracer | None, name: str) -> AbstractContextManager[None]:
    """The span of a call, which fails as the call does."""
    if tracer is None:
        return nullcontext()
    return _call(tracer, name)


@contextmanager
def _call(tracer: Tracer, name: str) -> Generator[None, None, None]:
    attributes = {"db.system.name": "aws.dynamodb", "keyfold.call": name}
    started = tracer.start_as_current_span(f"keyfold {name}", attributes=attributes)
    with started as span:
        try:
            yield
        except Exception as error:
            span.set_attribute("error.type", _kind(error))
            raise


class RequestSpan:
    """The span of a request, with all of its attempts."""

    def __init__(self, tracer: Tracer, request: Request) -> None:
        from opentelemetry.trace import SpanKind

        operation, given = request
        names = request.tables()
        attributes: dict[str, Any] = {
            "db.system.name": "aws.dynamodb",
            "db.operation.name": operation,
            "rpc.system": "aws-api",
            "rpc.service": "DynamoDB",
            "rpc.method": operation,
        }
        if names:
            attributes["aws.dynamodb.table_names"] = names
        if len(names) == 1:
            attributes["db.collection.name"] = names[0]
        for member, name in _MEMBERS.items():
            if member in given:
                attributes[f"aws.dynamodb.{name}"] = given[member]
        title = f"{operation} {names[0]}" if len(names) == 1 else operation
        self._started: AbstractContextManager[Any] = tracer.start_as_current_span(
            title, kind=SpanKind.CLIENT, attributes=attributes
        )
        self._span: Any = None

    def __enter__(self) -> RequestSpan:
        self._span = self._started.__enter__()
        return self

    def __exit__(self, *about: Any) -> None:
        self._started.__exit__(*about)

    def answered(self, answer: Answer) -> None:
        """Adds what the answer shows."""
        if not isinstance(answer, KeyfoldError):
            self._span.set_attribute("keyfold.capacity_units", total(answer))
            return
        from opentelemetry.trace import Status, StatusCode

        self._span.set_attribute("error.type", _kind(answer))
        self._span.set_status(Status(StatusCode.ERROR, str(answer)))


class _NoSpan:
    """No span."""

    def __enter__(self) -> _NoSpan:
        return self

    def __exit__(self, *about: Any) -> None:
        pass

    def answered(self, answer: Answer) -> None:
        pass


def in_request(tracer: Tracer | None, request: Request) -> RequestSpan | _NoSpan:
    """The span of a request."""
    return _NoSpan() if tracer is None else RequestSpan(tracer, request)


def _kind(error: Exception) -> str:
    """The kind of an error: the service's exception, or the code."""
    if isinstance(error, Service):
        return error.exception
    return error.code if isinstance(error, KeyfoldError) else type(error).__name__
