"""Cursors: texts that may come back from a browser, and belong to one pattern and its arguments."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import datetime, timedelta, timezone
from functools import partial
from typing import Any

import pytest
from served import served
from support import Proxy

from keyfold import Client, Invalid, KeyfoldError, Model, Options
from keyfold.aio import AsyncClient

ARGS = {"thingId": "cursors"}


@pytest.fixture(scope="module")
def first(model: Model, endpoint: str) -> Iterator[str]:
    """The cursor behind the first page, without a seal."""
    with Client(model, endpoint) as client:
        client.put("Thing", {"thingId": "cursors"})
        for at in range(8):
            client.put("Note", {**ARGS, "noteId": at, "text": ""})
        following = client.page("notes", ARGS).next
        assert following is not None
        yield following


def changed(text: str, at: int, bit: int = 1) -> str:
    """The cursor with one other bit."""
    raw = bytearray(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
    raw[at] ^= bit
    return base64.urlsafe_b64encode(raw).decode().rstrip("=")


def refused(client: Client, proxy: Proxy, pattern: str, args: dict[str, object], text: str) -> None:
    with pytest.raises(Invalid) as caught:
        client.page(pattern, args, after=text)
    assert f"this is no cursor of {pattern} with these arguments" in caught.value.message
    assert (caught.value.of, caught.value.attribute) == (f"the pattern {pattern}", "after")
    assert proxy.operations() == []


def test_a_cursor_is_a_plain_text(client: Client, first: str) -> None:
    assert first.isascii() and first.replace("-", "").replace("_", "").isalnum()
    assert [one["noteId"] for one in client.page("notes", ARGS, after=first).items] == [4, 5, 6, 7]
    # Positions do not change with the size and the direction of a page.
    back = client.page("notes", ARGS, after=first, backward=True, limit=2)
    assert [one["noteId"] for one in back.items] == [2, 1]


@pytest.mark.parametrize("text", ["", "x", "é", "%%%%", "A" * 40, "W10", "A" * 100_000])
def test_no_cursor_at_all(proxied: Client, proxy: Proxy, text: str) -> None:
    refused(proxied, proxy, "notes", {**ARGS}, text)


def test_another_pattern_or_other_arguments(proxied: Client, proxy: Proxy, first: str) -> None:
    refused(proxied, proxy, "notes", {"thingId": "others"}, first)
    refused(proxied, proxy, "notes_from", {**ARGS, "from": 0}, first)
    refused(proxied, proxy, "all_notes", {}, first)


def test_another_position_of_the_pattern(proxied: Client, proxy: Proxy, first: str) -> None:
    """Without a secret a position may be changed, but not to another partition."""
    raw = base64.urlsafe_b64decode(first + "=" * (-len(first) % 4))
    for held in (b"[]", b"{}", b"null", b'{"PK":1}', b"{" * 5000, b'{"a":{}}', b'{"a":{"N":"x"}}'):
        text = base64.urlsafe_b64encode(raw[:16] + held).decode().rstrip("=")
        with pytest.raises(Invalid):
            proxied.page("notes", ARGS, after=text)
    other = raw.replace(b"THING#cursors", b"THING#others!")
    text = base64.urlsafe_b64encode(other).decode().rstrip("=")
    with pytest.raises(Invalid):
        proxied.page("notes", ARGS, after=text)
    assert proxy.operations() == []


FANNED = """model fanned 1
table Evs (PK, SK)
entity Event
  tenant: string, id: string, at: time
  key "T#{tenant}" "{at}#{id}" shard 3
entity Log
  tenant: string, id: string, at: time
  key "L#{tenant}" "{at}#{id}" bucket month
pattern events(tenant) -> Event[] page 2
pattern logs(tenant, at >= since) -> Log[] page 2
"""


def held(text: str) -> tuple[bytes, dict[str, Any]]:
    """What a cursor belongs to, and its position."""
    raw = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return raw[:16], json.loads(raw[16:])


def forged(owner: bytes, position: object) -> str:
    return base64.urlsafe_b64encode(owner + json.dumps(position).encode()).decode().rstrip("=")


@pytest.fixture(scope="module")
def fanned(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client of a model whose patterns read shards and periods, with items of two tenants."""
    at = datetime(2026, 11, 20, tzinfo=timezone.utc)
    with served(FANNED, tmp_path_factory.mktemp("fanned")) as (client, _):
        for tenant in "ab":
            for number in range(6):
                own = {"tenant": tenant, "id": str(number)}
                client.put("Event", {**own, "at": at + timedelta(seconds=number)})
                client.put("Log", {**own, "at": at - timedelta(days=30 * number)})
        yield client


def refusals(client: Client, pattern: str, args: dict[str, Any], texts: list[Any]) -> list[Any]:
    """The positions that are not refused before anything is sent."""
    text = client.page(pattern, args).next
    assert text is not None
    owner, position = held(text)
    assert client.page(pattern, args, after=forged(owner, position)).items
    taken: list[Any] = []
    for one in texts:
        other = one(position) if callable(one) else one
        try:
            client.page(pattern, args, after=forged(owner, other))
            taken.append(other)
        except Invalid:
            pass
        except KeyfoldError as error:
            taken.append((other, error))
    return taken


def with_shard(one: object, whole: dict[str, Any]) -> dict[str, Any]:
    return {**whole, "#shard0": one}


def swapped(one: str, other: str) -> Any:
    return lambda position: json.loads(json.dumps(position).replace(one, other))


def test_another_position_in_shards(fanned: Client) -> None:
    own = {"PK": {"S": "T#a#0"}, "SK": {"S": "x"}}
    wrong: list[Any] = [
        {"S": "x"},
        {"L": []},
        {"M": {"PK": {"S": "T#a#0"}}},
        {"M": {"#done": {"S": "x"}}},
        {"M": {**own, "PK": {"S": "T#a#1"}}},
        {"M": {**own, "PK": {"S": "T#b#0"}}},
        {"M": {**own, "SK": {"N": "1"}}},
        {"M": {**own, "SK": {"S": ""}}},
        {"M": {**own, "SK": {"S": 5}}},
        {"M": {**own, "SK": {"S": "\ud800"}}},
        {"M": {**own, "zz": {"S": "1"}}},
    ]
    texts: list[Any] = [{}, {"#shard0": {"M": {}}}, swapped("T#a", "T#b")]
    texts += [lambda whole: {**whole, "#shard3": {"M": {}}}]
    texts += [partial(with_shard, one) for one in wrong]
    assert refusals(fanned, "events", {"tenant": "a"}, texts) == []


def test_another_position_in_periods(fanned: Client) -> None:
    args = {"tenant": "a", "since": datetime(2026, 6, 1, tzinfo=timezone.utc)}
    key = {"PK": {"S": "L#a#2026-09"}, "SK": {"S": "x"}}
    september: dict[str, Any] = {"S": "2026-09"}
    periods: list[Any] = [{"S": "zzz"}, {"S": "2020-01"}, {"S": 5}, {"M": {}}]
    texts: list[Any] = [
        *({"#period": one} for one in periods),
        *({**key, "#period": {"S": one}} for one in ("2026-10", "2026-13", "2020-01")),
        {**key, "#period": september, "PK": {"S": "L#b#2026-09"}},
        {**key, "#period": september, "SK": {"B": "eA=="}},
        {"#period": september, "x": {"S": "1"}},
        {"#period": september, "PK": key["PK"]},
        {**key, "#period": september, "x": {"S": "1"}},
        key,
        {},
        lambda whole: {**whole, "#period": {"S": "2026-08"}},
    ]
    assert refusals(fanned, "logs", args, texts) == []


def test_every_position_of_a_reading_is_taken(fanned: Client) -> None:
    since = datetime(2026, 6, 1, tzinfo=timezone.utc)
    for backward in (False, True):
        events = fanned.all("events", {"tenant": "a"}, limit=1, backward=backward)
        logs = fanned.all("logs", {"tenant": "a", "since": since}, limit=1, backward=backward)
        assert [len(events), len(logs)] == [6, 6]


def test_another_model(model: Model, proxied: Client, proxy: Proxy, first: str) -> None:
    from dataclasses import replace

    with Client(replace(model, hash="0" * 32), proxy.endpoint) as other:
        refused(other, proxy, "notes", {**ARGS}, first)


def test_a_sealed_cursor_is_not_changed(model: Model, proxy: Proxy, first: str) -> None:
    """No bit of a sealed cursor may change, and no other secret opens it."""
    with Client(model, proxy.endpoint, Options(cursor_secret=b"secret")) as client:
        sealed = client.page("notes", ARGS).next
        assert sealed is not None and sealed != first
        assert len(client.page("notes", ARGS, after=sealed).items) == 4
        proxy.operations()
        size = len(base64.urlsafe_b64decode(sealed + "=" * (-len(sealed) % 4)))
        for at in range(size):
            refused(client, proxy, "notes", {**ARGS}, changed(sealed, at))
        refused(client, proxy, "notes", {**ARGS}, first)
        refused(client, proxy, "notes", {**ARGS}, sealed[:-1])
        refused(client, proxy, "notes", {"thingId": "others"}, sealed)
    with Client(model, proxy.endpoint, Options(cursor_secret=b"another")) as client:
        refused(client, proxy, "notes", {**ARGS}, sealed)


SIGNS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"


@pytest.mark.parametrize("secret", [None, b"secret", b"another secret"])
def test_a_cursor_has_one_text(model: Model, proxy: Proxy, secret: bytes | None) -> None:
    """Also where base64 reads the same bytes: other unused bits, signs at the end, other signs."""
    args = {"thingId": "one text"}
    with Client(model, proxy.endpoint, Options(cursor_secret=secret)) as client:
        ends: set[int] = set()
        for more in range(3):
            own = {"thingId": f"{args['thingId']}?{'>' * more}"}
            for at in range(5):
                client.put("Note", {**own, "noteId": at, "text": ""})
            text = client.page("notes", own).next
            assert text is not None and len(client.page("notes", own, after=text).items) == 1
            proxy.operations()
            ends.add(len(text) % 4)
            last = SIGNS.index(text[-1])
            others = [text[:-1] + SIGNS[last ^ bit] for bit in range(1, 16)]
            others += [f"{text}=", f"{text}==", f"{text}\n", f" {text}"]
            others += [text.replace("-", "+").replace("_", "/")] if set("-_") & set(text) else []
            for other in others:
                refused(client, proxy, "notes", {**own}, other)
        assert ends == {0, 2, 3}


@pytest.mark.parametrize("secret", [b"", "text", 5])
def test_a_secret_that_seals_nothing_is_refused(model: Model, secret: Any) -> None:
    for of in (Client, AsyncClient):
        with pytest.raises(Invalid, match="a cursor secret is `bytes`"):
            of(model, "http://127.0.0.1:1", Options(cursor_secret=secret))
