"""The driver that awaits: carries steps out with aioboto3."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, TypeVar, cast

from keyfold.errors import Aborted
from keyfold.lower.steps import Answer, Ask, Lowering, Pause, Request
from keyfold.options import Options
from keyfold.tracing import in_call, in_request
from keyfold.transport.boto import METHODS, TOGETHER_MAX, attempts_of, observe, without_retries
from keyfold.transport.botocore_errors import EXPECTED, outcome_of
from keyfold.transport.connection import Connection
from keyfold.transport.direct import Direct, hook, read
from keyfold.transport.policy import READS, Wait, prepared

T = TypeVar("T")


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


class AsyncDirect(Direct):
    """What a client of aioboto3 sends requests with."""

    async def awaited(self, operation: str, body: bytes) -> dict[str, Any]:
        """Sends a request once. Raises the exceptions of botocore, and `NoAnswer`."""
        request = self.signed(operation, body, await self.credentials.get_frozen_credentials())
        _, response = await self.events.emit_until_response(hook(operation), request=request)
        if response is None:
            response = await self.session.send(request)
        content = await response.content
        return read(operation, response.status_code, content, response.headers)


class AsyncDriver:
    """Carries calls out with a low-level client of aioboto3: by its methods, or, where it is no
    program's own, with its credentials and its connections alone."""

    def __init__(self, client: Any, options: Options, *, is_own: bool = False) -> None:
        self._client = without_retries(client)
        self._direct = AsyncDirect.of(client) if is_own else None
        self._options = options

    async def drive(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        """Carries all steps of a call out. `name` is that of its pattern, write or entity."""
        with in_call(self._options.tracing, name):
            return await self._limited(call, timeout, name)

    async def _limited(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        limit = timeout if timeout is not None else self._options.timeout
        under_way: list[Request] = []
        if limit is None:
            return await self._drive(call, None, name, under_way)
        try:
            end = time.monotonic() + limit
            return await asyncio.wait_for(self._drive(call, end, name, under_way), limit)
        except asyncio.TimeoutError:
            may_have_written = any(one.operation not in READS for one in under_way)
            raise Aborted(limit, may_have_written=may_have_written) from None

    async def _drive(
        self, call: Lowering[T], end: float | None, name: str, under_way: list[Request]
    ) -> T:
        answers: list[Answer] | None = None
        while True:
            try:
                step = next(call) if answers is None else call.send(answers)
            except StopIteration as ended:
                return cast(T, ended.value)
            if isinstance(step, Pause):
                await self._pause(step)
                answers = []
            else:
                under_way[:] = step.requests
                answers = await self._answers(step, end, name)
                under_way.clear()

    async def _pause(self, step: Pause) -> None:
        await asyncio.sleep(random.uniform(step.least_ms, step.most_ms) / 1000)

    async def _answers(self, step: Ask, end: float | None, name: str) -> list[Answer]:
        """The answers of requests, in their order. Several are sent at the same time."""
        if len(step.requests) == 1:
            return [await self._answer(step.requests[0], end, name)]
        room = asyncio.Semaphore(TOGETHER_MAX)

        async def one(request: Request) -> Answer:
            async with room:
                return await self._answer(request, end, name)

        return await asyncio.gather(*(one(request) for request in step.requests))

    async def _answer(self, request: Request, end: float | None, name: str) -> Answer:
        started = time.monotonic()
        with in_request(self._options.tracing, request) as span:
            answer = await self._attempts(prepared(request), started, end)
            span.answered(answer)
        observe(self._options, name, request, started, answer)
        return answer

    async def _attempts(self, request: Request, started: float, end: float | None) -> Answer:
        attempts = attempts_of(self._options, request, started, end)
        send = self._sending(request)
        while True:
            try:
                return await send()
            except EXPECTED as error:
                after = attempts.after(outcome_of(error), time.monotonic())
            if not isinstance(after, Wait):
                return after
            await asyncio.sleep(after.seconds)

    def _sending(self, request: Request) -> Callable[[], Awaitable[dict[str, Any]]]:
        """Sends a request once."""
        operation, given = request
        if self._direct is not None:
            return partial(self._direct.awaited, operation, self._direct.body(given))
        return partial(getattr(self._client, METHODS[operation]), **given)
