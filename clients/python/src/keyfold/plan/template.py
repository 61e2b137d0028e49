"""Key templates: the parts that the texts of keys are made of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from keyfold.plan.kind import Kind

Unit: TypeAlias = Literal["hour", "day", "month", "year"]
"""A unit of time."""
Form: TypeAlias = Literal["plain", "bare", "padded", "reversed", "lower", "hash", "escaped", "cut"]


@dataclass(frozen=True)
class Format:
    """How a field's value stands in the text."""

    form: Form = "plain"
    whole: int = 0
    decimals: int = 0
    reversed: bool = False
    signed: bool = False
    unit: Unit = "day"
    """The unit that a time is cut to."""

    @property
    def is_reversed(self) -> bool:
        """Whether greater values have lesser texts."""
        return self.form == "reversed" or (self.form == "padded" and self.reversed)


@dataclass(frozen=True)
class Text:
    """A fixed text."""

    text: str

    def __str__(self) -> str:
        return self.text.replace("\U0010ffff", "…")


@dataclass(frozen=True)
class Field:
    """The value of an attribute or a parameter."""

    name: str
    kind: Kind
    format: Format
    excluded: str
    """Characters that the text must not contain, or that are escaped."""

    def __str__(self) -> str:
        made = self.format
        form = {
            "plain": "",
            "bare": "",
            "cut": f":{made.unit}",
            "reversed": ":reverse",
            "lower": ":lower",
            "hash": ":hash",
            "escaped": ":escape",
        }.get(made.form)
        if form is None:
            decimals = f".{made.decimals}" if made.decimals else ""
            signed = ":signed" if made.signed else ""
            form = f":0{made.whole}{decimals}{signed}" + (":reverse" if made.reversed else "")
        return f"{{{self.name}{form}}}"


@dataclass(frozen=True)
class Shard:
    """The number of a shard."""

    count: int
    of: tuple[Part, ...]
    """The parts whose text decides the shard."""

    @property
    def digits(self) -> int:
        """The digits of the greatest number."""
        return len(str(max(self.count, 1) - 1))

    def __str__(self) -> str:
        return f"‹0-{self.count - 1}›"


@dataclass(frozen=True)
class Chunk:
    """The number of a split list's part."""

    digits: int

    def __str__(self) -> str:
        return "‹part›"


@dataclass(frozen=True)
class Break:
    """The border between two attributes of a key."""

    def __str__(self) -> str:
        return '" "'


Part: TypeAlias = "Text | Field | Shard | Chunk | Break"
Parts: TypeAlias = "tuple[Part, ...]"


@dataclass(frozen=True)
class KeyColumn:
    """An attribute of a key and its parts."""

    attribute: str
    parts: Parts
    matches: re.Pattern[str] | None = None
    """Exactly the texts that the parts can make; none where any value fits."""


def bare_field(parts: Sequence[Part]) -> Field | None:
    """The field of parts that are the attribute itself."""
    if len(parts) == 1 and isinstance(parts[0], Field) and parts[0].format.form == "bare":
        return parts[0]
    return None


def fields_of(parts: Sequence[Part]) -> list[str]:
    """The attributes that parts are made of, from left to right, each once."""
    names: list[str] = []
    for part in parts:
        found: list[str] = []
        if isinstance(part, Field):
            found = [part.name]
        elif isinstance(part, Shard):
            found = fields_of(part.of)
        names.extend(name for name in found if name not in names)
    return names


def key_fields(key: Sequence[KeyColumn]) -> list[str]:
    """The attributes that a key is made of, each once."""
    names: list[str] = []
    for column in key:
        names.extend(name for name in fields_of(column.parts) if name not in names)
    return names


def printed(parts: Sequence[Part]) -> str:
    """The parts as the language writes them."""
    text = "".join(str(part) for part in parts)
    return text if bare_field(parts) else f'"{text}"'
