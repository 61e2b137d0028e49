"""Fixtures: a server in memory, the model of the tests, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import support

from keyfold import Client, Model, Options, load, testing


@pytest.fixture(scope="session")
def model() -> Model:
    """The model of the tests."""
    return load(support.plan(support.THINGS))


@pytest.fixture(scope="session")
def endpoint(model: Model) -> Iterator[str]:
    """A server with the model's tables."""
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        yield server.endpoint


@pytest.fixture
def client(model: Model, endpoint: str) -> Iterator[Client]:
    """A client of the server."""
    with Client(model, endpoint) as made:
        yield made


@pytest.fixture
def proxy(endpoint: str) -> Iterator[support.Proxy]:
    """A proxy before the server."""
    made = support.Proxy(endpoint)
    yield made
    made.close()


@pytest.fixture
def proxied(model: Model, proxy: support.Proxy) -> Iterator[Client]:
    """A client of the proxy."""
    with Client(model, proxy.endpoint, Options(deadline=5.0, retries=4)) as made:
        yield made
