"""A client of the model bookmarks, version 1.

Made by keyfold 0.1.0. The plan document's hash: 94f6c5bb83a767f7618073dfb239d522.
Changes here are lost: change the model, and run `keyfold generate`.
"""

from __future__ import annotations

import datetime as _datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NewType, TypeAlias

from keyfold import Client, Options, typed
from keyfold.aio import AsyncClient

CustomerId = NewType("CustomerId", str)
"""A value of `Annotation.customerId`."""
BookId = NewType("BookId", str)
"""A value of `Annotation.bookId`."""

AnnotationFormat: TypeAlias = Literal["pdf", "epub", "mobi"]
"""The words of `Annotation.format`."""
AnnotationKind: TypeAlias = Literal["lastread", "highlight", "mark"]
"""The words of `Annotation.kind`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """The record `Position`."""

    page: int
    offset: int | None = None
    text: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Annotation:
    """The entity `Annotation` as it is stored, under
    `"{customerId}:{bookId}:{format}" "{kind}"`.
    """

    customer_id: CustomerId
    book_id: BookId
    format: AnnotationFormat
    kind: AnnotationKind
    device: str
    positions: list[Position]
    updated_at: _datetime.datetime
    edition: int
    """Counts the versions of the item."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewAnnotation:
    """The attributes of an `Annotation` that is created or put."""

    customer_id: CustomerId
    book_id: BookId
    format: AnnotationFormat
    kind: AnnotationKind
    device: str
    positions: Sequence[Position]
    updated_at: _datetime.datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class PutAnnotation:
    """The attributes of an `Annotation` that is put, and the version that is stored."""

    customer_id: CustomerId
    book_id: BookId
    format: AnnotationFormat
    kind: AnnotationKind
    device: str
    positions: Sequence[Position]
    updated_at: _datetime.datetime
    edition: int | None = None
    """The version that the stored item is expected to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationKey:
    """The key of an `Annotation`."""

    customer_id: CustomerId
    book_id: BookId
    format: AnnotationFormat
    kind: AnnotationKind
    edition: int | None = None
    """The version that the stored item is expected to have."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationPatch:
    """Changes of an `Annotation`: what is not named stays as it is."""

    device: str | typed.Unset = typed.UNSET
    positions: Sequence[Position] | typed.Unset = typed.UNSET
    updated_at: _datetime.datetime | typed.Unset = typed.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class AnnotationChange:
    """A change of an `Annotation` that a stream reports."""

    old: Annotation | None = None
    new: Annotation | None = None


BookmarksEvent: TypeAlias = AnnotationChange
"""A change that a stream reports; its class says of what."""


class BookmarksParts(typed.NamedParts):
    """The named writes as parts of a transaction: nothing is sent before `transact`
    takes them.
    """

    def turn_page(
        self,
        *,
        device: str,
        positions: Sequence[Position],
        updated_at: _datetime.datetime,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `turn_page`."""
        return self._run(
            "turn_page",
            {
                "device": device,
                "positions": positions,
                "updatedAt": updated_at,
                "customerId": customer_id,
                "bookId": book_id,
                "format": format,
                "kind": kind,
            },
            typed.NothingMade,
        )

    def go_on(
        self,
        *,
        device: str,
        positions: Sequence[Position],
        updated_at: _datetime.datetime,
        seen: int,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
    ) -> typed.NamedPart[typed.NothingMade]:
        """The write `go_on`."""
        return self._run(
            "go_on",
            {
                "device": device,
                "positions": positions,
                "updatedAt": updated_at,
                "seen": seen,
                "customerId": customer_id,
                "bookId": book_id,
                "format": format,
                "kind": kind,
            },
            typed.NothingMade,
        )


class BookmarksFakes(typed.NamedFakes):
    """Entities for tests: random by a seed, and valid for the model. What is not
    given is made; of `_related`, entities by their names, attributes that refer
    to one have its values.
    """

    def annotation(
        self,
        _related: Mapping[str, object] | None = None,
        /,
        *,
        customer_id: CustomerId | typed.Unset = typed.UNSET,
        book_id: BookId | typed.Unset = typed.UNSET,
        format: AnnotationFormat | typed.Unset = typed.UNSET,
        kind: AnnotationKind | typed.Unset = typed.UNSET,
        device: str | typed.Unset = typed.UNSET,
        positions: Sequence[Position] | typed.Unset = typed.UNSET,
        updated_at: _datetime.datetime | typed.Unset = typed.UNSET,
    ) -> NewAnnotation:
        """A new `Annotation`."""
        return self._new(
            "Annotation",
            NewAnnotation,
            {
                "customerId": customer_id,
                "bookId": book_id,
                "format": format,
                "kind": kind,
                "device": device,
                "positions": positions,
                "updatedAt": updated_at,
            },
            _related,
        )


class BookmarksClient(typed.Typed):
    """The patterns, named writes and entities of the model `bookmarks`, version 1."""

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of boto3.
        """
        super().__init__(Client(_PLAN, connection, options or Options()), _SHAPES)
        self.Annotation = typed.Writer[
            NewAnnotation,
            PutAnnotation,
            AnnotationKey,
            AnnotationPatch,
            Annotation,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Annotation", Annotation, typed.NothingMade, typed.NothingMade)
        """Writes an `Annotation` with all that follows from it."""
        self.fake = BookmarksFakes(self)
        """Entities for tests, random by a seed."""
        self.part = BookmarksParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def annotations(
        self,
        *,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.Query[Annotation]:
        """`annotations(customerId, bookId, format) -> Annotation[]`

        Query of Annotations: `PK = "{customerId}:{bookId}:{format}"`; 1 request a
        page.
        """
        return typed.Query(
            self,
            "annotations",
            {"customerId": customer_id, "bookId": book_id, "format": format},
            {"Annotation": Annotation},
            backward=backward,
            strong=strong,
        )

    def annotation(
        self,
        *,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Annotation | None:
        """`annotation(customerId, bookId, format, kind) -> Annotation?`

        GetItem of Annotations: `PK = "{customerId}:{bookId}:{format}" AND SK =
        "{kind}"`; 1 request, about 1 read units, strongly consistent.
        """
        return self._one(
            "annotation",
            {
                "customerId": customer_id,
                "bookId": book_id,
                "format": format,
                "kind": kind,
            },
            {"Annotation": Annotation},
            strong,
            timeout,
        )

    def turn_page(
        self,
        *,
        device: str,
        positions: Sequence[Position],
        updated_at: _datetime.datetime,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `turn_page`:

        - put Annotation
        Requests: UpdateItem.
        """
        return self._write(
            self.part.turn_page(
                device=device,
                positions=positions,
                updated_at=updated_at,
                customer_id=customer_id,
                book_id=book_id,
                format=format,
                kind=kind,
            ),
            timeout,
        )

    def go_on(
        self,
        *,
        device: str,
        positions: Sequence[Position],
        updated_at: _datetime.datetime,
        seen: int,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `go_on`:

        - update Annotation (device = device, positions = positions, updatedAt =
        updatedAt) if edition = seen
        Requests: UpdateItem.
        """
        return self._write(
            self.part.go_on(
                device=device,
                positions=positions,
                updated_at=updated_at,
                seen=seen,
                customer_id=customer_id,
                book_id=book_id,
                format=format,
                kind=kind,
            ),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> BookmarksEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


class AsyncBookmarksClient(typed.AsyncTyped):
    """The patterns, named writes and entities of the model `bookmarks`, version 1,
    for `asyncio`.
    """

    def __init__(self, connection: str | Any, options: Options | None = None) -> None:
        """Takes `http://localhost:8000`, `dynamodb://eu-west-1?profile=prod`,
        `keyfold:./data`, or a low-level client of aioboto3. It is used in `async
        with`.
        """
        super().__init__(AsyncClient(_PLAN, connection, options or Options()), _SHAPES)
        self.Annotation = typed.AsyncWriter[
            NewAnnotation,
            PutAnnotation,
            AnnotationKey,
            AnnotationPatch,
            Annotation,
            typed.NothingMade,
            typed.NothingMade,
        ](self, "Annotation", Annotation, typed.NothingMade, typed.NothingMade)
        """Writes an `Annotation` with all that follows from it."""
        self.fake = BookmarksFakes(self)
        """Entities for tests, random by a seed."""
        self.part = BookmarksParts(_SHAPES)
        """The named writes as parts of a transaction."""

    def annotations(
        self,
        *,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        backward: bool = False,
        strong: bool = False,
    ) -> typed.AsyncQuery[Annotation]:
        """`annotations(customerId, bookId, format) -> Annotation[]`

        Query of Annotations: `PK = "{customerId}:{bookId}:{format}"`; 1 request a
        page.
        """
        return typed.AsyncQuery(
            self,
            "annotations",
            {"customerId": customer_id, "bookId": book_id, "format": format},
            {"Annotation": Annotation},
            backward=backward,
            strong=strong,
        )

    async def annotation(
        self,
        *,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
        strong: bool = False,
        timeout: float | None = None,
    ) -> Annotation | None:
        """`annotation(customerId, bookId, format, kind) -> Annotation?`

        GetItem of Annotations: `PK = "{customerId}:{bookId}:{format}" AND SK =
        "{kind}"`; 1 request, about 1 read units, strongly consistent.
        """
        return await self._one(
            "annotation",
            {
                "customerId": customer_id,
                "bookId": book_id,
                "format": format,
                "kind": kind,
            },
            {"Annotation": Annotation},
            strong,
            timeout,
        )

    async def turn_page(
        self,
        *,
        device: str,
        positions: Sequence[Position],
        updated_at: _datetime.datetime,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `turn_page`:

        - put Annotation
        Requests: UpdateItem.
        """
        return await self._write(
            self.part.turn_page(
                device=device,
                positions=positions,
                updated_at=updated_at,
                customer_id=customer_id,
                book_id=book_id,
                format=format,
                kind=kind,
            ),
            timeout,
        )

    async def go_on(
        self,
        *,
        device: str,
        positions: Sequence[Position],
        updated_at: _datetime.datetime,
        seen: int,
        customer_id: CustomerId,
        book_id: BookId,
        format: AnnotationFormat,
        kind: AnnotationKind,
        timeout: float | None = None,
    ) -> typed.Written[typed.NothingMade]:
        """The write `go_on`:

        - update Annotation (device = device, positions = positions, updatedAt =
        updatedAt) if edition = seen
        Requests: UpdateItem.
        """
        return await self._write(
            self.part.go_on(
                device=device,
                positions=positions,
                updated_at=updated_at,
                seen=seen,
                customer_id=customer_id,
                book_id=book_id,
                format=format,
                kind=kind,
            ),
            timeout,
        )

    def event(
        self,
        record: Mapping[str, Any],
        *,
        on_unknown: typed.OnUnknown | None = None,
    ) -> BookmarksEvent | None:
        """The change that a stream's record reports, of a reader or of Lambda; None
        for an item that follows from an entity. `on_unknown` says what becomes of
        an item that the model does not know, instead of the client's.
        """
        return self._change(record, _EVENTS, on_unknown)


_SHAPES = typed.Shapes(
    {"bookId": "book_id", "customerId": "customer_id", "updatedAt": "updated_at"},
    {"Position": Position},
)
_EVENTS: Mapping[str, tuple[type[Any], type[BookmarksEvent]]] = {
    "Annotation": (Annotation, AnnotationChange),
}

_PLAN = r"""
{
"entities": [
  {"alone":true,"attributes":[{"name":"customerId","type":"string"},{"name":"bookId","type":"string"},{"name":"format","type":{"words":["pdf","epub","mobi"]}},{"name":"kind","type":{"words":["lastread","highlight","mark"]}},{"name":"device","type":"string"},{"name":"positions","type":{"list":{"record":"Position"}}},{"name":"updatedAt","type":"time.ms"},{"default":{"value":{"N":"1"}},"kept":true,"name":"edition","type":"int"}],"key":[{"attribute":"PK","matches":"[^\u0000:]+:[^\u0000:]+:(?:pdf|epub|mobi)","parts":[{"field":"customerId","not":":","type":"string"},":",{"field":"bookId","not":":","type":"string"},":",{"field":"format","type":{"words":["pdf","epub","mobi"]}}]},{"attribute":"SK","matches":"(?:lastread|highlight|mark)","parts":[{"field":"kind","type":{"words":["lastread","highlight","mark"]}}]}],"name":"Annotation","table":"Annotations","version":"edition"}
],
"keyfoldPlan": 1,
"model": {"hash":"94f6c5bb83a767f7618073dfb239d522","name":"bookmarks","version":1},
"patterns": [
  {"name":"annotations","parameters":[{"attribute":"customerId","limit":"equal","name":"customerId","type":"string"},{"attribute":"bookId","limit":"equal","name":"bookId","type":"string"},{"attribute":"format","limit":"equal","name":"format","type":{"words":["pdf","epub","mobi"]}}],"plan":{"partition":[{"attribute":"PK","parts":[{"field":"customerId","not":":","type":"string"},":",{"field":"bookId","not":":","type":"string"},":",{"field":"format","type":{"words":["pdf","epub","mobi"]}}]}],"request":"Query","sortAttributes":["SK"],"table":"Annotations"},"returns":[{"entity":"Annotation","many":true,"name":"Annotation"}]},
  {"name":"annotation","parameters":[{"attribute":"customerId","limit":"equal","name":"customerId","type":"string"},{"attribute":"bookId","limit":"equal","name":"bookId","type":"string"},{"attribute":"format","limit":"equal","name":"format","type":{"words":["pdf","epub","mobi"]}},{"attribute":"kind","limit":"equal","name":"kind","type":{"words":["lastread","highlight","mark"]}}],"plan":{"partition":[{"attribute":"PK","parts":[{"field":"customerId","not":":","type":"string"},":",{"field":"bookId","not":":","type":"string"},":",{"field":"format","type":{"words":["pdf","epub","mobi"]}}]}],"request":"GetItem","sort":{"at":[{"field":"kind","type":{"words":["lastread","highlight","mark"]}}],"attribute":"SK","is":"equal"},"sortAttributes":["SK"],"strong":true,"table":"Annotations"},"returns":[{"entity":"Annotation","name":"Annotation","optional":true}]}
],
"records": [
  {"fields":[{"name":"page","type":"int"},{"name":"offset","optional":true,"type":"int"},{"name":"text","optional":true,"type":"string"}],"name":"Position"}
],
"tables": [
  {"create":{"AttributeDefinitions":[{"AttributeName":"PK","AttributeType":"S"},{"AttributeName":"SK","AttributeType":"S"}],"BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"PK","KeyType":"HASH"},{"AttributeName":"SK","KeyType":"RANGE"}]},"name":"Annotations","partition":{"name":"PK","type":"S"},"sort":{"name":"SK","type":"S"}}
],
"writes": [
  {"actions":[{"entity":"Annotation","verb":"put"}],"name":"turn_page","parameters":[{"name":"device","type":"string"},{"name":"positions","type":{"list":{"record":"Position"}}},{"name":"updatedAt","type":"time.ms"},{"name":"customerId","type":"string"},{"name":"bookId","type":"string"},{"name":"format","type":{"words":["pdf","epub","mobi"]}},{"name":"kind","type":{"words":["lastread","highlight","mark"]}}]},
  {"actions":[{"entity":"Annotation","set":[{"attribute":"device","left":{"parameter":"device"}},{"attribute":"positions","left":{"parameter":"positions"}},{"attribute":"updatedAt","left":{"parameter":"updatedAt"}}],"verb":"update","when":[{"attribute":"edition","is":"=","operands":[{"parameter":"seen"}],"text":"edition = seen"}]}],"name":"go_on","parameters":[{"name":"device","type":"string"},{"name":"positions","type":{"list":{"record":"Position"}}},{"name":"updatedAt","type":"time.ms"},{"name":"seen","type":"int"},{"name":"customerId","type":"string"},{"name":"bookId","type":"string"},{"name":"format","type":{"words":["pdf","epub","mobi"]}},{"name":"kind","type":{"words":["lastread","highlight","mark"]}}]}
]
}
"""
