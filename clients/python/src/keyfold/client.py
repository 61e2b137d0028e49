"""The client that blocks, on boto3. `keyfold.aio` has the same calls, awaited.

A program calls patterns, writes and entities by their names, with values by the names of their
parameters and attributes. Generated code is a thin typed layer on these calls:

- it has a plan document, and gives it to `Client` or `AsyncClient` as a dictionary or a text;
- arguments and attributes are a dictionary; a `None` is not given, and in `update` it removes. The
  types of values are those of the table in `keyfold.values.typed`: an id that is a `NewType` of
  `str` needs nothing, records are dictionaries (or any `Mapping`), enumerations their words;
- options of pages are the keywords of `PageOptions`; those of writes are `timeout`;
- an `Item` is a `Mapping` with a `kind`: `Entity`, `Entity.copy`, or the name that a pattern
  `-> (payer: User, payee: User)` gives. An optional attribute without a value, and one that the
  pattern does not return, has no entry. Frozen dataclasses are made of it by the generated code:
  `Order(**item)` where all attributes are plain words;
- `next` of a `Page`, and `after`, are opaque texts; `Written.value(name)` is a made identifier;
- errors are the classes of `keyfold.errors`, events the `Event` of `keyfold.item`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, TypeVar

from keyfold.calls import Calls, Given, PageOptions, Walk, called
from keyfold.errors import TooMany
from keyfold.events import event_of
from keyfold.item import BatchWritten, Event, Item, Page, Transacted, Written
from keyfold.lower.steps import Lowering
from keyfold.lower.tables import Outcome
from keyfold.options import OnUnknown, Options
from keyfold.plan.load import load
from keyfold.plan.model import Model
from keyfold.transport.boto import Driver
from keyfold.transport.target import Target
from keyfold.writes import TransactionWrite

if TYPE_CHECKING:
    from typing_extensions import Unpack

T = TypeVar("T")
Plan = Model | Mapping[str, Any] | str | os.PathLike[str]
"""A plan document: a model, a dictionary, JSON text, or the path of a file with it."""


class Client:
    """A model's patterns and writes, with a connection.

    `connection` is `http://host:port`, `dynamodb://region?profile=name`, `keyfold:./folder`, or a
    low-level client of boto3 (`boto3.client("dynamodb")`), whose own retries are switched off.
    """

    def __init__(self, plan: Plan, connection: str | Any, options: Options = Options()) -> None:
        self._calls = Calls(load(plan), options)
        self._target = Target(connection) if isinstance(connection, str) else None
        try:
            self._driver = Driver(connection if self._target is None else self._target, options)
        except BaseException:
            self._end()
            raise

    @property
    def options(self) -> Options:
        """What holds for all of its calls."""
        return self._calls.options

    @property
    def model(self) -> Model:
        """The model."""
        return self._calls.model

    def close(self) -> None:
        """Sends no request any more, waits for the answers to those of other threads, and ends the
        server of a folder with the last client that uses it."""
        self._driver.close()
        self._end()

    def _end(self) -> None:
        if self._target is not None:
            self._target.close()

    def __enter__(self) -> Client:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _read(self, call: Lowering[T], options: PageOptions, pattern: str) -> T:
        return self._driver.drive(call, options.get("timeout"), pattern)

    def page(
        self,
        pattern: str,
        args: Given | None = None,
        **options: Unpack[PageOptions],
    ) -> Page:
        """Runs a pattern and returns one page."""
        return self._read(
            self._calls.page(pattern, {} if args is None else args, options), options, pattern
        )

    def one(
        self,
        pattern: str,
        args: Given | None = None,
        **options: Unpack[PageOptions],
    ) -> Item | None:
        """Runs a pattern of one item. None where the pattern allows that it does not exist."""
        return self._read(
            self._calls.one(pattern, {} if args is None else args, options), options, pattern
        )

    def together(
        self,
        pattern: str,
        args: Given | None = None,
        **options: Unpack[PageOptions],
    ) -> dict[str, Item | None]:
        """Runs a pattern `-> (A?, B?)`: the items by their names."""
        return self._read(
            self._calls.together(pattern, {} if args is None else args, options), options, pattern
        )

    def pages(
        self,
        pattern: str,
        args: Given | None = None,
        **options: Unpack[PageOptions],
    ) -> Iterator[Page]:
        """The pages of a pattern, each read when it is asked for."""
        walk = Walk(self._calls, pattern, {} if args is None else args, options)
        while not walk.is_done:
            yield self._read(walk.next_page(), options, pattern)

    def items(
        self,
        pattern: str,
        args: Given | None = None,
        **options: Unpack[PageOptions],
    ) -> Iterator[Item]:
        """The items of a pattern, page after page."""
        for own in self.pages(pattern, args, **options):
            yield from own.items

    def first(
        self,
        pattern: str,
        args: Given | None = None,
        **options: Unpack[PageOptions],
    ) -> Item | None:
        """The first item of a pattern, whatever follows it."""
        return next(leading(self, pattern, args, options), None)

    def all(
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
        for own in self.pages(pattern, args, **options):
            items.extend(own.items)
            if len(items) > most:
                raise TooMany(pattern, most)
        return items

    def write(
        self, name: str, args: Given | None = None, *, timeout: float | None = None
    ) -> Written:
        """Runs a named write: all of its actions or none."""
        return self._driver.drive(
            self._calls.write(name, {} if args is None else args), timeout, name
        )

    def create(self, entity: str, values: Given, *, timeout: float | None = None) -> Written:
        """Creates an entity that must not exist."""
        return self._driver.drive(
            self._calls.create(entity, values), timeout, called("create", entity)
        )

    def put(self, entity: str, values: Given, *, timeout: float | None = None) -> Written:
        """Writes a whole entity, whether it exists or not."""
        return self._driver.drive(self._calls.put(entity, values), timeout, called("put", entity))

    def update(
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
        return self._driver.drive(
            self._calls.update(entity, changes, remove, key), timeout, called("update", entity)
        )

    def delete(self, entity: str, key: Given, *, timeout: float | None = None) -> Written:
        """Deletes an entity that exists, with everything that follows from it."""
        return self._driver.drive(
            self._calls.delete(entity, key), timeout, called("delete", entity)
        )

    def transact(
        self, writes: Sequence[TransactionWrite], *, timeout: float | None = None
    ) -> Transacted:
        """Carries several writes out in one transaction, as if one happened after the other: all of
        them or none. At most 100 items change, and 4 MB."""
        return self._driver.drive(self._calls.transact(writes), timeout, "transact")

    def get_many(
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
        return self._driver.drive(call, timeout, called("get_many", entity))

    def put_many(
        self, entity: str, items: Sequence[Given], *, timeout: float | None = None
    ) -> BatchWritten:
        """Writes whole entities, whether they exist or not, 25 in a request.

        Each is written as a whole; the batch is not atomic. It takes entities from which nothing
        follows: no copy, guard, count, version or part.
        """
        call = self._calls.put_many(entity, items)
        return self._driver.drive(call, timeout, called("put_many", entity))

    def delete_many(
        self, entity: str, keys: Sequence[Given], *, timeout: float | None = None
    ) -> BatchWritten:
        """Deletes entities, whether they exist or not, as `put_many` writes them."""
        call = self._calls.delete_many(entity, keys)
        return self._driver.drive(call, timeout, called("delete_many", entity))

    def ensure_tables(self, *, timeout: float | None = None) -> dict[str, Outcome]:
        """Creates the model's tables, or checks those that exist."""
        return self._driver.drive(self._calls.ensure_tables(), timeout, "ensure_tables")

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


def leading(
    client: Client, pattern: str, args: Given | None, options: PageOptions
) -> Iterator[Item]:
    """The items of a pattern for a caller that takes the first that it can use: an item that is an
    error is none behind another of its page."""
    calls = client._calls  # pyright: ignore[reportPrivateUsage]
    walk = Walk(calls, pattern, {} if args is None else args, options, is_first=True)
    while not walk.is_done:
        call, timeout = walk.next_page(), options.get("timeout")
        own = client._driver.drive(call, timeout, pattern)  # pyright: ignore[reportPrivateUsage]
        yield from own.items
