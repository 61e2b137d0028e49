"""A client of the model names, version 1.

Made by keyfold (test). The plan document's hash:
06a5877e505c4742944929542d1b841b.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NewType, TypeAlias

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient

ClassId = NewType("ClassId", str)
"""A value of `class.id`."""
PromiseId = NewType("PromiseId", str)
"""A value of `Promise.id`."""
ItemId = NewType("ItemId", str)
"""A value of `order_item.itemId`."""

ClassState: TypeAlias = Literal["in-progress", "done", "it's"]
"""The words of `class.state`."""
PromiseNote: TypeAlias = Literal["*/", "other"]
"""The words of `Promise.note`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class New:
    """The record `new`."""

    a_b: str
    of: ClassId
    next: list[str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Class:
    """The entity `class` as it is stored, under `"CLASS#{id}" "C"`."""

    id: ClassId
    user_id: str
    in_progress: bool
    tick_x: str | None = None
    state: ClassState


@dataclass(frozen=True, slots=True, kw_only=True)
class NewClass:
    """The attributes of a `class` that is created or put."""

    id: ClassId
    user_id: str
    in_progress: bool | None = None
    """Default: `false`."""
    tick_x: str | None = None
    state: ClassState


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassKey:
    """The key of a `class`."""

    id: ClassId


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassPatch:
    """Changes of a `class`: what is not named stays as it is, and `None` removes an
    optional attribute.
    """

    user_id: str | typed.Unset = typed.UNSET
    in_progress: bool | typed.Unset = typed.UNSET
    tick_x: str | None | typed.Unset = typed.UNSET
    state: ClassState | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassChange:
    """A change of a `class` that a stream reports."""

    old: Class | None = None
    new: Class | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The entity `Promise` as it is stored, under `"PROMISE#{id}" "P#{classId}"`."""

    id: PromiseId
    class_id: ClassId
    note: PromiseNote


@dataclass(frozen=True, slots=True, kw_only=True)
class NewPromise:
    """The attributes of a `Promise` that is created or put."""

    id: PromiseId
    class_id: ClassId
    note: PromiseNote | None = None
    """Default: `other`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseKey:
    """The key of a `Promise`."""

    id: PromiseId
    class_id: ClassId


@dataclass(frozen=True, slots=True, kw_only=True)
class PromisePatch:
    """Changes of a `Promise`: what is not named stays as it is."""

    note: PromiseNote | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseChange:
    """A change of a `Promise` that a stream reports."""

    old: Promise | None = None
    new: Promise | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem:
    """The entity `order_item` as it is stored, under `"ITEM#{itemId}" "I"`."""

    item_id: ItemId
    _: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrderItem:
    """The attributes of an `order_item` that is created or put."""

    item_id: ItemId | None = None
    """Default: `new`."""
    _: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemKey:
    """The key of an `order_item`."""

    item_id: ItemId


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemPatch:
    """Changes of an `order_item`: what is not named stays as it is, and `None`
    removes an optional attribute.
    """

    _: str | None | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemMade:
    """What an `order_item` gets that is created or put: as given, or made."""

    item_id: ItemId


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemChange:
    """A change of an `order_item` that a stream reports."""

    old: OrderItem | None = None
    new: OrderItem | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem_:
    """The entity `OrderItem` as it is stored, under `"N#{n:08}" "N"`."""

    n: int
    then: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class NewOrderItem_:
    """The attributes of an `OrderItem` that is created or put."""

    n: int
    then: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem_Key:
    """The key of an `OrderItem`."""

    n: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem_Patch:
    """Changes of an `OrderItem`: what is not named stays as it is, and `None`
    removes an optional attribute.
    """

    then: str | None | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItem_Change:
    """A change of an `OrderItem` that a stream reports."""

    old: OrderItem_ | None = None
    new: OrderItem_ | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderItemMade_:
    """What `order_item` writes of itself: as given, or made."""

    item_id: ItemId


NamesEvent: TypeAlias = ClassChange | PromiseChange | OrderItemChange | OrderItem_Change
"""A change that a stream reports; its class says of what."""


class NamesParts(typed.NamedParts):
    """The named writes as parts of a transaction: nothing is sent before `transact`
    takes them.
    """

    def to_string(
        self,
        *,
        lines: Sequence[New],
        n: int,
        then: str | None = None,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `toString`."""
        return self._run(
            "toString",
            {"lines": lines, "n": n, "then": then},
            typed.NothingMade,
        )

    def order_item__(
        self,
        *,
        news: Sequence[New],
        item_id: ItemId | None = None,
        _: str | None = None,
    ) -> typed.NamedPart[OrderItemMade_]:
        """The write `order_item`."""
        return self._run(
            "order_item",
            {"news": news, "itemId": item_id, "_": _},
            OrderItemMade_,
        )


class NamesFakes(typed.NamedFakes):
    """Entities for tests: random by a seed, and valid for the model. What is not
    given is made; of `_related`, entities by their names, attributes that refer
    to one have its values.
    """

    def class_(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        id: ClassId | typed.Unset = typed.UNSET,
        user_id: str | typed.Unset = typed.UNSET,
        in_progress: bool | None | typed.Unset = typed.UNSET,
        tick_x: str | None | typed.Unset = typed.UNSET,
        state: ClassState | typed.Unset = typed.UNSET,
    ) -> NewClass:
        """A new `class`."""
        return self._new(
            "class",
            NewClass,
            {
                "id": id,
                "user id": user_id,
                "in-progress": in_progress,
                "`tick ${x}`": tick_x,
                "state": state,
            },
            _related,
        )

    def promise(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        id: PromiseId | typed.Unset = typed.UNSET,
        class_id: ClassId | typed.Unset = typed.UNSET,
        note: PromiseNote | None | typed.Unset = typed.UNSET,
    ) -> NewPromise:
        """A new `Promise`."""
        return self._new(
            "Promise",
            NewPromise,
            {"id": id, "classId": class_id, "note": note},
            _related,
        )

    def order_item(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        item_id: ItemId | None | typed.Unset = typed.UNSET,
        _: str | None | typed.Unset = typed.UNSET,
    ) -> NewOrderItem:
        """A new `order_item`."""
        return self._new(
            "order_item",
            NewOrderItem,
            {"itemId": item_id, "_": _},
            _related,
        )

    def order_item_(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        n: int | typed.Unset = typed.UNSET,
        then: str | None | typed.Unset = typed.UNSET,
    ) -> NewOrderItem_:
        """A new `OrderItem`."""
        return self._new("OrderItem", NewOrderItem_, {"n": n, "then": then}, _related)


class NamesClient(typed.Typed):
    """The patterns, named writes and entities of the model `names`, version 1."""

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of boto3.
        """
        super().__init__(Client(_PLAN, connection, options or Options()), _SHAPES)
        self.Class = typed.BatchWriter[
            NewClass,
            NewClass,
            ClassKey,
            ClassPatch,
            Class,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "class", Class, typed.NothingMade, typed.NothingMade)
        """Writes a `class` with all that follows from it."""
        self.Promise = typed.BatchWriter[
            NewPromise,
            NewPromise,
            PromiseKey,
            PromisePatch,
            Promise,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Promise", Promise, typed.NothingMade, typed.NothingMade)
        """Writes a `Promise` with all that follows from it."""
        self.OrderItem = typed.BatchWriter[
            NewOrderItem,
            NewOrderItem,
            OrderItemKey,
            OrderItemPatch,
            OrderItem,
            OrderItemMade,
            typed.NothingMade,
        ](self, "order_item", OrderItem, OrderItemMade, typed.NothingMade)
        """Writes an `order_item` with all that follows from it."""
        self.OrderItem_ = typed.BatchWriter[
            NewOrderItem_,
            NewOrderItem_,
            OrderItem_Key,
            OrderItem_Patch,
            OrderItem_,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "OrderItem", OrderItem_, typed.NothingMade, typed.NothingMade)
        """Writes an `OrderItem` with all that follows from it."""
        self.fake = NamesFakes(self)
        """Entities for tests, random by a seed."""
        self.part = NamesParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def event_(
        self,
        *,
        id: ClassId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Class | None:
        """`event(id) -> class?`

        GetItem of Main: `pk-id = "CLASS#{id}" AND State#Date = "C"`; 1 request,
        about 0.5 read units.
        The name `event` means something else here, so it is `event_`.
        """
        return self._one("event", {"id": id}, {"class": Class}, strong, timeout)

    def then(
        self,
        *,
        id: PromiseId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[Promise]:
        """`then(id) -> Promise[]`

        Query of Main: `pk-id = "PROMISE#{id}" AND begins_with(State#Date, "P#")`;
        1 request a page.
        """
        return typed.Query(
            self,
            "then",
            {"id": id},
            {"Promise": Promise},
            backward=backward,
            strong=strong,
        )

    def constructor(
        self,
        *,
        state: ClassState,
        backward: bool = False,
    ) -> typed.Query[Class]:
        """`constructor(state) -> class[]`

        Query of Main.GSI1-IX: `GSI1-PK = "STATE#{state}"`; 1 request a page.
        """
        return typed.Query(
            self,
            "constructor",
            {"state": state},
            {"class": Class},
            backward=backward,
        )

    def order_item(
        self,
        *,
        item_id: ItemId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> OrderItem | None:
        """`order_item(itemId) -> order_item?`

        GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1
        request, about 0.5 read units.
        """
        return self._one(
            "order_item",
            {"itemId": item_id},
            {"order_item": OrderItem},
            strong,
            timeout,
        )

    def order_item_(
        self,
        *,
        item_id: ItemId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> OrderItem | None:
        """`orderItem(itemId) -> order_item?`

        GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1
        request, about 0.5 read units.
        The name `order_item` means something else here, so it is `order_item_`.
        """
        return self._one(
            "orderItem",
            {"itemId": item_id},
            {"order_item": OrderItem},
            strong,
            timeout,
        )

    def delete(
        self,
        *,
        n: int,
        strong: bool = False,
        timeout: float | None = None,
    ) -> OrderItem_ | None:
        """`delete(n) -> OrderItem?`

        GetItem of Main: `pk-id = "N#{n:08}" AND State#Date = "N"`; 1 request,
        about 0.5 read units.
        """
        return self._one("delete", {"n": n}, {"OrderItem": OrderItem_}, strong, timeout)

    def x(
        self,
        *,
        id: PromiseId,
        class_id: ClassId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Promise | None:
        """`x(id, classId) -> Promise?`

        GetItem of Main: `pk-id = "PROMISE#{id}" AND State#Date = "P#{classId}"`;
        1 request, about 0.5 read units.
        """
        return self._one(
            "x",
            {"id": id, "classId": class_id},
            {"Promise": Promise},
            strong,
            timeout,
        )

    def to_string(
        self,
        *,
        lines: Sequence[New],
        n: int,
        then: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `toString`:

        - create OrderItem
        Requests: PutItem.
        """
        return self._write(self.part.to_string(lines=lines, n=n, then=then), timeout)

    def order_item__(
        self,
        *,
        news: Sequence[New],
        item_id: ItemId | None = None,
        _: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[OrderItemMade_]:
        """The write `order_item`:

        - create order_item
        Requests: PutItem.
        The name `order_item` means something else here, so it is `order_item__`.
        """
        return self._write(
            self.part.order_item__(news=news, item_id=item_id, _=_),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> NamesEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


class AsyncNamesClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `names`, version 1, for
    `asyncio`.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of aioboto3. It is used in `async
        with`.
        """
        super().__init__(AsyncClient(_PLAN, connection, options or Options()), _SHAPES)
        self.Class = typed.AsyncBatchWriter[
            NewClass,
            NewClass,
            ClassKey,
            ClassPatch,
            Class,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "class", Class, typed.NothingMade, typed.NothingMade)
        """Writes a `class` with all that follows from it."""
        self.Promise = typed.AsyncBatchWriter[
            NewPromise,
            NewPromise,
            PromiseKey,
            PromisePatch,
            Promise,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Promise", Promise, typed.NothingMade, typed.NothingMade)
        """Writes a `Promise` with all that follows from it."""
        self.OrderItem = typed.AsyncBatchWriter[
            NewOrderItem,
            NewOrderItem,
            OrderItemKey,
            OrderItemPatch,
            OrderItem,
            OrderItemMade,
            typed.NothingMade,
        ](self, "order_item", OrderItem, OrderItemMade, typed.NothingMade)
        """Writes an `order_item` with all that follows from it."""
        self.OrderItem_ = typed.AsyncBatchWriter[
            NewOrderItem_,
            NewOrderItem_,
            OrderItem_Key,
            OrderItem_Patch,
            OrderItem_,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "OrderItem", OrderItem_, typed.NothingMade, typed.NothingMade)
        """Writes an `OrderItem` with all that follows from it."""
        self.fake = NamesFakes(self)
        """Entities for tests, random by a seed."""
        self.part = NamesParts(_SHAPES)
        """The named writes as parts of a transaction."""

    async def event_(
        self,
        *,
        id: ClassId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Class | None:
        """`event(id) -> class?`

        GetItem of Main: `pk-id = "CLASS#{id}" AND State#Date = "C"`; 1 request,
        about 0.5 read units.
        The name `event` means something else here, so it is `event_`.
        """
        return await self._one("event", {"id": id}, {"class": Class}, strong, timeout)

    def then(
        self,
        *,
        id: PromiseId,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[Promise]:
        """`then(id) -> Promise[]`

        Query of Main: `pk-id = "PROMISE#{id}" AND begins_with(State#Date, "P#")`;
        1 request a page.
        """
        return typed.AsyncQuery(
            self,
            "then",
            {"id": id},
            {"Promise": Promise},
            backward=backward,
            strong=strong,
        )

    def constructor(
        self,
        *,
        state: ClassState,
        backward: bool = False,
    ) -> typed.AsyncQuery[Class]:
        """`constructor(state) -> class[]`

        Query of Main.GSI1-IX: `GSI1-PK = "STATE#{state}"`; 1 request a page.
        """
        return typed.AsyncQuery(
            self,
            "constructor",
            {"state": state},
            {"class": Class},
            backward=backward,
        )

    async def order_item(
        self,
        *,
        item_id: ItemId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> OrderItem | None:
        """`order_item(itemId) -> order_item?`

        GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1
        request, about 0.5 read units.
        """
        return await self._one(
            "order_item",
            {"itemId": item_id},
            {"order_item": OrderItem},
            strong,
            timeout,
        )

    async def order_item_(
        self,
        *,
        item_id: ItemId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> OrderItem | None:
        """`orderItem(itemId) -> order_item?`

        GetItem of Main: `pk-id = "ITEM#{itemId}" AND State#Date = "I"`; 1
        request, about 0.5 read units.
        The name `order_item` means something else here, so it is `order_item_`.
        """
        return await self._one(
            "orderItem",
            {"itemId": item_id},
            {"order_item": OrderItem},
            strong,
            timeout,
        )

    async def delete(
        self,
        *,
        n: int,
        strong: bool = False,
        timeout: float | None = None,
    ) -> OrderItem_ | None:
        """`delete(n) -> OrderItem?`

        GetItem of Main: `pk-id = "N#{n:08}" AND State#Date = "N"`; 1 request,
        about 0.5 read units.
        """
        return await self._one(
            "delete",
            {"n": n},
            {"OrderItem": OrderItem_},
            strong,
            timeout,
        )

    async def x(
        self,
        *,
        id: PromiseId,
        class_id: ClassId,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Promise | None:
        """`x(id, classId) -> Promise?`

        GetItem of Main: `pk-id = "PROMISE#{id}" AND State#Date = "P#{classId}"`;
        1 request, about 0.5 read units.
        """
        return await self._one(
            "x",
            {"id": id, "classId": class_id},
            {"Promise": Promise},
            strong,
            timeout,
        )

    async def to_string(
        self,
        *,
        lines: Sequence[New],
        n: int,
        then: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `toString`:

        - create OrderItem
        Requests: PutItem.
        """
        return await self._write(
            self.part.to_string(lines=lines, n=n, then=then),
            timeout,
        )

    async def order_item__(
        self,
        *,
        news: Sequence[New],
        item_id: ItemId | None = None,
        _: str | None = None,
        timeout: float | None = None,
    ) -> typed.Written[OrderItemMade_]:
        """The write `order_item`:

        - create order_item
        Requests: PutItem.
        The name `order_item` means something else here, so it is `order_item__`.
        """
        return await self._write(
            self.part.order_item__(news=news, item_id=item_id, _=_),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> NamesEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


_MADE: typed.MadeTable = {
    "create order_item": {
        "itemId": ("order_item", "itemId", "argument", None),
    },
    "order_item": {
        "itemId": ("order_item", "itemId", "argument", None),
    },
}
_SHAPES = typed.Shapes(
    {
        "`tick ${x}`": "tick_x",
        "a-b": "a_b",
        "classId": "class_id",
        "in-progress": "in_progress",
        "itemId": "item_id",
        "user id": "user_id",
    },
    {"new": New},
    _MADE,
)
_EVENTS: Mapping[str, tuple[type[Any], type[NamesEvent]]] = {
    "class": (Class, ClassChange),
    "Promise": (Promise, PromiseChange),
    "order_item": (OrderItem, OrderItemChange),
    "OrderItem": (OrderItem_, OrderItem_Change),
}

_PLAN = r"""
{
"entities": [
  {"alone":true,"attributes":[{"name":"id","type":"string"},{"name":"user id","type":"string"},{"default":{"value":{"BOOL":false}},"name":"in-progress","type":"bool"},{"name":"`tick ${x}`","optional":true,"type":"string"},{"name":"state","type":{"words":["in-progress","done","it's"]}}],"followed":["state","user id"],"indexes":[{"index":"GSI1-IX","key":[{"attribute":"GSI1-PK","matches":"STATE#(?:in-progress|done|it's)","parts":["STATE#",{"field":"state","type":{"words":["in-progress","done","it's"]}}]},{"attribute":"GSI1-SK","matches":"[^\u0000]+","parts":[{"field":"user id","type":"string"}]}]}],"key":[{"attribute":"pk-id","matches":"CLASS#[^\u0000]+","parts":["CLASS#",{"field":"id","type":"string"}]},{"attribute":"State#Date","matches":"C","parts":["C"]}],"name":"class","table":"Main"},
  {"alone":true,"attributes":[{"name":"id","type":"string"},{"name":"classId","refers":{"attribute":"id","entity":"class"},"type":"string"},{"default":{"value":{"S":"other"}},"name":"note","type":{"words":["*/","other"]}}],"key":[{"attribute":"pk-id","matches":"PROMISE#[^\u0000]+","parts":["PROMISE#",{"field":"id","type":"string"}]},{"attribute":"State#Date","matches":"P#[^\u0000]+","parts":["P#",{"field":"classId","type":"string"}]}],"name":"Promise","table":"Main"},
  {"alone":true,"attributes":[{"default":"new","name":"itemId","type":"uuid"},{"name":"_","optional":true,"type":"string"}],"key":[{"attribute":"pk-id","matches":"ITEM#[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}","parts":["ITEM#",{"field":"itemId","type":"uuid"}]},{"attribute":"State#Date","matches":"I","parts":["I"]}],"name":"order_item","table":"Main"},
  {"alone":true,"attributes":[{"name":"n","type":"int"},{"name":"then","optional":true,"type":"string"}],"key":[{"attribute":"pk-id","matches":"N#[0-9]{8}","parts":["N#",{"field":"n","format":{"padded":{"whole":8}},"type":"int"}]},{"attribute":"State#Date","matches":"N","parts":["N"]}],"name":"OrderItem","table":"Main"}
],
"keyfoldPlan": 1,
"model": {"hash":"06a5877e505c4742944929542d1b841b","name":"names","version":1},
"patterns": [
  {"name":"event","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"pk-id","parts":["CLASS#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["C"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"class","name":"class","optional":true}]},
  {"name":"then","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"}],"plan":{"partition":[{"attribute":"pk-id","parts":["PROMISE#",{"field":"id","type":"string"}]}],"request":"Query","sort":{"at":["P#"],"attribute":"State#Date","is":"beginsWith"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"Promise","many":true,"name":"Promise"}]},
  {"name":"constructor","parameters":[{"attribute":"state","limit":"equal","name":"state","type":{"words":["in-progress","done","it's"]}}],"plan":{"index":"GSI1-IX","partition":[{"attribute":"GSI1-PK","parts":["STATE#",{"field":"state","type":{"words":["in-progress","done","it's"]}}]}],"request":"Query","sortAttributes":["GSI1-SK"],"table":"Main"},"returns":[{"entity":"class","many":true,"name":"class"}]},
  {"name":"order_item","parameters":[{"attribute":"itemId","limit":"equal","name":"itemId","type":"uuid"}],"plan":{"partition":[{"attribute":"pk-id","parts":["ITEM#",{"field":"itemId","type":"uuid"}]}],"request":"GetItem","sort":{"at":["I"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"order_item","name":"order_item","optional":true}]},
  {"name":"orderItem","parameters":[{"attribute":"itemId","limit":"equal","name":"itemId","type":"uuid"}],"plan":{"partition":[{"attribute":"pk-id","parts":["ITEM#",{"field":"itemId","type":"uuid"}]}],"request":"GetItem","sort":{"at":["I"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"order_item","name":"order_item","optional":true}]},
  {"name":"delete","parameters":[{"attribute":"n","limit":"equal","name":"n","type":"int"}],"plan":{"partition":[{"attribute":"pk-id","parts":["N#",{"field":"n","format":{"padded":{"whole":8}},"type":"int"}]}],"request":"GetItem","sort":{"at":["N"],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"OrderItem","name":"OrderItem","optional":true}]},
  {"name":"x","parameters":[{"attribute":"id","limit":"equal","name":"id","type":"string"},{"attribute":"classId","limit":"equal","name":"classId","type":"string"}],"plan":{"partition":[{"attribute":"pk-id","parts":["PROMISE#",{"field":"id","type":"string"}]}],"request":"GetItem","sort":{"at":["P#",{"field":"classId","type":"string"}],"attribute":"State#Date","is":"equal"},"sortAttributes":["State#Date"],"table":"Main"},"returns":[{"entity":"Promise","name":"Promise","optional":true}]}
],
"records": [
  {"fields":[{"name":"a-b","type":"string"},{"name":"of","type":"string"},{"name":"next","optional":true,"type":{"list":"string"}}],"name":"new"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"GSI1-PK","AttributeType":"S"},{"AttributeName":"GSI1-SK","AttributeType":"S"},{"AttributeName":"State#Date","AttributeType":"S"},{"AttributeName":"pk-id","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","GlobalSecondaryIndexes":[{"IndexName":"GSI1-IX","KeySchema":[{"AttributeName":"GSI1-PK","KeyType":"HASH"},{"AttributeName":"GSI1-SK","KeyType":"RANGE"}],"Projection":{"ProjectionType":"ALL"}}],"KeySchema":[{"AttributeName":"pk-id","KeyType":"HASH"},{"AttributeName":"State#Date","KeyType":"RANGE"}]},"indexes":[{"name":"GSI1-IX","partition":[{"name":"GSI1-PK","type":"S"}],"projection":"all","sort":[{"name":"GSI1-SK","type":"S"}]}],"name":"Main","partition":{"name":"pk-id","type":"S"},"sort":{"name":"State#Date","type":"S"}}
],
"writes": [
  {"actions":[{"entity":"OrderItem","verb":"create"}],"name":"toString","parameters":[{"name":"lines","type":{"list":{"record":"new"}}},{"name":"n","type":"int"},{"name":"then","optional":true,"type":"string"}]},
  {"actions":[{"entity":"order_item","verb":"create"}],"name":"order_item","parameters":[{"name":"news","type":{"list":{"record":"new"}}},{"name":"itemId","optional":true,"type":"uuid"},{"name":"_","optional":true,"type":"string"}]}
]
}
"""
