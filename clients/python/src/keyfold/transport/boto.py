"""The driver that blocks: carries steps out with boto3."""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from contextvars import copy_context
from typing import Any, NamedTuple, TypeVar, cast

import boto3  # type: ignore[import-untyped, unused-ignore]
from botocore.config import Config  # type: ignore[import-untyped, unused-ignore]

from keyfold.errors import KeyfoldError, Service
from keyfold.lower import capacity
from keyfold.lower.steps import Answer, Ask, Lowering, Pause, Request
from keyfold.options import Options, Sent
from keyfold.tracing import in_call, in_request
from keyfold.transport import answers, forks
from keyfold.transport.botocore_errors import EXPECTED, opening, outcome_of
from keyfold.transport.connection import Connection
from keyfold.transport.direct import Direct
from keyfold.transport.given import check_client
from keyfold.transport.left import heed, within
from keyfold.transport.limit import Limit, Over
from keyfold.transport.policy import Attempts, Lost, Wait, prepared
from keyfold.transport.process import STEP_SECONDS
from keyfold.transport.shared import closed
from keyfold.transport.target import Target
from keyfold.transport.together import together

T = TypeVar("T")
TOGETHER_MAX = 8
"""The most requests of one step that are under way at the same time."""

METHODS = {
    "BatchGetItem": "batch_get_item",
    "BatchWriteItem": "batch_write_item",
    "CreateTable": "create_table",
    "DeleteItem": "delete_item",
    "DescribeContinuousBackups": "describe_continuous_backups",
    "DescribeTable": "describe_table",
    "DescribeTimeToLive": "describe_time_to_live",
    "GetItem": "get_item",
    "ListTagsOfResource": "list_tags_of_resource",
    "PutItem": "put_item",
    "Query": "query",
    "Scan": "scan",
    "TransactGetItems": "transact_get_items",
    "TransactWriteItems": "transact_write_items",
    "UpdateContinuousBackups": "update_continuous_backups",
    "UpdateItem": "update_item",
    "UpdateTimeToLive": "update_time_to_live",
}
"""The methods of a client, by operation."""


def connect(connection: Connection) -> Any:
    """A client of boto3 for a connection."""
    session, arguments = connection.opened(cast(Any, boto3).Session)
    config = cast(Any, Config)(**connection.settings)
    with opening():
        return session.client("dynamodb", config=config, **arguments)


def without_retries(client: Any, sdk: str = "boto3") -> Any:
    """Switches botocore's own retries off: they would repeat writes that are not idempotent. What
    they did beside is done here: answers are checked. Refuses what is no client of the SDK for
    DynamoDB."""
    check_client(client, sdk)
    client.meta.events.unregister("needs-retry.dynamodb", unique_id="retry-config-dynamodb")
    answers.check(client)
    return client


class Driver:
    """Carries calls out with a low-level client of boto3: by its methods, or, where it is no
    program's own, with its credentials and its connections alone.

    A client that is no program's own is made for a target. It is made anew in a forked process,
    and where the target is another one.
    """

    def __init__(self, target: Target | Any, options: Options) -> None:
        self._target = target if isinstance(target, Target) else None
        self._given = None if self._target is not None else without_retries(target)
        self._own: _Own | None = None
        self._options = options
        self._is_closed = False
        # The handler of a signal may make a call in the thread that holds it.
        self._lock = threading.RLock()
        self._sending_threads: set[int] = set()
        """The threads that wait for an answer."""
        # What is wrong with a connection is told at once.
        self._parts()
        forks.know(self)

    def in_child(self) -> None:
        """Leaves the connections to the parent: this is a forked process."""
        if threading.get_ident() in self._sending_threads:
            forks.leave_answers()
        self._lock = threading.RLock()
        self._sending_threads = set()
        self._own = None
        forks.drop_connections(self._given)

    def close(self) -> None:
        """Sends no request any more, and waits for the answers to those of other threads."""
        self._is_closed = True
        if self._target is not None:
            self._target.refuse()
        # At the very end of a program its other threads do not go on.
        while not sys.is_finalizing() and self._sending_threads - {threading.get_ident()}:
            time.sleep(STEP_SECONDS)

    def drive(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        """Carries all steps of a call out. `name` is that of its pattern, write or entity."""
        with in_call(self._options.tracing, name):
            return self._drive(call, timeout, name)

    def _drive(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        limit = Limit(timeout if timeout is not None else self._options.timeout, name)
        answers: list[Answer] | None = None
        while True:
            try:
                step = next(call) if answers is None else call.send(answers)
            except StopIteration as ended:
                return cast(T, ended.value)
            if isinstance(step, Pause):
                time.sleep(limit.within(random.uniform(step.least_ms, step.most_ms) / 1000))
                answers = []
            else:
                answers = self._answers(step, limit, name)

    def _answers(self, step: Ask, limit: Limit, name: str) -> list[Answer]:
        """The answers of requests, in their order. Several are sent at the same time."""
        if len(step.requests) == 1:
            return [self._answer(step.requests[0], limit, name)]

        def work(request: Request) -> Callable[[], Answer]:
            # Spans of requests lie in that of the call, which this thread is in.
            context = copy_context()
            return lambda: context.run(self._answer, request, limit, name)

        return together([work(one) for one in step.requests], TOGETHER_MAX)

    def _answer(self, request: Request, limit: Limit, name: str) -> Answer:
        if self._is_closed:
            return closed()
        # The call gets the end of its time as an answer: it knows what was done before.
        over = limit.over()
        if over is not None:
            return over
        started = time.monotonic()
        with in_request(self._options.tracing, request) as span:
            answer = self._attempts(prepared(request), started, limit)
            span.answered(answer)
        observe(self._options, name, request, started, answer)
        return answer

    def _attempts(self, request: Request, started: float, limit: Limit) -> Answer:
        attempts = attempts_of(self._options, request, started, limit.end)
        send = self._sending(request, limit)
        while True:
            try:
                self._sending_threads.add(threading.get_ident())
                return answers.fitting(request, send())
            except Over:
                return attempts.unsent(limit.aborted())
            except EXPECTED as error:
                # Also a server of its own that does not start again.
                outcome = outcome_of(error, request)
                if limit.over() and not isinstance(outcome, Service):
                    is_sent = isinstance(outcome, Lost)
                    return (attempts.ended if is_sent else attempts.unsent)(limit.aborted())
                own = self._own
                if self._target and own and not isinstance(outcome, Service):
                    self._target.doubt(own.connection)
                after = attempts.after(outcome, time.monotonic())
            finally:
                self._sending_threads.discard(threading.get_ident())
            if not isinstance(after, Wait):
                return after
            time.sleep(after.seconds)
            if self._is_closed:
                return attempts.unsent(closed())
            outlived = attempts.outlived()
            if outlived is not None:
                return outlived

    def _sending(self, request: Request, limit: Limit) -> Callable[[], dict[str, Any]]:
        """Sends a request once."""
        operation, given = request
        body: bytes | None = None

        def send() -> dict[str, Any]:
            nonlocal body
            client, direct = self._parts(limit)
            if direct is None:
                return answers.given(operation, getattr(client, METHODS[operation])(**given))
            body = body or direct.body(given)
            with within(limit.to_send()):
                return direct.send(operation, body)

        return send

    def _parts(self, limit: Limit | None = None) -> tuple[Any, Direct | None]:
        """What requests are sent with now, in this process."""
        if self._target is None:
            return self._given, None
        own = self._own
        if own is None or own.connection != self._target.known():
            connection = self._target.found(limit)
            with self._lock:
                own = self._own
                if own is None or own.connection != connection:
                    client = without_retries(connect(connection))
                    direct = Direct.of(client, connection.server)
                    if direct is not None:
                        heed(direct.session)
                    own = self._own = _Own(connection, client, direct)
        return own.client, own.direct


class _Own(NamedTuple):
    """A client that is no program's own, and what sends requests with its connections."""

    connection: Connection
    client: Any
    direct: Direct | None


def attempts_of(options: Options, request: Request, started: float, end: float | None) -> Attempts:
    """The attempts of a request, which end with those of its call."""
    deadline = options.deadline if end is None else min(options.deadline, end - started)
    return Attempts(request, started=started, deadline=deadline, retries=options.retries)


def observe(options: Options, call: str, request: Request, started: float, answer: Answer) -> None:
    """Calls the program's hook after a request. Its errors are none of the call, and are
    dropped."""
    if options.on_request is None:
        return
    error = answer if isinstance(answer, KeyfoldError) else None
    table = request.input.get("TableName")
    units = None
    if not isinstance(answer, KeyfoldError) and "ConsumedCapacity" in answer:
        units = capacity.total(answer)
    seconds = time.monotonic() - started
    sent = Sent(call, request.operation, request.input, table, seconds, error, units)
    with suppress(Exception):
        options.on_request(sent)
