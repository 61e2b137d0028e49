"""Items that say another kind than their keys: the cases that all clients share."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
import support

from keyfold import Client, KeyfoldError, Options, UnknownItem, load, testing

CASES: list[dict[str, Any]] = json.loads((support.CASES / "unknown.json").read_text())["cases"]
VERBS = ("update", "put", "delete", "write")


class Place(NamedTuple):
    """A client, one that skips unknown items, and the tables as another program sees them."""

    strict: Client
    lenient: Client
    raw: Any


@pytest.fixture(scope="module")
def place() -> Iterator[Place]:
    plan = load(support.plan(support.CASES / "unknown.keyfold"))
    own = {"region_name": "local", "aws_access_key_id": "own", "aws_secret_access_key": "own"}
    with testing.serve() as server, Client(plan, server.endpoint) as strict:
        strict.ensure_tables()
        raw = boto3.client("dynamodb", endpoint_url=server.endpoint, **own)
        with Client(plan, server.endpoint, Options(on_unknown="skip")) as lenient:
            yield Place(strict, lenient, raw)


def value_of(plain: Any) -> dict[str, Any]:
    """A text as S, a number as N, a list as L."""
    if isinstance(plain, list):
        return {"L": [value_of(one) for one in plain]}
    return {"N": str(plain)} if isinstance(plain, int) else {"S": plain}


def item_of(plain: dict[str, Any]) -> dict[str, Any]:
    return {name: value_of(value) for name, value in plain.items()}


def store(place: Place, case: dict[str, Any]) -> None:
    """Leaves nothing but the items of a case in the tables."""
    for table in place.raw.list_tables()["TableNames"]:
        for item in place.raw.scan(TableName=table)["Items"]:
            place.raw.delete_item(TableName=table, Key={"PK": item["PK"], "SK": item["SK"]})
    for plain in case["items"]:
        place.raw.put_item(TableName=case.get("table", "Main"), Item=item_of(plain))


def shown(item: Any) -> str | None:
    """The id of an item; of a row its place."""
    return None if item is None else item.get("id", item.get("place"))


def outcome(call: Callable[[], Any]) -> Any:
    """What comes of a call, as the cases say it."""
    try:
        return call()
    except KeyfoldError as error:
        if error.code == "unknown_item":
            return "unknown"
        if error.code == "not_found":
            return "not_found"
        raise


def read(client: Client, case: dict[str, Any]) -> list[str | None]:
    """The ids of the answer."""
    if "get" in case:
        return [shown(item) for item in client.get_many(case["get"], case["keys"])]
    return [shown(item) for item in client.all(case["pattern"], case["arguments"], most=10)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_the_cases_of_all_clients(place: Place, case: dict[str, Any]) -> None:
    store(place, case)
    image = item_of(case["items"][-1])
    keys = {name: image[name] for name in ("PK", "SK")}
    record = {"dynamodb": {"Keys": keys, "NewImage": image}}

    def event() -> str | None:
        found = place.strict.event(record)
        return None if found is None else found.kind

    assert outcome(event) == case["event"]
    verb = next((name for name in VERBS if name in case), None)
    if verb is not None:
        write = getattr(place.strict, verb)
        done = outcome(lambda: write(case[verb], case["values"]) is not None)
        assert done == case["done"]
        return
    assert outcome(lambda: read(place.strict, case)) == case["found"]
    left_out = outcome(lambda: read(place.lenient, case))
    assert left_out == case.get("skipped", case["found"])


TOLD_APART = (
    "an item with another value than its entity fixes",
    "one of a scan with a value of another type",
    "one of a scan that says no kind, with a value of another type",
    "a row whose sum is no number",
    "such a row whose sum is no number",
)
"""The cases whose wrong value the client finds as it makes the item: its sentence names the
attributes that identify the item, not its key. And those of a sum, of which it does not say in
which way it is no number."""


def on_the_command_line(place: Place, case: dict[str, Any], verb: str) -> str | None:
    """The error of a call on the command line."""
    given = case["arguments" if verb == "pattern" else "values"].items()
    command = "run" if verb in ("pattern", "write") else verb
    texts = [f"{one}={held if isinstance(held, str) else json.dumps(held)}" for one, held in given]
    own = [support.KEYFOLD, command, str(support.CASES / "unknown.keyfold"), case[verb], *texts]
    keys = {"AWS_ACCESS_KEY_ID": "k", "AWS_SECRET_ACCESS_KEY": "s", "AWS_REGION": "local"}
    done = subprocess.run(
        [*own, "--endpoint", place.raw.meta.endpoint_url, "--json"],
        env={**os.environ, **keys},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    error = json.loads(done.stdout.splitlines()[-1]).get("error")
    return None if error is None else str(error["message"])


ASKED = [case for case in CASES if "get" not in case and case["name"] not in TOLD_APART]


@pytest.mark.parametrize("case", ASKED, ids=lambda case: case["name"])
def test_the_errors_are_those_of_the_command_line(place: Place, case: dict[str, Any]) -> None:
    store(place, case)
    verb = next((name for name in VERBS if name in case), "pattern")
    wanted = on_the_command_line(place, case, verb)
    store(place, case)
    found: str | None = None
    try:
        if verb == "pattern":
            read(place.strict, case)
        else:
            getattr(place.strict, verb)(case[verb], case["values"])
    except KeyfoldError as error:
        found = error.message
    assert found == wanted


@pytest.mark.parametrize(
    ("pattern", "total", "kind"),
    [("totals", "total", "Totals"), ("ranked", "sum", "Ranked")],
)
def test_the_error_about_a_row_whose_sum_is_no_number_says_the_sum(
    place: Place, pattern: str, total: str, kind: str
) -> None:
    of_pattern = [one for one in CASES if one.get("pattern") == pattern]
    case = next(one for one in of_pattern if f"{total}:exact" in one["items"][0])
    store(place, case)
    with pytest.raises(UnknownItem) as error:
        place.strict.all(pattern, {"place": "p"}, most=10)
    key = f'PK = "{case["items"][0]["PK"]}", SK = "PLACE#p"'
    found = error.value
    assert (found.entity, found.key, found.attribute) == (kind, key, total)
    exact = case["items"][0][f"{total}:exact"]
    of_sum = f"{total}, the sum of its items, is {exact}, which is no number of DynamoDB"
    assert str(found).endswith(f"{kind} ({key}): {of_sum}")
