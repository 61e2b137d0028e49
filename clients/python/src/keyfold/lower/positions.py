"""The positions of the items and keys of a batch, from 0, in errors about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from keyfold.errors import Invalid

T = TypeVar("T")
U = TypeVar("U")


def each_of(given: Iterable[T], of: str, make: Callable[[T], U]) -> list[U]:
    """What is made of each item or key of a batch of an entity. What is invalid has its
    position."""
    made: list[U] = []
    for at, one in enumerate(given):
        try:
            made.append(make(one))
        except Invalid as error:
            error.message = f"item {at} of the batch: {error.message}"
            error.args = (error.message,)
            error.of, error.item = error.of or of, at
            raise
    return made
