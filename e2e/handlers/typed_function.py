"""A function that reacts to typed changes, with the client that is generated of `typed.keyfold`: it writes
what it understands of each to the file in SEEN, and keeps a count of each user's orders in the table.
"""

import os
from datetime import datetime

from runtime import run
from typed import Order, OrderChange, TypedClient, User, UserChange

# On Lambda the variable is absent.
CLIENT = TypedClient(os.environ.get("AWS_ENDPOINT_URL_DYNAMODB", "dynamodb://"))


def line(record):
    match CLIENT.event(record):
        case UserChange(old=None, new=User() as user):
            return f"welcome {user.name}"
        case OrderChange(old=None, new=Order() as order):
            # What a function reads is of the same server.
            user = CLIENT.user(user_id=order.user_id)
            assert user is not None and isinstance(order.placed_at, datetime)
            return f"{user.name} ordered {order.total + 1} at {order.placed_at:%Y-%m-%d}"
        case OrderChange(old=Order(), new=None):
            return "an order is gone"
        case OrderChange(old=Order() as old, new=Order() as new):
            return f"{old.state} became {new.state}"
        case None:
            return None
        case other:
            raise ValueError(f"not expected: {other}")


def handle(event):
    with open(os.environ["SEEN"], "a", encoding="utf-8") as seen:
        for text in map(line, event["Records"]):
            if text is not None:
                seen.write(text + "\n")
    return {"batchItemFailures": []}


run(handle)
