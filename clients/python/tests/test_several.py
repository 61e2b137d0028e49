"""Several writes in one transaction, and batches, in both clients on a server. The requests are
compared with those of Keyfold's own client by `lockstep`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
import support

from keyfold import (
    Client,
    Create,
    Delete,
    Exists,
    Incomplete,
    Invalid,
    Model,
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
    with pytest.raises(Taken, match=r"^write 2 \(create User\): email `b@x` is taken") as taken:
        own.transact(
            [
                Create("Post", {"userId": "b", "text": "x"}),
                Create("User", {"userId": "c", "email": "b@x"}),
            ]
        )
    assert taken.value.write == 1
    with pytest.raises(Refused, match=r"^write 2 \(delete User\): write 1 \(update User\) uses the same"):
        own.transact(
            [Update("User", {"userId": "b", "email": "new@x"}), Delete("User", {"userId": "b"})]
        )
    with pytest.raises(Exists, match=r"^write 1 \(create User\): User exists already"):
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
    with pytest.raises(Invalid, match="items 0 and 1 of the batch are the same Note"):
        own.put_many("Note", [{"n": 1, "text": "a"}, {"n": 1, "text": "b"}])


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
