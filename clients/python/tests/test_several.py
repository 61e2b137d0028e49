"""Several writes in one transaction, and batches, in both clients on a server. The requests are
compared with those of Keyfold's own client by `lockstep`."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import support
from both import BOTH, Asked

from keyfold import (
    Client,
    Create,
    Delete,
    Exists,
    Incomplete,
    Invalid,
    Model,
    Options,
    Put,
    Refused,
    Run,
    Taken,
    Update,
    load,
    testing,
)
from keyfold.aio import AsyncClient

MODEL = support.PACKAGE / "tests" / "several.keyfold"


@pytest.fixture(scope="module")
def several() -> Model:
    return load(support.plan(MODEL))


@pytest.fixture
def server(several: Model) -> Iterator[str]:
    with testing.serve() as running, Client(several, running.endpoint) as client:
        client.ensure_tables()
        yield running.endpoint


@pytest.fixture
def own(several: Model, server: str) -> Iterator[Client]:
    with Client(several, server) as made:
        yield made


def user(name: str) -> Create:
    return Create("User", {"userId": name, "email": f"{name}@x"})


def test_writes_of_a_transaction_happen_together(own: Client) -> None:
    done = own.transact(
        [
            user("a"),
            Run("post", {"userId": "a", "text": "one"}),
            Create("Post", {"userId": "a", "text": "two"}),
        ]
    )
    assert done.operation == "TransactWriteItems"
    assert [one.changes for one in done.writes] == [
        ["put User", "put the guard of email"],
        ["put Post"],
        ["put Post"],
    ]
    assert done.writes[1].value("postId") != done.writes[2].value("postId")
    found = own.one("user", {"userId": "a"})
    assert found is not None and found["posts"] == 2


def test_a_refusal_names_the_write_and_writes_nothing(own: Client) -> None:
    own.transact([user("b")])
    with pytest.raises(Taken, match=r"^write 1 \(create User\): email `b@x` is taken") as taken:
        own.transact(
            [
                Create("Post", {"userId": "b", "text": "x"}),
                Create("User", {"userId": "c", "email": "b@x"}),
            ]
        )
    assert taken.value.write == 1
    with pytest.raises(
        Refused, match=r"^write 1 \(delete User\): write 0 \(update User\) uses the same"
    ):
        own.transact(
            [Update("User", {"userId": "b", "email": "new@x"}), Delete("User", {"userId": "b"})]
        )
    with pytest.raises(Exists, match=r"^write 0 \(create User\): User exists already"):
        own.transact([user("b"), Put("Note", {"n": 1, "text": "x"})])
    with pytest.raises(Invalid, match="at least one write"):
        own.transact([])
    assert own.get_many("Note", [{"n": 1}], strong=True) == [None]


def test_batches_are_written_and_read_by_position(own: Client) -> None:
    done = own.put_many("Note", [{"n": n, "text": f"note {n}"} for n in range(60)])
    assert (done.requests, len(done.made), done.made[59][0].attribute) == (3, 60, "at")
    keys = [{"n": (at * 7) % 70} for at in range(130)]
    found = own.get_many("Note", keys, strong=True)
    assert [item and item["n"] for item in found] == [
        key["n"] if key["n"] < 60 else None for key in keys
    ]
    own.delete_many("Note", [{"n": 0}, {"n": 0}, {"n": 69}])
    assert [item is None for item in own.get_many("Note", [{"n": 0}, {"n": 1}])] == [True, False]


def test_what_something_follows_from_is_in_no_batch(own: Client) -> None:
    with pytest.raises(Invalid, match="a guard keeps its email unique; put each"):
        own.put_many("User", [{"userId": "d", "email": "d@x"}])
    with pytest.raises(Invalid, match="items 0 and 1 of the batch are the same Note") as caught:
        own.put_many("Note", [{"n": 1, "text": "a"}, {"n": 1, "text": "b"}])
    assert (caught.value.of, caught.value.item) == ("Note", 1)


def test_a_wrong_write_of_a_transaction_is_named_by_its_number(own: Client) -> None:
    good = Run("post", {"userId": "a", "text": "x"})
    wrong: list[tuple[Any, str, str | None, str]] = [
        (
            Update("User", {"userId": 5}),
            r"^write 1 \(update User\): User: userId is no string: 5$",
            "userId",
            "User",
        ),
        (Delete("User", {}), r"^write 1 \(delete User\): the key of User needs", "userId", "User"),
        (Create("Usr", {}), r"^write 1 \(create Usr\): the model has no entity", None, "Usr"),
        (
            Run("post", {"userId": "a"}),
            r"^write 1 \(post\): the write post needs text$",
            "text",
            "the write post",
        ),
    ]
    for one, reason, attribute, of in wrong:
        with pytest.raises(Invalid, match=reason) as caught:
            own.transact([good, one])
        error = caught.value
        assert (error.of, error.attribute, error.write) == (of, attribute, 1)


def test_a_wrong_item_of_a_batch_is_named_by_its_position(own: Client) -> None:
    notes = [{"n": n, "text": "x"} for n in range(120)]
    keys = [{"n": n} for n in range(120)]
    wrong: list[tuple[Any, str, str | None]] = [
        ({"n": "a", "text": "x"}, 'Note: n is no int: "a"', "n"),
        ({"n": 77}, "Note needs text", "text"),
        ("x", "Note takes values by name, and no str", None),
    ]
    for given, reason, attribute in wrong:
        with pytest.raises(Invalid) as caught:
            own.put_many("Note", [*notes[:77], given, *notes[78:]])
        error = caught.value
        assert error.message == f"item 77 of the batch: {reason}"
        assert (error.of, error.attribute, error.item) == ("Note", attribute, 77)
    calls: list[Callable[[Any], object]] = [
        lambda given: own.get_many("Note", given),
        lambda given: own.delete_many("Note", given),
    ]
    for call in calls:
        for key, reason in (
            ({"n": "a"}, "Note: n is no int"),
            ({}, "the key of Note needs n"),
            ({"n": 1, "text": "x"}, "text is no part of the key of Note"),
        ):
            with pytest.raises(Invalid, match=f"^item 3 of the batch: {reason}") as caught:
                call([*keys[:3], key])
            assert (caught.value.of, caught.value.item) == ("Note", 3)
    # What is found as its key is made has its position, too.
    with pytest.raises(Invalid, match="^item 1 of the batch: ") as caught:
        own.put_many("Tag", [{"name": "a"}, {"name": ""}])
    assert (caught.value.of, caught.value.attribute, caught.value.item) == ("Tag", "name", 1)
    tags = [{"name": "a"}, {"name": ""}]
    for many in (lambda: own.get_many("Tag", tags), lambda: own.delete_many("Tag", tags)):
        with pytest.raises(Invalid, match="^item 1 of the batch: ") as caught:
            many()
        assert (caught.value.attribute, caught.value.item) == ("name", 1)


def test_a_batch_that_is_written_in_part_says_which_items_were(several: Model, server: str) -> None:
    proxy = support.Proxy(server)
    try:
        with Client(several, proxy.endpoint) as own:
            proxy.faults["BatchWriteItem"] = [support.lost_after]
            with pytest.raises(Incomplete) as part:
                own.put_many("Note", [{"n": n, "text": "x"} for n in range(27)])
    finally:
        proxy.close()
    error = part.value
    assert len(error.written) + len(error.unknown) == 27 and not error.unwritten
    assert len(error.unknown) in (2, 25)


def test_the_same_calls_are_awaited(several: Model, server: str) -> None:
    async def calls() -> None:
        async with AsyncClient(several, server) as own:
            done = await own.transact([user("z"), Run("post", {"userId": "z", "text": "one"})])
            assert len(done.writes) == 2
            await own.put_many("Note", [{"n": 1, "text": "a"}])
            found = await own.get_many("Note", [{"n": 2}, {"n": 1}])
            assert [item is None for item in found] == [True, False]
            await own.delete_many("Note", [{"n": 1}])

    asyncio.run(calls())


def test_a_parent_with_children_is_refused_at_its_place(own: Client) -> None:
    own.transact([user("parent"), Run("post", {"userId": "parent", "text": "one"})])
    with pytest.raises(Refused, match="still has Post items; delete them first") as caught:
        own.delete("User", {"userId": "parent"})
    place = caught.value.place
    assert place is not None
    assert (place.action, place.entity) == ("delete User", "User")
    assert place.id == {"userId": "parent"}


def new_notes(count: int, size: int) -> list[Create]:
    """Notes for a transaction, with this many bytes in each text."""
    return [Create("Note", {"n": 500 * count + n, "text": "x" * size}) for n in range(count)]


@pytest.mark.parametrize("ask", BOTH)
def test_a_transaction_refuses_more_than_it_takes_before_anything_is_sent(
    ask: Asked, several: Model, server: str
) -> None:
    sent: list[str] = []
    options = Options(on_request=lambda one: sent.append(one.operation))

    def transact(writes: list[Create]) -> int:
        return len(ask(several, server, options, ("transact", (writes,), {})).writes)

    with pytest.raises(Refused) as refused:
        transact(new_notes(101, 1))
    assert refused.value.message == (
        "the write would change 101 items (put Note: 101), and a transaction changes at most 100;"
        " nothing was written: give it less at a time"
    )
    big = new_notes(11, 390_000)
    with pytest.raises(Refused) as refused:
        transact(big)
    told = re.fullmatch(
        r"the write would put (\d+) bytes, and a transaction has at most 4194304; nothing was"
        " written: give it less at a time",
        refused.value.message,
    )
    assert told is not None
    most = 390_000 - (int(told[1]) - 4 * 1024 * 1024)
    with pytest.raises(Refused, match="would put 4194305 bytes"):
        transact([Create("Note", {"n": 500 * 11, "text": "x" * (most + 1)}), *big[1:]])
    assert sent == []
    assert transact(new_notes(100, 1)) == 100
    assert transact([Create("Note", {"n": 500 * 11, "text": "x" * most}), *big[1:]]) == 11
    assert sent == ["TransactWriteItems", "TransactWriteItems"]
