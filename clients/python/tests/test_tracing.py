"""Spans, with OpenTelemetry's own SDK in memory."""

from __future__ import annotations

import asyncio

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from keyfold import Client, Exists, Model, Options
from keyfold.aio import AsyncClient

EXPORTER = InMemorySpanExporter()
PROVIDER = TracerProvider()
PROVIDER.add_span_processor(SimpleSpanProcessor(EXPORTER))
TRACED = Options(tracing=PROVIDER.get_tracer("test"))


def spans() -> list[ReadableSpan]:
    """The spans since the last time, the outer ones first."""
    found = list(reversed(EXPORTER.get_finished_spans()))
    EXPORTER.clear()
    return found


def is_inside(inner: ReadableSpan, outer: ReadableSpan) -> bool:
    assert outer.context is not None
    return inner.parent is not None and inner.parent.span_id == outer.context.span_id


def test_a_call_has_a_span_and_each_request_one_in_it(model: Model, endpoint: str) -> None:
    with Client(model, endpoint, TRACED) as client:
        account = {"accountId": "traced", "owner": "ada", "email": "traced@example.com"}
        client.create("Account", account)
        call, request = spans()
        assert (call.name, request.name) == ("keyfold create Account", "TransactWriteItems Things")
        assert (call.kind, request.kind) == (SpanKind.INTERNAL, SpanKind.CLIENT)
        assert is_inside(request, call)
        attributes = dict(request.attributes or {})
        assert attributes.pop("keyfold.capacity_units", 0)
        assert attributes == {
            "db.system.name": "aws.dynamodb",
            "db.operation.name": "TransactWriteItems",
            "db.collection.name": "Things",
            "rpc.system": "aws-api",
            "rpc.service": "DynamoDB",
            "rpc.method": "TransactWriteItems",
            "aws.dynamodb.table_names": ("Things",),
        }
        client.page("notes", {"thingId": "none"}, strong=True)
        call, request = spans()
        about = request.attributes or {}
        assert request.name == "Query Things"
        assert (about["aws.dynamodb.limit"], about["aws.dynamodb.consistent_read"]) == (4, True)


def test_a_refusal_is_an_error_of_its_span(model: Model, endpoint: str) -> None:
    with Client(model, endpoint, TRACED) as client:
        account = {"accountId": "twice", "owner": "ada", "email": "twice@example.com"}
        client.create("Account", account)
        spans()
        with pytest.raises(Exists):
            client.create("Account", account)
        call, request = spans()
        for span, kind in ((call, "exists"), (request, "TransactionCanceledException")):
            assert span.status.status_code is StatusCode.ERROR
            assert (span.attributes or {})["error.type"] == kind


def test_calls_that_are_awaited_have_spans(model: Model, endpoint: str) -> None:
    async def run() -> None:
        async with AsyncClient(model, endpoint, TRACED) as client:
            one = client.create("Thing", {"thingId": "traced-one"})
            other = client.create("Thing", {"thingId": "traced-other"})
            await asyncio.gather(one, other)

    asyncio.run(run())
    found = spans()
    calls = [span for span in found if span.name == "keyfold create Thing"]
    requests = [span for span in found if span.kind is SpanKind.CLIENT]
    assert (len(calls), len(requests)) == (2, 2)
    assert all(sum(is_inside(one, call) for one in requests) == 1 for call in calls)


def test_without_a_tracer_there_is_no_span(model: Model, endpoint: str) -> None:
    with Client(model, endpoint) as client:
        client.page("notes", {"thingId": "none"})
    assert spans() == []
