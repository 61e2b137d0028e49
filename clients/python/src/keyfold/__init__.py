"""A typed client for models of DynamoDB tables, on Keyfold or Amazon DynamoDB.

```python
from keyfold import Client

with Client("shop.plan.json", "http://127.0.0.1:8000") as shop:
    shop.ensure_tables()
    shop.create("User", {"userId": "ada", "email": "ada@example.com", "name": "Ada"})
    for order in shop.items("orders_of_user", {"userId": "ada"}):
        print(order["orderId"], order["total"])
```

`keyfold.aio` has the same client for `asyncio`.
"""

from keyfold.calls import PageOptions
from keyfold.client import Client
from keyfold.errors import (
    Aborted,
    Code,
    Exists,
    Invalid,
    KeyfoldError,
    NotFound,
    OutcomeUnknown,
    Overtaken,
    Reason,
    Refused,
    Service,
    StaleVersion,
    TableDiffers,
    Taken,
    Throttled,
    Transport,
    UnknownItem,
)
from keyfold.item import Event, Item, Made, Page, Written
from keyfold.options import Options, Sent
from keyfold.plan.load import load
from keyfold.plan.model import Model

__all__ = [
    "Aborted",
    "Client",
    "Code",
    "Event",
    "Exists",
    "Invalid",
    "Item",
    "KeyfoldError",
    "Made",
    "Model",
    "NotFound",
    "Options",
    "OutcomeUnknown",
    "Overtaken",
    "Page",
    "PageOptions",
    "Reason",
    "Refused",
    "Sent",
    "Service",
    "StaleVersion",
    "TableDiffers",
    "Taken",
    "Throttled",
    "Transport",
    "UnknownItem",
    "Written",
    "load",
]
