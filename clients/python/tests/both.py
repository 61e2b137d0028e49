"""A call of both clients, with a connection or with a program's own client of boto3 or aioboto3."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import aioboto3  # type: ignore[import-untyped, unused-ignore]
import boto3  # type: ignore[import-untyped, unused-ignore]

from keyfold import Client, Model, Options
from keyfold.aio import AsyncClient

KEYS = {"aws_access_key_id": "k", "aws_secret_access_key": "s", "region_name": "local"}


def blocking(model: Model, endpoint: str, options: Options, call: tuple[Any, ...]) -> Any:
    """The result of a call of the client that blocks."""
    name, args, more = call
    with Client(model, endpoint, options) as client:
        return getattr(client, name)(*args, **more)


def awaiting(model: Model, endpoint: str, options: Options, call: tuple[Any, ...]) -> Any:
    """The result of a call of the client that awaits."""
    name, args, more = call

    async def run() -> Any:
        async with AsyncClient(model, endpoint, options) as client:
            return await getattr(client, name)(*args, **more)

    return asyncio.run(run())


def given_blocking(model: Model, endpoint: str, options: Options, call: tuple[Any, ...]) -> Any:
    """That of a client of boto3."""
    made: Any = boto3
    own = made.client("dynamodb", endpoint_url=endpoint, **KEYS)
    return blocking(model, own, options, call)


def given_awaiting(model: Model, endpoint: str, options: Options, call: tuple[Any, ...]) -> Any:
    """That of a client of aioboto3."""
    name, args, more = call

    async def run() -> Any:
        session: Any = aioboto3
        opened = session.Session().client("dynamodb", endpoint_url=endpoint, **KEYS)
        async with opened as own, AsyncClient(model, own, options) as client:
            return await getattr(client, name)(*args, **more)

    return asyncio.run(run())


Asked = Callable[[Model, str, Options, "tuple[Any, ...]"], Any]
BOTH: list[Asked] = [blocking, awaiting]
ALL: list[Asked] = [*BOTH, given_blocking, given_awaiting]


def called(name: str, *args: Any, **more: Any) -> tuple[Any, ...]:
    """A call of a client."""
    return name, args, more


def name_of(ask: Asked) -> str:
    """The name of a way to call, for keys of items."""
    return str(getattr(ask, "__name__"))


def model_of(operation: str) -> Any:
    """The description of an operation in botocore."""
    made: Any = boto3
    return made.client("dynamodb", **KEYS).meta.service_model.operation_model(operation)
