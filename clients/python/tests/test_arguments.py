"""What a public method takes: an argument of another type is refused with its name before anything
is sent, as wrong values in one are."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from support import Proxy

from keyfold import Client, Create, Invalid, Model, Options, Run, Update
from keyfold.aio import AsyncClient

OTHER: list[Any] = [None, 5, "x", b"x", object()]
"""What is neither a list nor has names."""
NO_NAMES: list[Any] = [5, "x", "", b"x", 0, [], [1], object(), {1: "x"}]
"""What has no values by name; `None` is no argument of a pattern or write."""
UNNAMED: list[Any] = [5, None, [], "none"]
KEY = {"accountId": "a"}
ACCOUNT = {**KEY, "owner": "o", "email": "e"}
RECORD = {"dynamodb": {"NewImage": {"PK": {"S": "a"}, "SK": {"S": "a"}}}}
READS = [("page", "notes"), ("one", "account"), ("first", "notes"), ("all", "notes")]
READS += [("together", "both")]


def calls() -> list[tuple[str | None, str, tuple[Any, ...], dict[str, Any]]]:
    """The argument that is named, the method, and what it is given."""
    made: list[tuple[str | None, str, tuple[Any, ...], dict[str, Any]]] = []
    wrong: Any
    for method in ("put_many", "delete_many", "get_many"):
        name = "items" if method == "put_many" else "keys"
        entity = "Account" if method == "get_many" else "Booking"
        made += [(name, method, (entity, one), {}) for one in (*OTHER, KEY)]
        made += [(None, method, (entity, [one]), {}) for one in (None, *NO_NAMES)]
    made += [("strong", "get_many", ("Account", []), {"strong": one}) for one in OTHER]
    made += [("writes", "transact", (one,), {}) for one in (*OTHER, KEY, Create("Account", KEY))]
    made += [("writes", "transact", ([one],), {}) for one in (*OTHER, KEY)]
    for wrong in NO_NAMES:
        made += [(None, "transact", ([Create("Account", wrong)],), {})]
        made += [(None, "transact", ([Run("rename", wrong)],), {})]
        made += [(None, "transact", ([Update("Account", wrong)],), {})]
        made += [(None, method, (pattern, wrong), {}) for method, pattern in READS]
        made += [(None, "write", ("rename", wrong), {}), (None, "delete", ("Account", wrong), {})]
        made += [(None, "create", ("Account", wrong), {}), (None, "put", ("Account", wrong), {})]
        made += [(None, "update", ("Account", wrong), {})]
        made += [(None, "update", ("Account", {"owner": "p"}), {"key": wrong})]
    made += [(None, method, ("Account", None), {}) for method in ("create", "put", "update")]
    made += [("remove", "update", ("Account", ACCOUNT, one), {}) for one in (*OTHER, KEY)]
    made += [(None, "update", ("Account", KEY, [one]), {}) for one in UNNAMED]
    made += [("remove", "transact", ([Update("Account", KEY, one)],), {}) for one in OTHER]
    for wrong in OTHER:
        made += [(None, method, (wrong,), {}) for method, _ in READS]
        methods = ("create", "put", "update", "delete", "get_many", "put_many", "delete_many")
        made += [(None, method, (wrong, KEY), {}) for method in methods]
        made += [(None, "write", (wrong,), {}), ("record", "event", (wrong,), {})]
        if wrong is None:
            continue
        for method, pattern in READS:
            args = KEY | {"thingId": "t"} if pattern == "both" else {"thingId": "t"}
            args = KEY if pattern == "account" else args
            names = ("limit", "after", "backward", "strong", "on_unknown", "timeout")
            for name in names:
                if (name, wrong) not in (("limit", 5), ("timeout", 5)):
                    made.append((name, method, (pattern, args), {name: wrong}))
            made.append((None, method, (pattern, args), {"limt": wrong}))
        made += [("copies", "event", (RECORD,), {"copies": wrong})]
        made += [("on_unknown", "event", (RECORD,), {"on_unknown": wrong})]
    return made


def refused(error: BaseException | None, name: str | None) -> str | None:
    """Why a call was not refused as it is to be."""
    if not isinstance(error, Invalid):
        return repr(error)
    is_named = name is None or (error.attribute == name)
    return None if is_named else f"{error!r}: {error.attribute}"


def test_an_argument_of_another_type_is_refused(model: Model, proxy: Proxy) -> None:
    faults: list[Any] = []

    async def awaited() -> None:
        async with AsyncClient(model, proxy.endpoint) as client:
            for name, method, args, more in calls():
                try:
                    made = getattr(client, method)(*args, **more)
                    error = None
                    await made
                except Exception as raised:
                    error = raised
                faults.append((refused(error, name), "async", method, args, more))

    with Client(model, proxy.endpoint) as client:
        for name, method, args, more in calls():
            error: Exception | None = None
            try:
                getattr(client, method)(*args, **more)
            except Exception as raised:
                error = raised
            faults.append((refused(error, name), "blocking", method, args, more))
    asyncio.run(awaited())
    wrong = [one for one in faults if one[0] is not None]
    assert not wrong, "\n".join(map(str, wrong))
    assert proxy.operations() == []


@pytest.mark.parametrize("wrong", [None, 5, [], object()])
def test_a_client_of_another_plan_or_other_options_is_refused(model: Model, wrong: Any) -> None:
    for of in (Client, AsyncClient):
        with pytest.raises(Invalid):
            of(wrong, "http://127.0.0.1:1")
        with pytest.raises(Invalid):
            of(model, "http://127.0.0.1:1", wrong)
    with pytest.raises(Invalid):
        Client(model, wrong)
    with pytest.raises(Invalid):
        Client(model, "http://127.0.0.1:1", Options(on_unknown=wrong))


@pytest.mark.parametrize("wrong", ["x", 5, [], object(), {}])
@pytest.mark.parametrize("name", ["on_request", "tracing"])
def test_a_hook_that_cannot_be_called_is_refused(model: Model, name: str, wrong: Any) -> None:
    """A call would not have it, or would fail by it after it was sent."""
    held: dict[str, Any] = {name: wrong}
    for of in (Client, AsyncClient):
        with pytest.raises(Invalid, match=f"`{name}` is a ") as caught:
            of(model, "http://127.0.0.1:1", Options(**held))
        assert caught.value.attribute == name
