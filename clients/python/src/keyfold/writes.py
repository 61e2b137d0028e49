"""The writes of a transaction, as a program gives them to `Client.transact`.

```python
shop.transact(
    [
        Run("take", {"productId": "pen", "amount": 1}),
        Create("Order", {"orderId": "7", "userId": "ada"}),
    ]
)
```
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

Given: TypeAlias = "Mapping[str, object]"


@dataclass(frozen=True)
class Create:
    """Creates an entity that must not exist."""

    entity: str
    values: Given


@dataclass(frozen=True)
class Put:
    """Writes a whole entity, whether it exists or not."""

    entity: str
    values: Given


@dataclass(frozen=True)
class Update:
    """Changes some attributes of an entity that exists. `None` removes an attribute."""

    entity: str
    changes: Given
    remove: Sequence[str] = ()
    key: Given | None = None
    """The key, where it is given apart from the changes, which have nothing of it then."""


@dataclass(frozen=True)
class Delete:
    """Deletes an entity that exists."""

    entity: str
    key: Given


@dataclass(frozen=True)
class Run:
    """Runs a named write."""

    write: str
    args: Given = field(default_factory=lambda: {})


TransactionWrite: TypeAlias = "Create | Put | Update | Delete | Run"
"""One write of a transaction."""
