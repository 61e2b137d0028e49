"""Errors of calls: what they name, and where a write is refused, as in all clients."""

from __future__ import annotations

import json
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest
import support

from keyfold import Client, Delete, Invalid, KeyfoldError, Put, Run, Update, load, testing
from keyfold.writes import TransactionWrite

_TEXT = (support.CASES / "errors.json").read_text().replace("LONG", "x" * 2100)
CASES: dict[str, Any] = json.loads(_TEXT, parse_float=Decimal)
INVALID = [one for one in CASES["invalid"] if "python" in one.get("languages", ["python"])]


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    model = load(support.plan(support.CASES / "errors.keyfold"))
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        for one in CASES["before"]:
            _carry(client, one)
        yield client


@pytest.mark.parametrize("case", INVALID, ids=lambda case: case["name"])
def test_an_error_of_wrong_input(client: Client, case: dict[str, Any]) -> None:
    with pytest.raises(Invalid) as caught:
        _carry(client, case["call"])
    error = caught.value
    found = {"of": error.of, "attribute": error.attribute, "item": error.item, "write": error.write}
    assert found == {name: case.get(name) for name in found}, str(error)


@pytest.mark.parametrize("case", CASES["refused"], ids=lambda case: case["name"])
def test_the_place_of_a_refusal(client: Client, case: dict[str, Any]) -> None:
    with pytest.raises(KeyfoldError) as caught:
        _carry(client, case["call"])
    error = caught.value
    assert error.code == case["code"], str(error)
    assert error.place is not None
    found = {
        "action": error.place.action,
        "entity": error.place.entity,
        "id": error.place.id,
        "write": error.write,
    }
    assert found == {name: case.get(name) for name in found}, str(error)


@pytest.mark.parametrize("case", CASES["done"], ids=lambda case: case["name"])
def test_an_update_that_is_done(client: Client, case: dict[str, Any]) -> None:
    report = client.update(case["call"]["update"], case["call"]["values"])
    assert (report.operation, report.changes) == (case["operation"], case["changes"])


def _carry(client: Client, call: dict[str, Any]) -> None:
    """Carries out the call of a case."""
    match call:
        case {"create": of, "values": values}:
            client.create(of, values)
        case {"put": of, "values": values}:
            client.put(of, values)
        case {"update": of, "values": values}:
            client.update(of, values, remove=call.get("remove", ()))
        case {"delete": of, "key": key}:
            client.delete(of, key)
        case {"read": of, "args": args}:
            client.page(of, args)
        case {"one": of, "args": args}:
            client.one(of, args)
        case {"run": of, "args": args}:
            client.write(of, args)
        case {"getMany": of, "keys": keys}:
            client.get_many(of, keys)
        case {"putMany": of, "items": items}:
            client.put_many(of, items)
        case {"deleteMany": of, "keys": keys}:
            client.delete_many(of, keys)
        case {"fake": of, "values": values}:
            testing.Fakes(client).entity(of, values)
        case _:
            client.transact([_write(one) for one in call["transact"]])


def _write(one: dict[str, Any]) -> TransactionWrite:
    match one:
        case {"put": of, "values": values}:
            return Put(of, values)
        case {"update": of, "values": values}:
            return Update(of, values)
        case {"delete": of, "key": key}:
            return Delete(of, key)
        case _:
            return Run(one["run"], one["args"])
