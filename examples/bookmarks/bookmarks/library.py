"""What is done with the annotations of a copy of a book."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timezone

from keyfold import Exists, NotFound, Refused

from bookmarks.model import (
    Annotation,
    AnnotationFormat,
    AnnotationKind,
    AsyncBookmarksClient,
    BookId,
    CustomerId,
    NewAnnotation,
    Position,
)

POSITIONS_MAX = 300
"""The most highlights or marks of a copy."""
POSITIONS_BYTES_MAX = 390 * 1024
"""The most bytes of them: a row holds 400 KB, with its key, its device and its time."""
POSITION_BYTES = 64
"""The most bytes of a position without its text: names, numbers, and what holds them together."""
ATTEMPTS = 20
PAUSE_MAX = 0.2
"""The most seconds between two attempts."""


@dataclass(frozen=True, slots=True)
class Copy:
    """A copy of a book that a reader has."""

    customer_id: CustomerId
    book_id: BookId
    format: AnnotationFormat


class OtherDevice(Exception):
    """Another device has gone on meanwhile. It holds where, if it is there."""

    def __init__(self, now: Annotation | None) -> None:
        super().__init__("another device has gone on")
        self.now = now


class Full(Exception):
    """There are as many positions as there may be."""


class Busy(Exception):
    """Other devices were faster again and again."""


class Library:
    """The annotations of all copies."""

    def __init__(self, client: AsyncBookmarksClient) -> None:
        self._client = client

    async def annotations(self, copy: Copy) -> tuple[Sequence[Annotation], float]:
        """N1: all annotations of a copy, by one query, and the units that it took."""
        page = await self._client.annotations(
            customer_id=copy.customer_id, book_id=copy.book_id, format=copy.format
        ).page()
        return page.items, page.capacity

    async def turn(
        self, copy: Copy, device: str, position: Position, edition: int
    ) -> float:
        """N1: a device goes on from the last position that it has seen, which has this edition; 0 is
        none. It is one small write, whose units are returned.
        """
        try:
            return await self._write(copy, "lastread", device, [position], edition)
        except (Exists, NotFound, Refused) as error:
            raise OtherDevice(await self._one(copy, "lastread")) from error

    async def stay(self, copy: Copy, device: str, position: Position) -> float:
        """N1: a device goes on from here, wherever the others are."""
        written = await self._client.turn_page(
            device=device,
            positions=[position],
            updated_at=now(),
            customer_id=copy.customer_id,
            book_id=copy.book_id,
            format=copy.format,
            kind="lastread",
        )
        return written.capacity

    async def add(
        self, copy: Copy, kind: AnnotationKind, device: str, position: Position
    ) -> None:
        """N1: highlights or marks a position; one that is there already stays once."""
        for attempt in range(ATTEMPTS):
            await _pause(attempt)
            stored = await self._one(copy, kind)
            before = [] if stored is None else stored.positions
            if _place(position) in map(_place, before):
                return
            after = [*before, position]
            if len(after) > POSITIONS_MAX or _bytes(after) > POSITIONS_BYTES_MAX:
                raise Full
            if await self._replace(copy, kind, device, after, stored):
                return
        raise Busy

    async def remove(
        self, copy: Copy, kind: AnnotationKind, device: str, position: Position
    ) -> bool:
        """N1: takes a highlight or a mark away; returns whether there was one."""
        for attempt in range(ATTEMPTS):
            await _pause(attempt)
            stored = await self._one(copy, kind)
            before = [] if stored is None else stored.positions
            after = [one for one in before if _place(one) != _place(position)]
            if len(after) == len(before):
                return False
            if await self._replace(copy, kind, device, after, stored):
                return True
        raise Busy

    async def _one(self, copy: Copy, kind: AnnotationKind) -> Annotation | None:
        """The annotation as it is now."""
        return await self._client.annotation(
            customer_id=copy.customer_id,
            book_id=copy.book_id,
            format=copy.format,
            kind=kind,
            strong=True,
        )

    async def _replace(
        self,
        copy: Copy,
        kind: AnnotationKind,
        device: str,
        positions: Sequence[Position],
        stored: Annotation | None,
    ) -> bool:
        """Writes the positions, in the order of the book, unless another device was faster."""
        edition = 0 if stored is None else stored.edition
        try:
            await self._write(
                copy, kind, device, sorted(positions, key=_place), edition
            )
        except (Exists, NotFound, Refused):
            return False
        return True

    async def _write(
        self,
        copy: Copy,
        kind: AnnotationKind,
        device: str,
        positions: Sequence[Position],
        edition: int,
    ) -> float:
        """Writes an annotation of which this edition is stored, by one request, and returns the units.
        Where none is stored, it is created.
        """
        new = NewAnnotation(
            customer_id=copy.customer_id,
            book_id=copy.book_id,
            format=copy.format,
            kind=kind,
            device=device,
            positions=positions,
            updated_at=now(),
        )
        if edition == 0:
            return (await self._client.Annotation.create(new)).capacity
        written = await self._client.go_on(
            device=device,
            positions=positions,
            updated_at=new.updated_at,
            seen=edition,
            customer_id=new.customer_id,
            book_id=new.book_id,
            format=new.format,
            kind=kind,
        )
        return written.capacity


async def _pause(attempt: int) -> None:
    """Waits before another attempt, longer each time. The time is random, so that devices that met do
    not meet again.
    """
    if attempt > 0:
        await asyncio.sleep(random.uniform(0, min(PAUSE_MAX, 0.005 * 2**attempt)))


def _place(position: Position) -> tuple[int, int]:
    """Where a position is in its book."""
    return position.page, -1 if position.offset is None else position.offset


def _bytes(positions: Sequence[Position]) -> int:
    """The bytes of positions in a row, at most: a character of a text has up to four."""
    texts = (one.text or "" for one in positions)
    return sum(POSITION_BYTES + len(text.encode()) for text in texts)


def now() -> datetime:
    """This moment, in the milliseconds that the model keeps."""
    moment = datetime.now(timezone.utc)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)
