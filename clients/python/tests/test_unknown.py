"""Stored items of no kind of the model: an error that names their key, or left out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
import support

from keyfold import Client, UnknownItem, load, testing

MODEL = """
model keys 1
table Docs (zp, zs)
entity Doc
  id: string, n: int, body: string
  key "D#{id}" "N#{n:04}"
pattern docs(id) -> Doc[]
"""
# The key attributes come behind all others in the order of names.
OTHER = {"a": "first", "b": "next"}


@pytest.fixture
def place(tmp_path: Path) -> Iterator[tuple[Client, str]]:
    """A client, and the endpoint of its server."""
    path = tmp_path / "keys.keyfold"
    path.write_text(MODEL)
    with testing.serve() as server, Client(load(support.plan(path)), server.endpoint) as client:
        client.ensure_tables()
        yield client, server.endpoint


def _put(client: Client, endpoint: str, item: dict[str, Any]) -> None:
    client.put("Doc", {"id": "1", "n": 7, "body": "x"})
    own = {"region_name": "local", "aws_access_key_id": "own", "aws_secret_access_key": "own"}
    table = boto3.resource("dynamodb", endpoint_url=endpoint, **own).Table("Docs")
    table.put_item(Item=item)


@pytest.mark.parametrize("sort", ["N#other", "N#0001"])
def test_the_error_names_the_key(place: tuple[Client, str], sort: str) -> None:
    client, endpoint = place
    _put(client, endpoint, {"zp": "D#1", "zs": sort, **OTHER})
    key = f'zp = "D#1", zs = "{sort}"'
    with pytest.raises(UnknownItem) as error:
        client.all("docs", {"id": "1"}, most=5)
    assert error.value.key == key
    assert f"({key})" in str(error.value)
    found = client.all("docs", {"id": "1"}, most=5, on_unknown="skip")
    assert [one["n"] for one in found] == [7]


def test_the_error_about_a_record_names_the_key(place: tuple[Client, str]) -> None:
    client, _ = place
    image = {name: {"S": one} for name, one in {"zp": "D#1", "zs": "other", **OTHER}.items()}
    with pytest.raises(UnknownItem) as error:
        client.event({"dynamodb": {"NewImage": image}})
    assert error.value.key == 'zp = "D#1", zs = "other"'
