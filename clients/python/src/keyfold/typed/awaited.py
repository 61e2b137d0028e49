"""Generated clients for `asyncio`: what they call."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from keyfold.aio import AsyncClient, leading
from keyfold.calls import PageOptions
from keyfold.errors import NotFound
from keyfold.lower.positions import each_of
from keyfold.lower.tables import Outcome
from keyfold.options import OnUnknown, check_list
from keyfold.typed.classes import Takes
from keyfold.typed.made import BatchWritten, NothingMade, Part, Transacted, Written
from keyfold.typed.parts import NamedPart, Parts, parts_of, transacted, written
from keyfold.typed.shapes import Answers, Page, Shapes, answers_of, changed, collected

if TYPE_CHECKING:
    from typing_extensions import Self

T = TypeVar("T")
W = TypeVar("W")
New = TypeVar("New")
Put = TypeVar("Put")
Key = TypeVar("Key")
Patch = TypeVar("Patch")
M = TypeVar("M")
Touched = TypeVar("Touched")


class AsyncTyped:
    """A client with types: what all generated ones share."""

    def __init__(self, client: AsyncClient, shapes: Shapes) -> None:
        self.client = client
        """The client that carries out the plans, for calls by name."""
        self.shapes = shapes
        """The classes of its values."""
        shapes.bind(client.model)

    async def __aenter__(self) -> Self:
        await self.client.__aenter__()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.client.__aexit__(kind, error, trace)

    async def ensure_tables(self, *, timeout: float | None = None) -> dict[str, Outcome]:
        """Creates the model's tables, or checks those that exist."""
        return await self.client.ensure_tables(timeout=timeout)

    async def _one(
        self,
        pattern: str,
        args: Mapping[str, object],
        classes: Mapping[str, type[T]],
        strong: bool,
        timeout: float | None,
    ) -> T | None:
        """The item of a pattern of one item."""
        answers = answers_of(self.client, self.shapes, pattern, classes)
        given = self.shapes.of_pattern(pattern, args)
        item = await self.client.one(pattern, given, strong=strong, timeout=timeout)
        return None if item is None else answers.found(item)

    async def _required(
        self,
        pattern: str,
        args: Mapping[str, object],
        classes: Mapping[str, type[T]],
        strong: bool,
        timeout: float | None,
    ) -> T:
        """The item of a pattern that promises one."""
        found = await self._one(pattern, args, classes, strong, timeout)
        if found is None:
            raise NotFound(f"{pattern}: no item")
        return found

    async def _together(
        self,
        pattern: str,
        args: Mapping[str, object],
        classes: Mapping[str, type[Any]],
        of: type[T],
        timeout: float | None,
    ) -> T:
        """The items of a pattern that names them."""
        answers = answers_of(self.client, self.shapes, pattern, classes)
        given = self.shapes.of_pattern(pattern, args)
        found = await self.client.together(pattern, given, timeout=timeout)
        return of(**self.shapes.renamed(answers.together(found)))

    async def _write(self, part: NamedPart[M], timeout: float | None) -> Written[M]:
        """Runs a named write."""
        write = part.write
        return written(await self.client.write(write.write, write.args, timeout=timeout), part)

    async def transact(
        self, writes: Sequence[Part[Any]], *, timeout: float | None = None
    ) -> Transacted:
        """Carries several writes out in one transaction, as if one happened after the other: all of
        them or none. The report's `of` has what a part made, with its type."""
        parts = parts_of(writes)
        given = [part.write for part in parts]
        return transacted(await self.client.transact(given, timeout=timeout), parts)

    def _change(
        self,
        record: Mapping[str, Any],
        classes: Mapping[str, tuple[type[Any], type[T]]],
        on_unknown: OnUnknown | None = None,
        copies: bool = False,
    ) -> T | None:
        """The change of a stream record."""
        event = self.client.event(record, on_unknown=on_unknown, copies=copies)
        if event is None:
            return None
        return changed(self.client, self.shapes, event, classes[event.kind], on_unknown)


class AsyncQuery(Generic[T]):
    """An answer of any number of items, of which nothing is read before it is asked for."""

    def __init__(
        self,
        owner: AsyncTyped,
        pattern: str,
        args: Mapping[str, object],
        classes: Mapping[str, type[T]],
        *,
        backward: bool = False,
        strong: bool = False,
    ) -> None:
        client, shapes = owner.client, owner.shapes
        self._client = client
        self._pattern = pattern
        self._args = shapes.of_pattern(pattern, args)
        self._answers = answers_of(client, shapes, pattern, classes)
        self._options = PageOptions(backward=backward, strong=strong)

    async def page(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        on_unknown: OnUnknown | None = None,
        timeout: float | None = None,
    ) -> Page[T]:
        """Reads one page. Its `next` is the cursor of the page behind it."""
        options = self._with(limit, after, on_unknown, timeout)
        page = await self._client.page(self._pattern, self._args, **options)
        items = self._answers.all(page.items, on_unknown)
        return Page(items, page.next, page.requests, page.capacity)

    async def pages(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        on_unknown: OnUnknown | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[Page[T]]:
        """The pages, each read when it is asked for."""
        options = self._with(limit, after, on_unknown, timeout)
        async for page in self._client.pages(self._pattern, self._args, **options):
            items = self._answers.all(page.items, on_unknown)
            yield Page(items, page.next, page.requests, page.capacity)

    async def items(
        self,
        *,
        limit: int | None = None,
        after: str | None = None,
        on_unknown: OnUnknown | None = None,
        timeout: float | None = None,
    ) -> AsyncIterator[T]:
        """The items of all pages. `limit` is the most items of a page."""
        options = self._with(limit, after, on_unknown, timeout)
        async for item in self._client.items(self._pattern, self._args, **options):
            for one in self._answers.all([item], on_unknown):
                yield one

    def __aiter__(self) -> AsyncIterator[T]:
        return self.items()

    async def first(
        self, *, on_unknown: OnUnknown | None = None, timeout: float | None = None
    ) -> T | None:
        """The first item, whatever follows it; none where there is none."""
        options = self._with(None, None, on_unknown, timeout)
        async for item in leading(self._client, self._pattern, self._args, options):
            for one in self._answers.all([item], on_unknown):
                return one
        return None

    async def all(
        self,
        *,
        most: int = 10_000,
        on_unknown: OnUnknown | None = None,
        timeout: float | None = None,
    ) -> list[T]:
        """All items. More than `most` are the error `TooMany`."""
        options = self._with(None, None, on_unknown, timeout)
        items = await self._client.all(self._pattern, self._args, most=most, **options)
        return self._answers.all(items, on_unknown)

    def _with(
        self,
        limit: int | None,
        after: str | None,
        on_unknown: OnUnknown | None,
        timeout: float | None,
    ) -> PageOptions:
        return {
            **self._options,
            "limit": limit,
            "after": after,
            "on_unknown": on_unknown,
            "timeout": timeout,
        }


class AsyncCollection(AsyncQuery[T], Generic[T, W]):
    """An answer of several kinds, of which one has single items."""

    def __init__(
        self,
        owner: AsyncTyped,
        pattern: str,
        args: Mapping[str, object],
        classes: Mapping[str, type[T]],
        of: type[W],
        *,
        backward: bool = False,
        strong: bool = False,
    ) -> None:
        super().__init__(owner, pattern, args, classes, backward=backward, strong=strong)
        self._of = of
        self._classes = classes

    async def whole(
        self,
        *,
        most: int = 10_000,
        on_unknown: OnUnknown | None = None,
        timeout: float | None = None,
    ) -> W:
        """All items by their kinds. Without one that must be there it is `NotFound`; more than
        `most` are the error `TooMany`."""
        items = await self.all(most=most, on_unknown=on_unknown, timeout=timeout)
        return collected(self._pattern, items, self._classes, self._of)


class AsyncWriter(Generic[New, Put, Key, Patch, T, M, Touched]):
    """Writes an entity with all that follows from it."""

    def __init__(
        self,
        owner: AsyncTyped,
        entity: str,
        of: type[T],
        made: type[M],
        touched: type[Touched],
    ) -> None:
        self._takes = Takes(owner.shapes, entity, self)
        self.part: Parts[New, Put, Key, Patch, T, M, Touched] = Parts(
            owner.shapes, entity, made, touched, self._takes
        )
        """Its writes as parts of a transaction."""
        self._client = owner.client
        self._shapes = owner.shapes
        self.entity = entity
        """The name of the entity."""
        self._of = of

    async def create(self, new: New | T, *, timeout: float | None = None) -> Written[M]:
        """Creates one that must not exist. Defaults are filled in."""
        given = self._takes.new(new)
        done = await self._client.create(self.entity, given, timeout=timeout)
        return written(done, self.part.create(new))

    async def put(self, whole: Put | T, *, timeout: float | None = None) -> Written[M]:
        """Writes a whole one, whether it exists or not: a new one, or one that was read, changed by
        `dataclasses.replace`. What the model keeps is left out of that."""
        given = self._takes.put(whole)
        done = await self._client.put(self.entity, given, timeout=timeout)
        return written(done, self.part.put(whole))

    async def update(
        self, key: Key | T, patch: Patch, *, timeout: float | None = None
    ) -> Written[Touched]:
        """Changes one that exists. `UNSET` attributes stay as they are; `None` removes one. One
        that was read is its own key, here and wherever a key is taken."""
        given, changes = self._takes.key(key), self._takes.patch(patch)
        done = await self._client.update(self.entity, changes, key=given, timeout=timeout)
        return written(done, self.part.update(key, patch))

    async def delete(self, key: Key | T, *, timeout: float | None = None) -> Written[NothingMade]:
        """Deletes one that exists, with everything that follows from it."""
        done = await self._client.delete(self.entity, self._takes.key(key), timeout=timeout)
        return written(done, self.part.delete(key))

    async def get_many(
        self, keys: Sequence[Key | T], *, strong: bool = False, timeout: float | None = None
    ) -> list[T | None]:
        """Reads those with these keys, 100 in a request: one for each key, None for an absent
        one."""
        given = self._takes.keys(keys)
        found = await self._client.get_many(self.entity, given, strong=strong, timeout=timeout)
        by_kind = {self.entity: (self._client.model.entities[self.entity], self._of)}
        answers = Answers(self._client, self._shapes, by_kind)
        return [None if one is None else answers.found(one) for one in found]


class AsyncBatchWriter(AsyncWriter[New, Put, Key, Patch, T, M, Touched]):
    """Writes an entity from which nothing follows, also in batches."""

    async def put_many(
        self, all_of: Sequence[Put | T], *, timeout: float | None = None
    ) -> BatchWritten[M]:
        """Writes whole ones, whether they exist or not, 25 in a request. The batch is not
        atomic."""
        items = check_list("items", all_of, self.entity)
        parts = each_of(items, self.entity, self.part.put)
        given = [self._takes.put(one) for one in items]
        done = await self._client.put_many(self.entity, given, timeout=timeout)
        made = [part.made(one) for part, one in zip(parts, done.made, strict=True)]
        return BatchWritten(done.requests, done.capacity, made)

    async def delete_many(
        self, keys: Sequence[Key | T], *, timeout: float | None = None
    ) -> BatchWritten[NothingMade]:
        """Deletes those with these keys, whether they exist or not, as `put_many` writes them."""
        given = self._takes.keys(keys)
        done = await self._client.delete_many(self.entity, given, timeout=timeout)
        return BatchWritten(done.requests, done.capacity, [NothingMade() for _ in given])
