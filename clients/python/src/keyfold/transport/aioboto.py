"""The driver that awaits: carries steps out with aioboto3."""

from __future__ import annotations

import asyncio
import os
import random
import time
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from typing import Any, Literal, TypeAlias, TypeVar, cast

from keyfold.errors import Invalid, Service
from keyfold.lower.steps import Answer, Ask, Lowering, Pause, Request, Response
from keyfold.options import Options
from keyfold.tracing import in_call, in_request
from keyfold.transport.answers import fitting
from keyfold.transport.answers import given as in_shape
from keyfold.transport.boto import METHODS, TOGETHER_MAX, attempts_of, observe, without_retries
from keyfold.transport.botocore_errors import EXPECTED, opening, outcome_of
from keyfold.transport.connection import Connection
from keyfold.transport.direct import Direct, hook
from keyfold.transport.limit import Limit
from keyfold.transport.policy import Outcome, Wait, prepared
from keyfold.transport.shared import closed
from keyfold.transport.target import Target

T = TypeVar("T")
_Ended: TypeAlias = Literal["late", "closed"]
_FOLLOWS_NONE = "_keyfold_follows_none"
"""The attribute of a session that follows no redirections any more."""


def connect(connection: Connection) -> AbstractAsyncContextManager[Any]:
    """A client of aioboto3 for a connection."""
    # The sync client needs none of these packages.
    try:
        import aioboto3  # type: ignore[import-untyped, unused-ignore]
        from aiobotocore.config import AioConfig  # type: ignore[import-untyped, unused-ignore]
    except ModuleNotFoundError as error:
        needed = f"{error}: the client for asyncio needs aioboto3; `pip install keyfold[async]`"
        raise ModuleNotFoundError(needed, name=error.name) from error

    session, arguments = connection.opened(cast(Any, aioboto3).Session)
    config = cast(Any, AioConfig)(**connection.settings)
    made = session.client("dynamodb", config=config, **arguments)
    return cast("AbstractAsyncContextManager[Any]", made)


class _Straight:
    """A session of aiohttp that follows no redirection."""

    def __init__(self, session: Any) -> None:
        self._session = session

    async def request(self, method: str, **given: Any) -> Any:
        return await self._session.request(method, **{**given, "allow_redirects": False})


def without_redirections(client: Any) -> Any:
    """Keeps aiohttp from following redirections: it would send a write to where another server
    says. boto3 follows none."""
    session = getattr(getattr(client, "_endpoint", None), "http_session", None)
    opened = getattr(session, "_get_session", None)
    if opened is not None and not getattr(session, _FOLLOWS_NONE, False):

        async def straight(proxy: Any) -> _Straight:
            return _Straight(await opened(proxy))

        setattr(session, "_get_session", straight)
        setattr(session, _FOLLOWS_NONE, True)
    return client


class AsyncDirect(Direct):
    """What a client of aioboto3 sends requests with."""

    async def awaited(self, operation: str, body: bytes) -> dict[str, Any]:
        """Sends a request once. Raises the exceptions of botocore, and `NoAnswer`."""
        request = self.signed(operation, body, await self.credentials.get_frozen_credentials())
        _, response = await self.events.emit_until_response(hook(operation), request=request)
        if response is None:
            response = await self.session.send(request)
        content = await response.content
        return self.read(operation, response.status_code, content, response.headers)


class AsyncOwn:
    """A client of aioboto3 that is made for a target, and anew where that is another one. It is
    closed with the stack."""

    def __init__(self, target: Target, stack: AsyncExitStack) -> None:
        self._target = target
        self._stack = stack
        self._lock = asyncio.Lock()
        self._connection: Connection | None = None
        self._made: tuple[Any, AsyncDirect | None] = (None, None)

    async def parts(self) -> tuple[Any, AsyncDirect | None]:
        """What requests are sent with now."""
        if self._connection is None or self._connection != self._target.known():
            connection = await self._target.awaited()
            async with self._lock:
                if connection != self._connection:
                    await self._renew(connection)
        return self._made

    def doubt(self) -> None:
        """Says that no answer came from there."""
        if self._connection is not None:
            self._target.doubt(self._connection)

    async def _renew(self, connection: Connection) -> None:
        with opening():
            client = await self._stack.enter_async_context(connect(connection))
        self._made = (_checked(client), AsyncDirect.of(client, connection.server))
        self._connection = connection


def _checked(client: Any) -> Any:
    """A client that leaves repetitions and redirections to this package."""
    return without_redirections(without_retries(client, "aioboto3"))


class AsyncDriver:
    """Carries calls out with a low-level client of aioboto3: by its methods, or, where it is no
    program's own, with its credentials and its connections alone."""

    def __init__(self, client: AsyncOwn | Any, options: Options) -> None:
        self._own = client if isinstance(client, AsyncOwn) else None
        self._given = None if self._own is not None else _checked(client)
        self._options = options
        self._process = os.getpid()
        self._loop = asyncio.get_running_loop()
        self._is_closed = False
        self._under_way: set[asyncio.Task[Any]] = set()
        """The attempts and pauses of calls."""

    async def close(self) -> None:
        """Ends the requests that are under way. No other one is sent."""
        self._is_closed = True
        under_way = list(self._under_way)
        for one in under_way:
            one.cancel()
        if under_way:
            await asyncio.wait(under_way)

    async def _settled(self, work: Coroutine[Any, Any, T], seconds: float | None) -> T | _Ended:
        """What the work comes to, or what has ended it: the time of its call, or the end of the
        client. Where the program ends the call, that is no outcome of the work."""
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        try:
            await asyncio.wait((task,), timeout=seconds)
            is_late = not task.done()
        finally:
            # Nothing goes on without its call.
            if not task.done():
                task.cancel()
                await asyncio.wait((task,))
        if task.cancelled():
            return "late" if is_late and not self._is_closed else "closed"
        return task.result()

    async def drive(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        """Carries all steps of a call out. `name` is that of its pattern, write or entity."""
        if self._process != os.getpid():
            # Two processes with one connection would read each other's answers.
            raise Invalid("the client was opened in another process; open one in each after a fork")
        if self._loop is not asyncio.get_running_loop():
            raise Invalid("the client was opened in another loop; open it in each `asyncio.run`")
        with in_call(self._options.tracing, name):
            return await self._drive(call, timeout, name)

    async def _drive(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        limit = Limit(timeout if timeout is not None else self._options.timeout, name)
        answers: list[Answer] | None = None
        while True:
            try:
                step = next(call) if answers is None else call.send(answers)
            except StopIteration as ended:
                return cast(T, ended.value)
            if isinstance(step, Pause):
                wait = random.uniform(step.least_ms, step.most_ms) / 1000
                await self._settled(asyncio.sleep(limit.within(wait)), None)
                answers = []
            else:
                answers = await self._answers(step, limit, name)

    async def _answers(self, step: Ask, limit: Limit, name: str) -> list[Answer]:
        """The answers of requests, in their order. Several are sent at the same time."""
        if len(step.requests) == 1:
            return [await self._answer(step.requests[0], limit, name)]
        room = asyncio.Semaphore(TOGETHER_MAX)

        async def one(request: Request) -> Answer:
            async with room:
                return await self._answer(request, limit, name)

        return await asyncio.gather(*(one(request) for request in step.requests))

    async def _answer(self, request: Request, limit: Limit, name: str) -> Answer:
        if self._is_closed:
            return closed()
        # The call gets the end of its time as an answer: it knows what was done before.
        over = limit.over()
        if over is not None:
            return over
        started = time.monotonic()
        with in_request(self._options.tracing, request) as span:
            answer = await self._attempts(prepared(request), started, limit)
            span.answered(answer)
        observe(self._options, name, request, started, answer)
        return answer

    async def _attempts(self, request: Request, started: float, limit: Limit) -> Answer:
        attempts = attempts_of(self._options, request, started, limit.end)
        send = self._sending(request)
        while True:
            outcome = await self._settled(_attempt(request, send), limit.left())
            if outcome == "late":
                return attempts.ended(limit.aborted())
            if outcome == "closed":
                return attempts.ended(closed())
            if isinstance(outcome, dict):
                return outcome
            if self._own is not None and not isinstance(outcome, Service):
                self._own.doubt()
            after = attempts.after(outcome, time.monotonic())
            if not isinstance(after, Wait):
                return after
            await self._settled(asyncio.sleep(after.seconds), None)
            if self._is_closed:
                return attempts.unsent(closed())
            outlived = attempts.outlived()
            if outlived is not None:
                return outlived

    def _sending(self, request: Request) -> Callable[[], Awaitable[dict[str, Any]]]:
        """Sends a request once."""
        operation, given = request
        body: bytes | None = None

        async def send() -> dict[str, Any]:
            nonlocal body
            client, direct = await self._parts()
            if direct is None:
                return in_shape(operation, await getattr(client, METHODS[operation])(**given))
            body = body or direct.body(given)
            return await direct.awaited(operation, body)

        return send

    async def _parts(self) -> tuple[Any, AsyncDirect | None]:
        """What requests are sent with now."""
        return (self._given, None) if self._own is None else await self._own.parts()


async def _attempt(request: Request, send: Callable[[], Awaitable[Response]]) -> Response | Outcome:
    """The answer to a request, or its outcome. It raises no timeout of its own."""
    try:
        return fitting(request, await send())
    except EXPECTED as error:
        return outcome_of(error, request)
