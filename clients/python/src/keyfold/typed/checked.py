"""Classes that pydantic checks: what it refuses is `Invalid`, as all that a client refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast

from keyfold.errors import Invalid
from keyfold.values.typed import check_zone

T = TypeVar("T")


def checked(of: str) -> Callable[[type[T]], type[T]]:
    """Makes a class refuse wrong values with the entity or record, the attribute and the reason."""

    def of_class(made: type[T]) -> type[T]:
        check: Callable[..., None] = made.__init__

        @wraps(check)
        def init(self: T, *args: Any, **members: Any) -> None:
            try:
                check(self, *args, **members)
            except ValueError as error:
                raise _invalid(of, error) from None
            for field in fields(cast(Any, made)):
                _check_zones(of, field.name, getattr(self, field.name))

        setattr(made, "__init__", init)  # noqa: B010
        return made

    return of_class


def _check_zones(of: str, name: str, held: object) -> None:
    """Refuses a moment without a zone, which pydantic takes."""
    if isinstance(held, datetime):
        try:
            check_zone(name, held)
        except Invalid as error:
            raise Invalid(f"{of}: {error.message}", of=of, attribute=name) from None
    if isinstance(held, Mapping):
        held = list(cast("Mapping[object, object]", held).values())
    if isinstance(held, (list, tuple, set, frozenset)):
        for one in cast("list[object]", held):
            _check_zones(of, name, one)


def _invalid(of: str, error: ValueError) -> Invalid:
    """The first fault of pydantic's error, which counts all; another error as it is."""
    listed = getattr(error, "errors", None)
    faults: list[Any] = [] if listed is None else listed()
    if not faults:
        return Invalid(f"{of}: {error}", of=of)
    way = faults[0]["loc"]
    name = str(way[0]) if way else None
    # The way may go on with the member of a union that was tried.
    reasons = dict.fromkeys(one["msg"] for one in faults if one["loc"][:1] == way[:1])
    return Invalid(f"{of}: {name}: {'; '.join(reasons)}", of=of, attribute=name)
