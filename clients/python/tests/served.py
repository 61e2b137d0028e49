"""A client on a server of its own, and the tables as another program sees them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import support

from keyfold import Client, load, testing


@contextmanager
def served(model: str, folder: Path) -> Iterator[tuple[Client, Any]]:
    """A client of a model's text on a server of its own, and the server as boto3 sees it."""
    boto3 = pytest.importorskip("boto3")
    path = folder / "m.keyfold"
    path.write_text(model)
    with testing.serve() as server, Client(load(support.plan(path)), server.endpoint) as client:
        client.ensure_tables()
        yield (
            client,
            boto3.resource(
                "dynamodb",
                endpoint_url=server.endpoint,
                region_name="us-east-1",
                aws_access_key_id="k",
                aws_secret_access_key="s",
            ),
        )
