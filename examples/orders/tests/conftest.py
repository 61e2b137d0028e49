"""Fixtures: a server in memory, and a real PostgreSQL."""

from __future__ import annotations

import os
from collections.abc import Iterator

import psycopg
import pytest
from keyfold import testing

from orders.postgres import NoPostgres, server

# A server in memory takes any keys; those of the environment are not for tests.
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A server."""
    with testing.serve() as one:
        yield one.endpoint


@pytest.fixture(scope="session")
def postgres() -> Iterator[str]:
    """A PostgreSQL for all tests. Where there is none, one sentence says what is missing."""
    try:
        opened = server()
        text = opened.__enter__()
    except NoPostgres as error:
        pytest.fail(str(error), pytrace=False)
    yield text
    opened.__exit__(None, None, None)


@pytest.fixture
def sql(postgres: str) -> str:
    """The PostgreSQL without tables."""
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS orders, addresses")
    return postgres
