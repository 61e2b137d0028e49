"""Writes that the service finds invalid: one class of error, and one sentence, whether a write is a
request of its own, part of a transaction or of a batch."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import support

from keyfold import Client, Put, Run, Service, load, testing

_TEXT = (support.CASES / "invalid_writes.json").read_text()
CASES: dict[str, Any] = json.loads(_TEXT.replace("LARGE", "x" * 420_000), parse_float=Decimal)


@pytest.fixture(scope="module")
def notes() -> Iterator[Client]:
    model = load(support.plan(support.CASES / "invalid_writes.keyfold"))
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        for one in CASES["before"]:
            client.put(one["put"], one["values"])
        yield client


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_the_cases_of_all_clients(notes: Client, case: dict[str, Any]) -> None:
    with pytest.raises(Service) as caught:
        if "items" in case:
            notes.put_many("Note", case["items"])
        else:
            _write(notes, case["writes"])
    error = caught.value
    assert str(error) == case["message"]
    assert (error.code, error.exception) == ("service", "ValidationException")
    assert error.place is not None
    assert case["message"].startswith(f"ValidationException: {error.place.action} of Tab (PK = ")
    assert error.place.key["PK"] in case["message"]


def _write(notes: Client, writes: list[dict[str, Any]]) -> None:
    """Carries out one write as a call of its own, several as a transaction."""
    if len(writes) > 1:
        of_writes = (
            Put(one["put"], one["values"]) if "put" in one else Run(one["run"], one["args"])
            for one in writes
        )
        notes.transact(list(of_writes))
    elif "put" in writes[0]:
        notes.put(writes[0]["put"], writes[0]["values"])
    else:
        notes.write(writes[0]["run"], writes[0]["args"])
