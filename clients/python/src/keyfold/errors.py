"""The errors of the runtime: one class with a `code`, and a subclass for each code.

A program handles an error by its class (`except Taken as error`) or by its code. `Code` lists all
codes, so that a type checker sees whether a `match` on `error.code` handles each of them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias

Code: TypeAlias = Literal[
    "refused",
    "exists",
    "taken",
    "not_found",
    "too_many",
    "stale_version",
    "invalid",
    "unknown_item",
    "overtaken",
    "throttled",
    "outcome_unknown",
    "service",
    "transport",
    "aborted",
    "table_differs",
    "incomplete",
]
_HALF = re.compile("[\ud800-\udfff]")
"""Half a character: a text with one cannot be printed."""


@dataclass(frozen=True)
class Place:
    """Where a write was refused."""

    action: str
    """The entity or item in words: `put Order`, `update Account as from`."""
    table: str
    """The table of the item."""
    key: Mapping[str, str | bytes]
    """The key of the item; numbers as texts."""
    entity: str | None = None
    """The entity that the refusal is about, where it is about one."""
    id: Mapping[str, str | bytes] | None = None
    """The attributes that identify it, by their names in the model; numbers as texts."""


class KeyfoldError(Exception):
    """An error of a pattern, a write or a connection."""

    code: ClassVar[Code]
    """The kind of the error."""

    def __init__(self, message: str) -> None:
        message = _HALF.sub(lambda half: f"\\u{{{ord(half[0]):x}}}", message)
        super().__init__(message)
        self.message = message
        self.place: Place | None = None
        """The action and the item of a write that was refused, where one is at fault."""
        self.write: int | None = None
        """The number of the write of a transaction, from 0, where one is at fault."""


class Refused(KeyfoldError):
    """A condition of a write does not hold, or the write is not possible."""

    code = "refused"

    def __init__(self, message: str, *, conditions: str | None = None) -> None:
        super().__init__(message)
        self.conditions = conditions
        """The conditions of which one does not hold, as the model writes them."""


class Exists(KeyfoldError):
    """An item with this key exists already."""

    code = "exists"


class Taken(KeyfoldError):
    """A unique value belongs to another item.

    `place.entity` and `place.id` are the item that was to get the value, not its owner;
    `place.key` is that of the guard, which holds the value for the owner."""

    code = "taken"

    def __init__(self, message: str, attributes: tuple[str, ...]) -> None:
        super().__init__(message)
        self.attributes = attributes
        """The unique attributes."""


class NotFound(KeyfoldError):
    """A required item does not exist."""

    code = "not_found"


class TooMany(KeyfoldError):
    """An answer has more items than `all` was to take."""

    code = "too_many"

    def __init__(self, pattern: str, most: int) -> None:
        super().__init__(
            f"{pattern} has more than {most} items; give `most` another number, or use `items`"
        )
        self.pattern = pattern
        self.most = most
        """The most items that the caller takes."""


class StaleVersion(KeyfoldError):
    """The given version is not the stored one: the item has been changed since it was read."""

    code = "stale_version"


class Invalid(KeyfoldError):
    """The call contradicts the model. It is found before anything is sent."""

    code = "invalid"

    def __init__(
        self,
        message: str,
        *,
        of: str | None = None,
        attribute: str | None = None,
        item: int | None = None,
    ) -> None:
        super().__init__(message)
        self.of = of
        """The entity, pattern or write: `Order`, `the pattern orders_of_user`."""
        self.attribute = attribute
        """The attribute or parameter by its name in the model, with the path to a nested value:
        `lines[2].price`."""
        self.item = item
        """The position of the item or key in a batch, from 0, where one is at fault."""


class UnknownItem(KeyfoldError):
    """The table has an item that the model does not know: it was not written through the model."""

    code = "unknown_item"

    def __init__(
        self,
        message: str,
        *,
        entity: str | None = None,
        key: str | None = None,
        attribute: str | None = None,
    ) -> None:
        super().__init__(message)
        self.entity = entity
        """The entity, or the copy, whose key the item has; none where it is not known."""
        self.key = key
        """The key of the item, for people."""
        self.attribute = attribute
        """The attribute that is wrong or missing, with the path to a nested value."""


class Overtaken(KeyfoldError):
    """Other writers were faster in every attempt. The call may be tried again."""

    code = "overtaken"


@dataclass(frozen=True)
class Reason:
    """The outcome of one action of a cancelled transaction."""

    code: str
    message: str | None


class Service(KeyfoldError):
    """The service refused a request."""

    code: ClassVar[Code] = "service"

    def __init__(
        self,
        exception: str,
        text: str,
        reasons: tuple[Reason, ...] = (),
        found: tuple[int, ...] = (),
    ) -> None:
        super().__init__(f"{exception}: {text}")
        self.exception = exception
        """The exception's name: `ValidationException`."""
        self.text = text
        """The service's message."""
        self.reasons = reasons
        """The outcome of each action of a cancelled transaction."""
        self.found = found
        """The indexes of the actions whose condition failed on an item that the error shows."""


class Throttled(Service):
    """The service refused a request because of too many of them, until the deadline."""

    code = "throttled"


class Transport(KeyfoldError):
    """The service could not be reached, or its answer is not DynamoDB's. Nothing was written."""

    code = "transport"


class OutcomeUnknown(KeyfoldError):
    """A write was sent and its answer was lost. It may have been carried out."""

    code = "outcome_unknown"

    def __init__(self, why: str, check: str) -> None:
        super().__init__(
            f"whether it was done is not known: {why}; look at {check} before you do it again"
        )
        self.why = why
        """The cause."""
        self.check = check
        """The items that show whether it was done."""


class Aborted(KeyfoldError):
    """The call reached its timeout. A write that was under way then is `OutcomeUnknown`."""

    code = "aborted"

    def __init__(self, seconds: float, call: str = "the call") -> None:
        super().__init__(f"{call} did not end within {seconds} seconds")


class TableDiffers(KeyfoldError):
    """An existing table contradicts the model."""

    code = "table_differs"

    def __init__(self, table: str, differences: tuple[str, ...]) -> None:
        lines = "\n".join(f"  - {one}" for one in differences)
        super().__init__(f"the table {table} exists and differs from the model:\n{lines}")
        self.table = table
        self.differences = differences


class Incomplete(KeyfoldError):
    """A batch was written in part."""

    code = "incomplete"

    def __init__(
        self,
        of: str,
        written: tuple[int, ...],
        unwritten: tuple[int, ...],
        unknown: tuple[int, ...],
        why: str,
    ) -> None:
        super().__init__(
            f"of {len(written) + len(unwritten) + len(unknown)} items of {of}, {len(written)} were"
            f" written, {len(unwritten)} were not, and of {len(unknown)} it is not known: {why}"
        )
        self.of = of
        """The entity."""
        self.written = written
        """The positions of the items that were written."""
        self.unwritten = unwritten
        """The positions of the items that were not written: they can be written again."""
        self.unknown = unknown
        """The positions of the items whose answer was lost: they may have been written."""


_CONFLICT = "TransactionConflict"
_FAILED = "ConditionalCheckFailed"
_CANCELED = "TransactionCanceledException"


def is_conflict(error: KeyfoldError) -> bool:
    """Whether another transaction was using an item: the write may read it again and be retried."""
    if not isinstance(error, Service):
        return False
    if error.exception == "TransactionConflictException":
        return True
    return error.exception == _CANCELED and any(one.code == _CONFLICT for one in error.reasons)


def failed_actions(error: KeyfoldError) -> list[int] | None:
    """The indexes of the actions whose condition failed; none when the failure is no condition."""
    if not isinstance(error, Service):
        return None
    if error.exception == "ConditionalCheckFailedException":
        return [0]
    if error.exception != _CANCELED:
        return None
    failed = [at for at, one in enumerate(error.reasons) if one.code == _FAILED]
    return failed or None


def is_absent_table(error: KeyfoldError) -> bool:
    """Whether the table of a request does not exist."""
    return isinstance(error, Service) and error.exception == "ResourceNotFoundException"


def naming_tables(error: Service, tables: Sequence[str]) -> Service:
    """The service's error about a table that does not exist, with the tables of the request: it
    does not say which one."""
    if not is_absent_table(error) or not tables or any(one in error.text for one in tables):
        return error
    which = (
        f"the table {tables[0]}" if len(tables) == 1 else f"one of the tables {', '.join(tables)}"
    )
    text = (
        f"{error.text}: {which} does not exist there; create it by `ensure_tables()`, or check the"
        " address, the region and the account of the connection"
    )
    return Service(error.exception, text, error.reasons, error.found)
