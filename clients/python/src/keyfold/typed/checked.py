"""Classes that pydantic checks: what it refuses is `Invalid`, as all that a client refuses.

Messages have the names that the program writes, and `attribute` that of the model, as where a call
refuses a value.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import fields
from datetime import datetime
from functools import wraps
from typing import Any, TypeVar, cast

from keyfold.errors import Invalid
from keyfold.typed.shapes import Shapes
from keyfold.values.typed import check_zone
from keyfold.values.value import shown_given

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
                raise _invalid(of, made, error, members) from None
            for field in fields(cast(Any, made)):
                _check_zones(of, made, field.name, getattr(self, field.name))

        setattr(made, "__init__", init)  # noqa: B010
        return made

    return of_class


def _named(made: type[Any], path: str) -> str:
    """A path in the names of the model, of which the generated module of a class has a table."""
    shapes = vars(sys.modules[made.__module__]).get("_SHAPES")
    end = next((at for at, sign in enumerate(path) if sign in ".["), len(path))
    name = shapes.model_name(path[:end]) if isinstance(shapes, Shapes) else path[:end]
    return f"{name}{path[end:]}"


def _check_zones(of: str, made: type[Any], path: str, held: object) -> None:
    """Refuses a moment without a zone, which pydantic takes."""
    if isinstance(held, datetime):
        try:
            check_zone(path, held)
        except Invalid as error:
            named = _named(made, path)
            raise Invalid(f"{of}: {error.message}", of=of, attribute=named) from None
    if isinstance(held, Mapping):
        for key, one in cast("Mapping[object, object]", held).items():
            _check_zones(of, made, f"{path}.{key}", one)
    elif isinstance(held, (list, tuple, set, frozenset)):
        for at, one in enumerate(cast("Iterable[object]", held)):
            _check_zones(of, made, f"{path}[{at}]", one)


def _invalid(of: str, made: type[Any], error: ValueError, members: Mapping[str, object]) -> Invalid:
    """The first fault of pydantic's error, which counts all; another error as it is."""
    listed = getattr(error, "errors", None)
    faults: list[Any] = [] if listed is None else listed()
    if not faults:
        return Invalid(f"{of}: {error}", of=of)
    first = faults[0]
    way = first["loc"]
    if not way:
        return Invalid(f"{of}: {first['msg']}", of=of)
    if first["type"] == "missing":
        lacks = [str(one["loc"][0]) for one in faults if one["type"] == "missing"]
        attribute = _named(made, lacks[0])
        return Invalid(f"{of} needs {', '.join(lacks)}", of=of, attribute=attribute)
    path = _path(way, members)
    alike = [one for one in faults if _path(one["loc"], members) == path]
    reasons = dict.fromkeys(one["msg"] for one in alike if not _is_of_unset(one))
    shown = "" if first["type"] == "unexpected_keyword_argument" else _shown(first.get("input"))
    message = f"{of}: {path}: {'; '.join(reasons)}{shown}"
    return Invalid(message, of=of, attribute=_named(made, path))


def _path(way: tuple[int | str, ...], members: Mapping[str, object]) -> str:
    """The way to a value among those that are given. It goes through members of unions, too, which
    are no part of the value."""
    path, held = str(way[0]), members.get(str(way[0]))
    for one in way[1:]:
        if isinstance(held, Mapping) and one in held:
            path, held = f"{path}.{one}", cast("Mapping[object, object]", held)[one]
        elif isinstance(one, int) and isinstance(held, (list, tuple, set, frozenset)):
            listed = list(cast("Iterable[object]", held))
            path, held = f"{path}[{one}]", listed[one] if one < len(listed) else None
    return path


def _is_of_unset(fault: Mapping[str, Any]) -> bool:
    """Whether a fault says that the value is not `UNSET`: that is no value of the program."""
    about = cast("Mapping[str, object]", fault.get("ctx", {}))
    return bool(fault["type"] == "is_instance_of") and about.get("class") == "Unset"


def _shown(held: object) -> str:
    shown = shown_given(held)
    return f', and not "{shown}"' if isinstance(held, str) else f", and not {shown}"
