"""Requests that the service finds invalid: a value is too large, or not what an operator or an
index takes. The error names the change at fault and its item, in one sentence for a request of its
own, a transaction and a batch, whose exceptions differ."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from keyfold.errors import KeyfoldError, Service
from keyfold.lower.write.refusal import at_item
from keyfold.values.size import size_of_item
from keyfold.values.value import Item, display

_ITEM_BYTES_MAX = 400 * 1024
"""The most bytes of an item, with the names of its attributes."""
_TOO_LARGE = "Item size "
"""How the service's sentences about an item that is too large begin."""
_INVALID = "ValidationException"


@dataclass(frozen=True)
class Sent:
    """One change of a request, as far as an error needs it."""

    action: str
    """The change, for people: `put Order`."""
    table: str
    key: Item
    put: Item | None
    """The item where it is put."""

    def is_too_large(self) -> bool:
        """Whether it puts an item that is larger than an item may be."""
        return self.put is not None and size_of_item(self.put) > _ITEM_BYTES_MAX


def place_text(table: str, key: Item) -> str:
    """An item by its table and key, for people: `Shop (PK = USER#1, SK = A)`."""
    columns = ", ".join(f"{name} = {display(value)}" for name, value in sorted(key.items()))
    return f"{table} ({columns})"


def explained(error: KeyfoldError, sent: Sequence[Sent]) -> KeyfoldError:
    """The error of a request with these changes. One that the service finds invalid names the
    change and says why, where that is known."""
    if not isinstance(error, Service):
        return error
    one, said = _at_fault(error, sent)
    if one is None:
        return error
    limit = ""
    if said.startswith(_TOO_LARGE):
        limit = f"; an item has at most {_ITEM_BYTES_MAX} bytes: give it less"
    text = f"{one.action} of {place_text(one.table, one.key)}: {said}{limit}"
    named = Service(_INVALID, text, error.reasons, error.found)
    return at_item(named, one.action, one.table, one.key)


def _at_fault(error: Service, sent: Sequence[Sent]) -> tuple[Sent | None, str]:
    """The change that is at fault, where that is known, and what the service says of it."""
    for reason, one in zip(error.reasons, sent):
        if reason.code == "ValidationError" and reason.message is not None:
            return one, reason.message
    if error.exception != _INVALID:
        return None, error.text
    if len(sent) == 1:
        return sent[0], error.text
    large = (one for one in sent if error.text.startswith(_TOO_LARGE) and one.is_too_large())
    return next(large, None), error.text
