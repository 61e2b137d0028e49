"""Values that classes with pydantic refuse as they are made: `test_generated.py` imports it."""

from __future__ import annotations

import json
from collections.abc import Callable
from datetime import datetime, timezone
from decimal import Decimal
from typing import Any

from made import answers as a
from made import shop as s
from pydantic import TypeAdapter

from keyfold import Invalid

moment = datetime(2024, 1, 15, tzinfo=timezone.utc)
user: dict[str, Any] = {"user_id": "u", "email": "e", "name": "n", "created_at": moment}
line: dict[str, Any] = {"item_id": "i", "product_id": "p", "quantity": 1, "price": Decimal(1)}
ticket: dict[str, Any] = {"id": "a", "opened_at": moment}
entry: dict[str, Any] = {"at": moment, "by": "b", "state": "open"}
key = a.AccountKey(id=a.AccountId("a"))

WRONG: list[tuple[str, str | None, Callable[[], object]]] = [
    # No text is read as another type, and no number as a text.
    ("Product", "price", lambda: s.ProductPatch(price="1")),  # type: ignore[arg-type]
    ("Product", "price", lambda: s.ProductPatch(price=1.5)),  # type: ignore[arg-type]
    ("Product", "stock", lambda: s.ProductPatch(stock=True)),
    ("Product", "stock", lambda: s.ProductPatch(stock=None)),  # type: ignore[arg-type]
    ("Product", "name", lambda: s.ProductPatch(name=5)),  # type: ignore[arg-type]
    ("User", "createdAt", lambda: s.NewUser(**{**user, "created_at": "2024-01-15T00:00:00Z"})),
    # What the class has not is no typing error that is dropped.
    ("User", "colour", lambda: s.NewUser(**user, colour="red")),
    ("Product", "productId", lambda: s.ProductKey(product_id=7)),  # type: ignore[arg-type]
    ("Line", "quantity", lambda: s.Line(**{**line, "quantity": "1"})),
    ("Line", "weight", lambda: s.Line(**line, weight=1)),
    ("Ticket", "status", lambda: a.NewTicket(**ticket, status="ajar")),
    ("Ticket", "history[0]", lambda: a.NewTicket(**ticket, history=[entry])),
    ("Account", "visits.a[0]", lambda: a.AccountPatch(visits={"a": [entry]})),  # type: ignore[list-item]
    # A moment without a zone is none.
    ("User", "createdAt", lambda: s.NewUser(**{**user, "created_at": datetime(2024, 1, 15)})),
    ("Entry", "at", lambda: a.Entry(**{**entry, "at": datetime(2024, 1, 15)})),
    ("Ticket", "dueAt", lambda: a.TicketPatch(due_at=datetime(2024, 1, 15))),
    ("Account", "tags", lambda: a.AccountPatch(tags=["a"])),  # type: ignore[arg-type]
    ("Account", "v", lambda: a.AccountKey(id=a.AccountId("a"), v="1")),  # type: ignore[arg-type]
]
SPELLED = {"createdAt": "created_at", "productId": "product_id", "dueAt": "due_at"}
"""The names in Python of attributes, which messages have."""
for of, attribute, make in WRONG:
    try:
        made = make()
    except Invalid as error:
        assert (error.of, error.attribute) == (of, attribute), repr(error)
        written = SPELLED.get(attribute or "", attribute)
        assert str(error).startswith(f"{of}: {written}: "), str(error)
        # An attribute that is not given is none of the program's values.
        assert "Unset" not in str(error), str(error)
    else:
        raise AssertionError(f"{of}.{attribute}: {made!r}")


def message(make: Callable[[], object]) -> str:
    """The message of what is refused."""
    try:
        return f"none: {make()!r}"
    except Invalid as error:
        assert error.attribute is not None
        return str(error)


# All that is missing is named, and what is wrong is shown.
assert message(lambda: s.NewUser(user_id="u")) == "User needs email, name, created_at"  # type: ignore[call-arg, arg-type]
wrong: Any = {"city": "x"}
assert message(lambda: a.AccountPatch(home=wrong)) == (
    "Account: home: Input should be an instance of Address, and not {'city': 'x'}"
)
assert message(lambda: s.ProductPatch(name=wrong)) == (
    "Product: name: Input should be a valid string, and not {'city': 'x'}"
)
assert message(lambda: s.ProductPatch(stock="5")) == (  # type: ignore[arg-type]
    'Product: stock: Input should be a valid integer, and not "5"'
)
assert a.AccountPatch(tags={"a"}) == a.AccountPatch(tags=frozenset({"a"}))
history = (a.Entry(**entry),)
assert a.NewTicket(**ticket, history=history).history == history
assert s.ProductPatch(price=1, stock=2).price == 1

# The JSON of a patch is what it names; the text "unset" is one like others.
patches = TypeAdapter(s.UserPatch)
named = s.UserPatch(name="unset")
assert patches.dump_json(named) == b'{"name":"unset"}'
assert patches.validate_json(patches.dump_json(named)) == named
shown = json.dumps(patches.json_schema()).lower()
assert "unset" not in shown, shown
