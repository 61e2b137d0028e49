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
    Incomplete,
    Invalid,
    KeyfoldError,
    NotFound,
    OutcomeUnknown,
    Overtaken,
    Place,
    Reason,
    Refused,
    Service,
    StaleVersion,
    TableDiffers,
    Taken,
    Throttled,
    TooMany,
    Transport,
    UnknownItem,
)
from keyfold.item import (
    BatchWritten,
    Event,
    Item,
    Made,
    OneOfSeveral,
    Page,
    Transacted,
    Written,
)
from keyfold.options import Options, Sent
from keyfold.plan.load import load
from keyfold.plan.model import Model
from keyfold.writes import Create, Delete, Put, Run, TransactionWrite, Update

__all__ = [
    "Aborted",
    "BatchWritten",
    "Client",
    "Code",
    "Create",
    "Delete",
    "Event",
    "Exists",
    "Incomplete",
    "Invalid",
    "Item",
    "KeyfoldError",
    "Made",
    "Model",
    "NotFound",
    "OneOfSeveral",
    "Options",
    "OutcomeUnknown",
    "Overtaken",
    "Page",
    "PageOptions",
    "Place",
    "Put",
    "Reason",
    "Refused",
    "Run",
    "Sent",
    "Service",
    "StaleVersion",
    "TableDiffers",
    "Taken",
    "Throttled",
    "TooMany",
    "Transacted",
    "TransactionWrite",
    "Transport",
    "UnknownItem",
    "Update",
    "Written",
    "load",
]
