"""Fixtures: a server in memory for each test. Where EXAMPLE_CONNECTION names another engine, its tables are
deleted before each test."""

from __future__ import annotations

import os
from collections.abc import Iterator

import boto3  # type: ignore[import-untyped]
import pytest
from keyfold import testing

# A server in memory takes any keys; those of the environment are not for tests, unless these are to run
# at another engine.
ELSEWHERE = os.environ.get("EXAMPLE_CONNECTION")
if ELSEWHERE is None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        del os.environ[name]


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A server."""
    if ELSEWHERE is not None:
        delete_tables(ELSEWHERE)
        yield ELSEWHERE
        return
    with testing.serve() as server:
        yield server.endpoint


def delete_tables(endpoint: str) -> None:
    """Deletes all tables there."""
    engine = boto3.client("dynamodb", endpoint_url=endpoint)
    for table in engine.list_tables()["TableNames"]:
        engine.delete_table(TableName=table)
        engine.get_waiter("table_not_exists").wait(TableName=table)
