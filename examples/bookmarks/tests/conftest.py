"""Fixtures: a server in memory."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from keyfold import testing

# A server in memory takes any keys; those of the environment are not for tests.
for name in [name for name in os.environ if name.startswith("AWS_")]:
    del os.environ[name]


@pytest.fixture
def endpoint() -> Iterator[str]:
    """A server."""
    with testing.serve() as server:
        yield server.endpoint
