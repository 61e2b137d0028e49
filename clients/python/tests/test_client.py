"""Patterns and writes of both clients on a server: pages, collections, single items, reports."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
from support import Proxy

from keyfold import (
    Client,
    Invalid,
    Item,
    Model,
    NotFound,
    Options,
    Refused,
    Sent,
    TableDiffers,
    TooMany,
    Transport,
    UnknownItem,
    testing,
)
from keyfold.aio import AsyncClient

OWN = {
    "region_name": "local",
    "aws_access_key_id": "own",
    "aws_secret_access_key": "own",
}


def raw(endpoint: str) -> Any:
    """A client of boto3, for what no model knows."""
    return boto3.client("dynamodb", endpoint_url=endpoint, **OWN)


@pytest.fixture(scope="module")
def notes(model: Model, endpoint: str) -> Iterator[str]:
    """A thing with ten notes."""
    with Client(model, endpoint) as client:
        client.create("Thing", {"thingId": "ten", "color": "red"})
        for at in range(10):
            client.create("Note", {"thingId": "ten", "noteId": at, "text": f"note {at}"})
    yield "ten"


def numbers(items: list[Item]) -> list[int]:
    return [item["noteId"] for item in items if item.kind == "Note"]


def test_pages_go_on_by_their_cursors(client: Client, notes: str) -> None:
    args = {"thingId": notes}
    first = client.page("notes", args)
    assert numbers(first.items) == [0, 1, 2, 3] and first.requests == 1 and first.capacity > 0
    assert first.next is not None
    second = client.page("notes", args, after=first.next, limit=2)
    assert numbers(second.items) == [4, 5]
    assert numbers(list(client.items("notes", args, after=second.next))) == [6, 7, 8, 9]
    back = client.page("notes", args, backward=True, limit=3)
    assert numbers(back.items) == [9, 8, 7]
    assert numbers(client.page("notes", args, backward=True, after=back.next).items) == [6, 5, 4, 3]
    assert [len(page.items) for page in client.pages("notes", args)] == [4, 4, 2]
    assert numbers(list(client.items("notes_from", {**args, "from": 8}))) == [8, 9]


def test_first_and_all_bound_what_they_read(client: Client, notes: str) -> None:
    args = {"thingId": notes}
    first = client.first("notes", args)
    assert first is not None and first["noteId"] == 0
    assert client.first("notes", {"thingId": "none"}) is None
    assert numbers(client.all("notes", args)) == list(range(10))
    assert len(client.all("notes", args, most=10)) == 10
    with pytest.raises(TooMany, match="notes has more than 9 items") as many:
        client.all("notes", args, most=9)
    assert (many.value.code, many.value.pattern, many.value.most) == ("too_many", "notes", 9)


def test_a_collection_names_its_kinds(client: Client, notes: str) -> None:
    items = list(client.items("thing_with_notes", {"thingId": notes}))
    assert [item.kind for item in items] == [*["Note"] * 10, "Thing"]
    with pytest.raises(NotFound, match="there is no Thing"):
        list(client.items("thing_with_notes", {"thingId": "none"}))
    assert {item.kind for item in client.items("short_notes", {"thingId": notes})} == {"Note.short"}


def test_one_item_or_none(client: Client, notes: str) -> None:
    thing = client.one("thing", {"thingId": notes}, strong=True)
    assert thing is not None and thing.kind == "Thing" and thing["color"] == "red"
    assert client.one("thing", {"thingId": "none"}) is None
    with pytest.raises(NotFound, match="sure_thing: no item for"):
        client.one("sure_thing", {"thingId": "none"})
    with pytest.raises(Invalid, match="notes returns several items"):
        client.one("notes", {"thingId": notes})


def test_a_read_may_be_strong(proxied: Client, proxy: Proxy, notes: str) -> None:
    proxied.page("notes", {"thingId": notes}, strong=True)
    proxied.page("notes", {"thingId": notes})
    assert [held.get("ConsistentRead") for _, held in proxy.seen] == [True, None]
    proxy.operations()
    with pytest.raises(Invalid, match="all_notes reads the global index GSI1"):
        proxied.page("all_notes", strong=True)
    assert proxy.operations() == []


def test_items_of_one_moment_by_name(client: Client, notes: str) -> None:
    client.put("Account", {"accountId": "both", "owner": "ada", "email": "both@example.com"})
    found = client.together("both", {"thingId": notes, "accountId": "both"})
    assert list(found) == ["Thing", "Account"]
    thing, account = found["Thing"], found["Account"]
    assert thing is not None and account is not None and account["owner"] == "ada"
    found = client.together("both", {"thingId": "none", "accountId": "none"})
    assert found == {"Thing": None, "Account": None}


def test_writes_report_what_was_made_and_changed(client: Client) -> None:
    account = {"accountId": "report", "owner": "ada", "email": "report@example.com"}
    made = client.create("Account", account)
    assert made.operation == "TransactWriteItems"
    assert made.changes == ["put Account", "put the guard of email"]
    before = datetime.now(timezone.utc)
    booked = client.write("book", {"accountId": "report", "amount": 5})
    assert (booked.value("bookedAt") - before).total_seconds() < 60
    bookings = client.all("bookings", {"accountId": "report"})
    assert [one["bookingId"] for one in bookings] == [booked.value("bookingId")]
    stored = client.one("account", {"accountId": "report"})
    assert stored is not None and stored["balance"] == 5
    client.update("Account", {"accountId": "report", "email": "new@example.com"})
    client.delete("Account", {"accountId": "report"})
    assert client.one("account", {"accountId": "report"}) is None
    unchanged = client.put("Thing", {"thingId": "report", "color": None})
    assert unchanged.capacity > 0


def test_none_removes_an_attribute(client: Client) -> None:
    client.put("Thing", {"thingId": "none removes", "color": "red", "size": 3})
    client.update("Thing", {"thingId": "none removes", "color": None}, remove=["size"])
    found = client.one("thing", {"thingId": "none removes"})
    assert found is not None and set(found) == {"thingId", "stamp"}


def test_an_unknown_item_is_an_error_or_left_out(client: Client, endpoint: str) -> None:
    key = {"PK": {"S": "THING#unknown"}, "SK": {"S": "OTHER"}}
    raw(endpoint).put_item(TableName="Things", Item=key)
    client.put("Thing", {"thingId": "unknown"})
    args = {"thingId": "unknown"}
    with pytest.raises(UnknownItem, match="found an item that the model does not know"):
        client.page("thing_with_notes", args)
    page = client.page("thing_with_notes", args, on_unknown="skip")
    assert [item.kind for item in page.items] == ["Thing"]
    # A wrong type is never handed out.
    wrong = {**key, "SK": {"S": "NOTE#000001"}, "text": {"N": "1"}, "level": {"N": "1"}}
    raw(endpoint).put_item(TableName="Things", Item=wrong)
    with pytest.raises(UnknownItem, match="stored as N, 1, which is no string"):
        client.page("notes", args)
    assert client.page("notes", args, on_unknown="skip").items == []


@pytest.mark.parametrize(
    ("attribute", "value"),
    [
        ("size", {"S": "5"}),
        ("size", {"N": "5.5"}),
        ("color", {"S": "blue"}),
        ("stamp", {"S": "01hm5z2v4xa7b8c9d0e1f2g3h4"}),
        ("reference", {"S": "nope"}),
        ("changedAt", {"S": "yesterday"}),
        ("changedAt", {"S": "2024-01-15T10:30:00Z"}),
        ("changedAt", {"S": "\u0662\u0660\u0662\u0664-01-15T10:30:00.000Z"}),
        ("sentAt", {"S": "whatever"}),
        ("madeAt", {"S": "2024-01-15T24:00:00Z"}),
        ("day", {"S": "2024-02-30"}),
        ("day", {"S": "\u0662\u0660\u0662\u0664-01-15"}),
        ("parts", {"L": [{"M": {"x": {"N": "1"}}}]}),
        ("codes", {"SS": ["1"]}),
        ("stamp", None),
    ],
)
def test_a_wrong_stored_value_is_an_unknown_item(
    client: Client, model: Model, endpoint: str, attribute: str, value: dict[str, Any] | None
) -> None:
    name = f"wrong {attribute}"
    keys = {"PK": {"S": f"THING#{name}"}, "SK": {"S": "THING"}, "kind": {"S": "Thing"}}
    held = {"thingId": {"S": name}, "stamp": {"S": "01HM5Z2V4XA7B8C9D0E1F2G3H4"}}
    item = {name: one for name, one in {**held, attribute: value}.items() if one is not None}
    raw(endpoint).put_item(TableName="Things", Item={**keys, **item})
    with pytest.raises(UnknownItem) as caught:
        client.one("thing", {"thingId": name})
    error = caught.value
    assert (error.entity, (error.attribute or "").partition("[")[0]) == ("Thing", attribute)
    assert name in (error.key or "") and name in error.message
    # All of them are left out alike.
    assert client.one("thing", {"thingId": name}, on_unknown="skip") is None
    with pytest.raises(NotFound):
        client.page("thing_with_notes", {"thingId": name}, on_unknown="skip")
    record = {"dynamodb": {"Keys": dict(list(keys.items())[:2]), "NewImage": {**keys, **item}}}
    with pytest.raises(UnknownItem) as caught:
        client.event(record)
    assert (caught.value.attribute or "").partition("[")[0] == attribute
    assert client.event(record, on_unknown="skip") is None


def test_a_client_of_the_program_is_taken(model: Model, endpoint: str, notes: str) -> None:
    own = raw(endpoint)
    with Client(model, own) as client:
        assert len(client.all("notes", {"thingId": notes})) == 10
    own.list_tables()


def test_requests_are_observed(model: Model, endpoint: str, notes: str) -> None:
    sent: list[Sent] = []
    with Client(model, endpoint, Options(on_request=sent.append)) as client:
        client.page("notes", {"thingId": notes})
    (one,) = sent
    assert (one.call, one.operation, one.table, one.error) == ("notes", "Query", "Things", None)
    assert f"THING#{notes}" in str(one.input["ExpressionAttributeValues"])
    assert one.capacity is not None and one.capacity > 0
    assert 0 < one.seconds < 60


def test_requests_are_observed_with_their_call(model: Model, endpoint: str) -> None:
    """Of each client, and an error of the hook is none of the call."""
    sent: list[Sent] = []

    def hook(one: Sent) -> None:
        sent.append(one)
        raise RuntimeError("the log is full")

    async def awaited() -> None:
        async with AsyncClient(model, endpoint, Options(on_request=hook)) as own:
            await own.put("Thing", {"thingId": "hook"})
            await own.one("thing", {"thingId": "hook"})

    with Client(model, endpoint, Options(on_request=hook)) as client:
        client.put("Thing", {"thingId": "hook"})
        client.one("thing", {"thingId": "hook"})
    half = [(one.call, one.operation) for one in sent]
    assert half[0][0] == "put Thing" and half[-1] == ("thing", "GetItem")
    assert sent[-1].input["Key"] == {"PK": {"S": "THING#hook"}, "SK": {"S": "THING"}}
    asyncio.run(awaited())
    assert [(one.call, one.operation) for one in sent] == [*half, *half]


def test_tables_are_made_once_and_compared(model: Model) -> None:
    with testing.serve() as server, Client(model, server.endpoint) as client:
        assert client.ensure_tables() == {"Things": "created"}
        assert client.ensure_tables() == {"Things": "existing"}
    with testing.serve() as server:
        raw(server.endpoint).create_table(
            TableName="Things",
            KeySchema=[{"AttributeName": "other", "KeyType": "HASH"}],
            AttributeDefinitions=[{"AttributeName": "other", "AttributeType": "S"}],
            BillingMode="PAY_PER_REQUEST",
        )
        with Client(model, server.endpoint) as client:
            with pytest.raises(TableDiffers, match="the table Things exists and differs"):
                client.ensure_tables()


def test_a_folder_has_a_server_of_its_own(model: Model, tmp_path: Path) -> None:
    for expected in ("created", "existing"):
        with Client(model, f"keyfold:{tmp_path}/data") as client:
            assert client.ensure_tables() == {"Things": expected}
            client.put("Note", {"thingId": "t", "noteId": 1, "text": expected})


def test_an_absent_server_is_a_transport_error(model: Model) -> None:
    with Client(model, "http://127.0.0.1:9", Options(retries=1)) as client:
        with pytest.raises(Transport) as caught:
            client.one("thing", {"thingId": "t"})
        assert caught.value.code == "transport"
        with pytest.raises(Transport):
            client.put("Thing", {"thingId": "t"})


def test_another_version_of_the_document_is_refused() -> None:
    with pytest.raises(Invalid, match="the plan document has the version 2"):
        Client({"keyfoldPlan": 2}, "http://127.0.0.1:9")


def test_the_client_that_awaits(model: Model, endpoint: str, notes: str) -> None:
    async def run() -> None:
        async with AsyncClient(model, endpoint) as client:
            assert client.model is model
            args = {"thingId": notes}
            first = await client.page("notes", args, limit=3)
            assert numbers(first.items) == [0, 1, 2]
            assert numbers(await client.all("notes", args, after=first.next)) == list(range(3, 10))
            assert [len(page.items) async for page in client.pages("notes", args)] == [4, 4, 2]
            one = await client.first("notes", args)
            assert one is not None and one["noteId"] == 0
            assert await client.one("thing", {"thingId": "none"}) is None
            found = await client.together("both", {"thingId": notes, "accountId": "none"})
            assert found["Thing"] is not None and found["Account"] is None
            with pytest.raises(TooMany):
                await client.all("notes", args, most=9)
            await client.create("Thing", {"thingId": "aio"})
            await client.update("Thing", {"thingId": "aio", "size": 1})
            await client.put("Account", {"accountId": "aio", "owner": "a", "email": "aio@e.c"})
            await client.write("rename", {"accountId": "aio", "owner": "b"})
            await client.delete("Thing", {"thingId": "aio"})
            assert await client.ensure_tables() == {"Things": "existing"}
            many = [client.page("notes", args) for _ in range(20)]
            assert len(await asyncio.gather(*many)) == 20

    asyncio.run(run())


def test_a_client_that_awaits_must_be_open(model: Model, endpoint: str) -> None:
    async def run() -> None:
        with pytest.raises(Invalid, match="use it in `async with`"):
            await AsyncClient(model, endpoint).page("notes", {"thingId": "t"})

    asyncio.run(run())


def test_an_item_whose_value_makes_no_index_key_is_replaced_and_deleted(
    client: Client, endpoint: str
) -> None:
    """Another program wrote a text where the key of an index needs a number."""
    key = {"PK": {"S": "THING#wrong"}, "SK": {"S": "NOTE#000001"}}
    wrong = {**key, "GSI1PK": {"S": "NOTES"}, "GSI1SK": {"S": "many"}, "level": {"S": "many"}}
    held = {"thingId": {"S": "wrong"}, "noteId": {"N": "1"}, "text": {"S": "t"}}

    def write() -> None:
        raw(endpoint).put_item(TableName="Things", Item={**wrong, **held})

    def stored() -> Any:
        return raw(endpoint).get_item(TableName="Things", Key=key).get("Item")

    one = {"thingId": "wrong", "noteId": 1}
    write()
    with pytest.raises(Refused, match="so that its index keys are not known: give `level`, too"):
        client.update("Note", {**one, "text": "new"})
    client.update("Note", {**one, "level": 3})
    assert stored()["GSI1SK"] == {"S": "0003#wrong#000001"}
    write()
    client.put("Note", {**one, "text": "new", "level": 4})
    assert stored()["GSI1SK"] == {"S": "0004#wrong#000001"}
    write()
    client.delete("Note", one)
    assert stored() is None
    thing = {"PK": {"S": "THING#wrong"}, "SK": {"S": "THING"}, "thingId": {"S": "wrong"}}
    color = {"color": {"N": "5"}, "GSI1PK": {"S": "old"}, "GSI1SK": {"S": "old"}}
    stamp = {"stamp": {"S": "01HM5Z2V4XA7B8C9D0E1F2G3HJ"}}
    raw(endpoint).put_item(TableName="Things", Item={**thing, **color, **stamp})
    client.put("Thing", {"thingId": "wrong"})
    key = {"PK": thing["PK"], "SK": thing["SK"]}
    assert not {"color", "GSI1PK", "GSI1SK"} & stored().keys()
    client.delete("Thing", {"thingId": "wrong"})
