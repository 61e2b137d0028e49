"""The types of attributes and parameters."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

_TEXTS: Final = frozenset(
    "string time.s time.ms time.us time.ns date hour day month year ulid uuid words".split()
)


@dataclass(frozen=True)
class Record:
    """A nested type with named fields."""

    name: str
    fields: dict[str, RecordField]


@dataclass(frozen=True)
class RecordField:
    """A field of a record."""

    kind: Kind
    optional: bool


@dataclass(frozen=True)
class Kind:
    """A type: a word of the plan document, and what is inside of it."""

    name: str
    """`string`, `int`, `time.ms`, ..., `words`, `list`, `map`, `set` or `record`."""
    of: Kind | None = None
    """The type of the elements of a list, map or set."""
    words: tuple[str, ...] = ()
    record: Record | None = field(default=None, repr=False)

    @property
    def is_text(self) -> bool:
        """Whether values are stored as text."""
        return self.name in _TEXTS

    @property
    def is_number(self) -> bool:
        """Whether values are stored as numbers."""
        return self.name in ("int", "number")

    @property
    def is_time(self) -> bool:
        """Whether values are times of a fixed precision."""
        return self.name.startswith("time.")

    @property
    def element(self) -> Kind:
        """The type of the elements."""
        if self.of is None:
            raise TypeError(f"{self.name} has no elements")
        return self.of

    def __str__(self) -> str:
        if self.name == "time.ms":
            return "time"
        if self.is_time:
            return f"time({self.name[5:]})"
        if self.name == "words":
            return " | ".join(written(word) for word in self.words)
        if self.of is not None:
            return f"{self.name} of {self.of}"
        return self.record.name if self.record else self.name


def written(word: str) -> str:
    """A name or word as the language writes it: in quotes unless it is a plain word."""
    plain = word.replace("_", "a").isalnum() and word.isascii() and not word[0].isdigit()
    return word if plain else f'"{word}"'


STRING: Final = Kind("string")
