"""The client for `asyncio`, on aioboto3: `pip install keyfold[async]`.

```python
from keyfold.aio import AsyncClient

async with AsyncClient("shop.plan.json", "dynamodb://eu-west-1") as shop:
    async for order in shop.items("orders_of_user", {"userId": "ada"}):
        print(order["orderId"])
```
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AsyncExitStack
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from keyfold.calls import Calls, Given, PageOptions, Walk, called
from keyfold.client import Plan
from keyfold.errors import Invalid, TooMany
from keyfold.events import event_of
from keyfold.item import BatchWritten, Event, Item, Page, Transacted, Written
from keyfold.lower.steps import Lowering
from keyfold.lower.tables import Outcome
from keyfold.options import OnUnknown, Options
from keyfold.plan.load import load
from keyfold.plan.model import Model
from keyfold.transport.aioboto import AsyncDriver, AsyncOwn
from keyfold.transport.target import Target
from keyfold.writes import TransactionWrite

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")


class AsyncClient:
    """A model's patterns and writes, with a connection. It is used in `async with`.

    `connection` is a text as that of `keyfold.Client`, or a low-level client of aioboto3, whose own
    retries are switched off. A given client stays open.
    """

    def __init__(self, plan: Plan, connection: str | Any, options: Options = Options()) -> None:
        self._calls = Calls(load(plan), options)
        self._connection = connection
        self._options = options
        self._open = AsyncExitStack()
        self._driver: AsyncDriver | None = None

    @property
    def options(self) -> Options:
        """What holds for all of its calls."""
        return self._calls.options

    @property
    def model(self) -> Model:
        """The model."""
        return self._calls.model

    async def __aenter__(self) -> AsyncClient:
        if self._driver is not None:
            raise Invalid("the client is open already; it is closed by the end of its `async with`")
        own: AsyncOwn | None = None
        if isinstance(self._connection, str):
            target = Target(self._connection)
            self._open.push_async_callback(target.closed)
            own = AsyncOwn(target, self._open)
            try:
                # What is wrong with a connection is told at once.
                await own.parts()
            except BaseException:
                await self._open.aclose()
                raise
        self._driver = AsyncDriver(self._connection if own is None else own, self._options)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        driver, self._driver = self._driver, None
        try:
            if driver is not None:
                await driver.close()
        finally:
            await self._open.aclose()

    async def _drive(self, call: Lowering[T], timeout: float | None, name: str) -> T:
        if self._driver is None:
            raise Invalid("the client is not open; use it in `async with`")
        return await self._driver.drive(call, timeout, name)

    async def page(
        self, pattern: str, args: Given | None = None, **options: Unpack[PageOptions]
    ) -> Page:
        """Runs a pattern and returns one page."""
        call = self._calls.page(pattern, {} if args is None else args, options)
        return await self._drive(call, options.get("timeout"), pattern)

    async def one(
        self, pattern: str, args: Given | None = None, **options: Unpack[PageOptions]
    ) -> Item | None:
        """Runs a pattern of one item. None where the pattern allows that it does not exist."""
        call = self._calls.one(pattern, {} if args is None else args, options)
        return await self._drive(call, options.get("timeout"), pattern)

    async def together(
        self, pattern: str, args: Given | None = None, **options: Unpack[PageOptions]
    ) -> dict[str, Item | None]:
        """Runs a pattern `-> (A?, B?)`: the items by their names."""
        call = self._calls.together(pattern, {} if args is None else args, options)
        return await self._drive(call, options.get("timeout"), pattern)

    async def pages(
        self, pattern: str, args: Given | None = None, **options: Unpack[PageOptions]
    ) -> AsyncIterator[Page]:
        """The pages of a pattern, each read when it is asked for."""
        walk = Walk(self._calls, pattern, {} if args is None else args, options)
        while not walk.is_done:
            yield await self._drive(walk.next_page(), options.get("timeout"), pattern)

    async def items(
        self, pattern: str, args: Given | None = None, **options: Unpack[PageOptions]
    ) -> AsyncIterator[Item]:
        """The items of a pattern, page after page."""
        async for own in self.pages(pattern, args, **options):
            for item in own.items:
                yield item

    async def first(
        self, pattern: str, args: Given | None = None, **options: Unpack[PageOptions]
    ) -> Item | None:
        """The first item of a pattern, whatever follows it."""
        async for item in leading(self, pattern, args, options):
            return item
        return None

    async def all(
        self,
        pattern: str,
        args: Given | None = None,
        *,
        most: int = 10_000,
        **options: Unpack[PageOptions],
    ) -> list[Item]:
        """All items of a pattern. More than `most` are the error `TooMany`."""
        self._calls.check_most(most, pattern)
        items: list[Item] = []
        async for own in self.pages(pattern, args, **options):
            items.extend(own.items)
            if len(items) > most:
                raise TooMany(pattern, most)
        return items

    async def write(
        self, name: str, args: Given | None = None, *, timeout: float | None = None
    ) -> Written:
        """Runs a named write: all of its actions or none."""
        return await self._drive(
            self._calls.write(name, {} if args is None else args), timeout, name
        )

    async def create(self, entity: str, values: Given, *, timeout: float | None = None) -> Written:
        """Creates an entity that must not exist."""
        return await self._drive(
            self._calls.create(entity, values), timeout, called("create", entity)
        )

    async def put(self, entity: str, values: Given, *, timeout: float | None = None) -> Written:
        """Writes a whole entity, whether it exists or not."""
        return await self._drive(self._calls.put(entity, values), timeout, called("put", entity))

    async def update(
        self,
        entity: str,
        changes: Given,
        remove: Sequence[str] = (),
        *,
        key: Given | None = None,
        timeout: float | None = None,
    ) -> Written:
        """Changes some attributes of an entity that exists. `None` removes an attribute.

        The key stands among the changes, or is given apart as `key`. Then it has no other attribute
        than those that identify an item, and the version that the item must have.
        """
        return await self._drive(
            self._calls.update(entity, changes, remove, key), timeout, called("update", entity)
        )

    async def delete(self, entity: str, key: Given, *, timeout: float | None = None) -> Written:
        """Deletes an entity that exists, with everything that follows from it."""
        return await self._drive(self._calls.delete(entity, key), timeout, called("delete", entity))

    async def transact(
        self, writes: Sequence[TransactionWrite], *, timeout: float | None = None
    ) -> Transacted:
        """Carries several writes out in one transaction, as if one happened after the other: all of
        them or none. At most 100 items change, and 4 MB."""
        return await self._drive(self._calls.transact(writes), timeout, "transact")

    async def get_many(
        self,
        entity: str,
        keys: Sequence[Given],
        *,
        strong: bool = False,
        timeout: float | None = None,
    ) -> list[Item | None]:
        """Reads entities by their keys, 100 in a request: one for each key in their order, None for
        an absent one. The items are not of one moment."""
        call = self._calls.get_many(entity, keys, strong)
        return await self._drive(call, timeout, called("get_many", entity))

    async def put_many(
        self, entity: str, items: Sequence[Given], *, timeout: float | None = None
    ) -> BatchWritten:
        """Writes whole entities, whether they exist or not, 25 in a request.

        Each is written as a whole; the batch is not atomic. It takes entities from which nothing
        follows: no copy, guard, count, version or part.
        """
        call = self._calls.put_many(entity, items)
        return await self._drive(call, timeout, called("put_many", entity))

    async def delete_many(
        self, entity: str, keys: Sequence[Given], *, timeout: float | None = None
    ) -> BatchWritten:
        """Deletes entities, whether they exist or not, as `put_many` writes them."""
        call = self._calls.delete_many(entity, keys)
        return await self._drive(call, timeout, called("delete_many", entity))

    async def ensure_tables(self, *, timeout: float | None = None) -> dict[str, Outcome]:
        """Creates the model's tables, or checks those that exist."""
        return await self._drive(self._calls.ensure_tables(), timeout, "ensure_tables")

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: OnUnknown | None = None,
        copies: bool = False,
    ) -> Event | None:
        """The change of an entity in a stream record; none for items that follow from one, whose
        record comes beside theirs. With `copies`, those of copies are events, too."""
        return event_of(self._calls, record, on_unknown, copies)


async def leading(
    client: AsyncClient, pattern: str, args: Given | None, options: PageOptions
) -> AsyncIterator[Item]:
    """The items of a pattern, as those of `keyfold.client.leading`."""
    calls = client._calls  # pyright: ignore[reportPrivateUsage]
    walk = Walk(calls, pattern, {} if args is None else args, options, is_first=True)
    while not walk.is_done:
        call, timeout = walk.next_page(), options.get("timeout")
        own = await client._drive(call, timeout, pattern)  # pyright: ignore[reportPrivateUsage]
        for item in own.items:
            yield item
