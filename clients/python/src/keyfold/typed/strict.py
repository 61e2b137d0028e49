"""What generated classes need of pydantic, which this package does not install by itself."""

from __future__ import annotations

from typing import Any, cast

from keyfold.typed.shapes import UNSET

try:
    from pydantic import ConfigDict, GetCoreSchemaHandler, GetJsonSchemaHandler
    from pydantic.dataclasses import dataclass
    from pydantic_core import core_schema
except ModuleNotFoundError as error:
    needed = f"{error}: the generated classes check their values; `pip install keyfold[pydantic]`"
    raise ModuleNotFoundError(needed, name=error.name) from error

__all__ = ["Changes", "ConfigDict", "dataclass"]


class Changes:
    """A patch: what it does not name is no part of its JSON, nor of the schema of that."""

    __slots__ = ()

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: Any, handler: GetCoreSchemaHandler
    ) -> core_schema.CoreSchema:
        shown = core_schema.wrap_serializer_function_ser_schema(_named)
        return cast("core_schema.CoreSchema", {**handler(source), "serialization": shown})

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: core_schema.CoreSchema, handler: GetJsonSchemaHandler
    ) -> dict[str, Any]:
        shown = handler(schema)
        for member in handler.resolve_ref_schema(shown).get("properties", {}).values():
            if member.get("default") == UNSET.value:
                del member["default"]
        return shown


def _named(value: Any, serialize: core_schema.SerializerFunctionWrapHandler) -> dict[str, Any]:
    shown: dict[str, Any] = serialize(value)
    return {name: one for name, one in shown.items() if getattr(value, name) is not UNSET}
