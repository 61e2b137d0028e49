"""What a program gives for an entity, as instances of the generated classes of that entity."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast, get_args

from keyfold.errors import Invalid
from keyfold.item import Item
from keyfold.lower.positions import each_of
from keyfold.options import check_list
from keyfold.typed.shapes import Shapes

_CLASSES = ("new", "put", "key", "patch", "item")
"""What the first arguments of a writer's class are."""


class Takes:
    """The classes of an entity that its writer takes, and the attributes of their instances.

    An entity as it was read is taken, too: what the model keeps is left out there, and it is the
    key of itself. So is a dataclass of the program's own, which is checked by its attributes; a
    class that was generated for something else is none of the entity.
    """

    def __init__(self, shapes: Shapes, entity: str, writer: object) -> None:
        self._shapes = shapes
        self._entity = entity
        self._writer = writer

    def new(self, value: Any) -> Mapping[str, object]:
        """The attributes of an entity that is created."""
        return self._given(value, "new")

    def put(self, value: Any) -> Mapping[str, object]:
        """The attributes of an entity that is put."""
        return self._given(value, "put")

    def patch(self, value: Any) -> Mapping[str, object]:
        """The changes of an entity."""
        return self._given(value, "patch")

    def key(self, value: Any) -> Mapping[str, object]:
        """The attributes of a key. A version that is not given is not compared."""
        given = self._given(value, "key")
        if isinstance(given, Item):
            return given
        return {name: one for name, one in given.items() if one is not None}

    def keys(self, values: Iterable[Any]) -> list[Mapping[str, object]]:
        """The attributes of several keys."""
        return each_of(check_list("keys", values, self._entity), self._entity, self.key)

    def _given(self, value: Any, what: str) -> Mapping[str, object]:
        known = self._known()
        wanted, held = known.get(what), cast("type[object]", type(value))
        if wanted is not None and not isinstance(value, tuple(known.values())):
            is_dictionary = not hasattr(held, "__dataclass_fields__")
            if is_dictionary or held.__module__ == wanted.__module__:
                raise Invalid(
                    f"{self._entity} takes an instance of {wanted.__name__}, and no"
                    f" {held.__name__}",
                    of=self._entity,
                )
        given = self._shapes.given(self._entity, value)
        item = known.get("item")
        if item is None or not isinstance(value, item):
            return given
        return Item(self._entity, {name: one for name, one in given.items() if one is not None})

    def _known(self) -> dict[str, type[Any]]:
        """The classes: generated code makes a writer as `Writer[NewOrder, ..](..)`, which keeps
        them. None of a writer that was made otherwise."""
        arguments = get_args(getattr(self._writer, "__orig_class__", None))
        return {
            what: one
            for what, one in zip(_CLASSES, arguments, strict=False)
            if isinstance(one, type)
        }
