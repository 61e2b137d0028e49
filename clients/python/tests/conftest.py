"""Fixtures: a server in memory, the model of the tests, and clients of it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import botocore.session  # type: ignore[import-untyped, unused-ignore]
import pytest
import support

from keyfold import Client, Model, Options, load, testing


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """One reader of botocore's descriptions of services for all its sessions. Each has its own, and
    clients have sessions of their own: the tests would spend most of their time on parsing."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(botocore.session, "create_loader", cache(botocore.session.create_loader))
        yield


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


@pytest.fixture
def folder(model: Model, tmp_path: Path) -> Path:
    """A data folder with an item, which nobody uses."""
    with Client(model, f"keyfold:{tmp_path / 'data'}") as client:
        client.ensure_tables()
        client.put("Booking", support.BOOKING)
    return tmp_path / "data"


@pytest.fixture
def slow_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file with the seconds that a server waits before it starts, while it is there."""
    program, waits = tmp_path / "slow", tmp_path / "waits"
    wait = f"[ -e '{waits}' ] && sleep \"$(cat '{waits}')\""
    program.write_text(f"#!/bin/sh\n{wait}\nexec '{support.KEYFOLD}' \"$@\"\n")
    program.chmod(0o700)
    monkeypatch.setenv("KEYFOLD_BIN", str(program))
    return waits
