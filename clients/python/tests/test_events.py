"""Stream records as typed entities, in the form of a stream reader and of Lambda."""

from __future__ import annotations

import base64
import copy
import json
import time
from collections.abc import Iterator
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

import boto3  # type: ignore[import-untyped, unused-ignore]
import pytest
import support

from keyfold import Client, Event, Invalid, Item, Model, UnknownItem, load, testing

OWN = {"region_name": "local", "aws_access_key_id": "own", "aws_secret_access_key": "own"}


class Stream:
    """A table's stream, read from its beginning."""

    def __init__(self, endpoint: str, table: str) -> None:
        self._streams = boto3.client("dynamodbstreams", endpoint_url=endpoint, **OWN)
        (stream,) = self._streams.list_streams(TableName=table)["Streams"]
        self.arn: str = stream["StreamArn"]
        described = self._streams.describe_stream(StreamArn=self.arn)["StreamDescription"]
        self._iterators = [
            self._streams.get_shard_iterator(
                StreamArn=self.arn, ShardId=one["ShardId"], ShardIteratorType="TRIM_HORIZON"
            )["ShardIterator"]
            for one in described["Shards"]
        ]

    def records(self, least: int) -> list[dict[str, Any]]:
        """The next records: as many, at least."""
        found: list[dict[str, Any]] = []
        end = time.monotonic() + 20
        while len(found) < least and time.monotonic() < end:
            for at, iterator in enumerate(self._iterators):
                answer = self._streams.get_records(ShardIterator=iterator)
                self._iterators[at] = answer.get("NextShardIterator", iterator)
                found.extend(answer["Records"])
        assert len(found) >= least
        return found


def of_lambda(record: dict[str, Any], arn: str) -> dict[str, Any]:
    """A record as Lambda gets it: JSON, with base64 for binary values."""

    def plain(value: Any) -> Any:
        if isinstance(value, bytes):
            return base64.b64encode(value).decode()
        if isinstance(value, dict):
            return {name: plain(one) for name, one in value.items()}
        if isinstance(value, list):
            return [plain(one) for one in value]
        return value.timestamp() if hasattr(value, "timestamp") else value

    event = {**plain(copy.deepcopy(record)), "eventSourceARN": arn, "eventSource": "aws:dynamodb"}
    held: dict[str, Any] = json.loads(json.dumps(event))
    return held


@pytest.fixture(scope="module")
def streamed(model: Model) -> Iterator[tuple[Client, Stream]]:
    with testing.serve() as server, Client(model, server.endpoint) as client:
        client.ensure_tables()
        yield client, Stream(server.endpoint, "Things")


def test_each_change_of_an_entity_is_one_event(streamed: tuple[Client, Stream]) -> None:
    client, stream = streamed
    reference = "123e4567-e89b-12d3-a456-426614174000"
    thing = {
        "thingId": "s",
        "price": Decimal("1.50"),
        "blob": b"\x00\xff",
        "tags": {"a"},
        "codes": {1},
        "reference": reference,
    }
    client.create("Thing", {**thing, "stamp": "01HM5Z2V4XA7B8C9D0E1F2G3H4"})
    client.update("Thing", {"thingId": "s", "price": 2, "blob": None})
    client.create("Note", {"thingId": "s", "noteId": 1, "text": "\U0001f600"})
    client.delete("Note", {"thingId": "s", "noteId": 1})
    # The thing with its guard, its change, the note with its copy, and their deletion.
    records = stream.records(7)
    old = {
        "thingId": "s",
        "price": Decimal("1.5"),
        "blob": b"\x00\xff",
        "tags": frozenset({"a"}),
        "codes": frozenset({Decimal(1)}),
        "reference": reference,
        "stamp": "01HM5Z2V4XA7B8C9D0E1F2G3H4",
    }
    new = {name: value for name, value in old.items() if name != "blob"}
    new["price"] = Decimal(2)
    note = Item("Note", {"thingId": "s", "noteId": 1, "text": "\U0001f600", "level": 0})
    expected = [
        Event("Thing", None, Item("Thing", old)),
        Event("Thing", Item("Thing", old), Item("Thing", new)),
        Event("Note", None, note),
        Event("Note", note, None),
    ]
    for form in (lambda one: one, lambda one: of_lambda(one, stream.arn)):
        events = [client.event(form(record)) for record in records]
        assert [event for event in events if event is not None] == expected


def test_one_of_the_images_may_be_missing(client: Client) -> None:
    """A stream may have only one of the images."""
    keys = {"PK": {"S": "THING#t"}, "SK": {"S": "NOTE#000001"}}
    image = {**keys, "kind": {"S": "Note"}, "text": {"S": ""}, "level": {"N": "3"}}
    event = client.event({"dynamodb": {"Keys": keys, "OldImage": image}})
    assert event is not None and event.new is None and event.old is not None
    assert dict(event.old) == {"thingId": "t", "noteId": 1, "text": "", "level": 3}


CASES: dict[str, Any] = json.loads((support.ROOT / "clients/cases/events.json").read_text())


@pytest.fixture(scope="module")
def shared() -> Client:
    file = support.ROOT / "clients/cases/events.keyfold"
    return Client(load(support.plan(file)), "http://127.0.0.1:1")


@pytest.mark.parametrize("case", CASES["cases"], ids=lambda case: case["name"])
def test_the_cases_of_all_clients(shared: Client, case: dict[str, Any]) -> None:
    copies: bool = case.get("copies", False)
    expected = case["event"]
    if expected == "invalid":
        with pytest.raises(Invalid):
            shared.event(case["record"], copies=copies, on_unknown="skip")
    elif expected == "unknown":
        with pytest.raises(UnknownItem):
            shared.event(case["record"], copies=copies)
        assert shared.event(case["record"], copies=copies, on_unknown="skip") is None
    else:
        event = shared.event(case["record"], copies=copies)
        assert (event and shown(event)) == expected


def shown(event: Event) -> dict[str, Any]:
    images = {"old": event.old, "new": event.new}
    held = {name: plain(one) for name, one in images.items() if one is not None}
    return {"kind": event.kind, **held}


def plain(item: Item) -> dict[str, Any]:
    """An item as JSON has it."""

    def of(value: Any) -> Any:
        if isinstance(value, datetime):
            return value.astimezone(timezone.utc).isoformat(timespec="milliseconds")[:23] + "Z"
        # An average, with all digits.
        return float(value) if isinstance(value, Decimal) else value

    return {name: of(value) for name, value in item.items()}


def test_an_item_that_moves_and_a_split_list() -> None:
    """The parts of a list and the guard of an id are no events."""
    everything = load(support.plan(support.EVERYTHING))
    with testing.serve() as server, Client(everything, server.endpoint) as client:
        client.ensure_tables()
        site = {"siteId": "s", "region": "r", "city": "c", "grade": 1, "shape": [], "extra": {}}
        client.create("Site", {**site, "openedAt": "2024-01-01"})
        points = [{"x": at, "tags": {"t"}} for at in range(7)]
        client.create("Track", {"siteId": "s", "title": "t", "steps": points})
        client.create("Contest", {"contestId": "c", "siteId": "s", "place": "p", "score": 1})
        client.update("Contest", {"contestId": "c", "score": 2})
        records = Stream(server.endpoint, "Main").records(12)
        events = [event for event in map(client.event, records) if event is not None]
    kinds = [event.kind for event in events if event.kind != "Site"]
    # A move is a deletion and a creation.
    assert sorted(kinds) == ["Contest", "Contest", "Contest", "Track"]
    track = next(event.new for event in events if event.kind == "Track")
    assert track is not None and "steps" not in track and track["title"] == "t"


@pytest.mark.parametrize(
    "wrong",
    [{}, None, "x", {"dynamodb": "x"}, {"dynamodb": {}}, {"dynamodb": {"Keys": {"PK": {}}}}],
)
def test_what_is_no_record_is_invalid(client: Client, wrong: Any) -> None:
    with pytest.raises(Invalid, match="no record of a stream"):
        client.event(wrong)
