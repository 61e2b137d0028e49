"""Reacts to the table's stream, as a function of AWS Lambda: mails about users and orders, and about
products that are sold out.

The function's event source needs `ReportBatchItemFailures` and both images of the items.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from keyfold import KeyfoldError, Options

from myapp.model import (
    MyappClient,
    Order,
    OrderChange,
    Product,
    ProductChange,
    User,
    UserChange,
    UserId,
)

LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail to be sent."""

    to: str
    subject: str


class Mailer:
    """Makes mails of changes, and sends them."""

    def __init__(
        self, client: MyappClient, send: Callable[[Mail], None], buyer: str
    ) -> None:
        self._client = client
        self._send = send
        self._buyer = buyer

    def handle(self, event: Mapping[str, Any]) -> dict[str, list[dict[str, str]]]:
        """Handles an event of Lambda. The records from the first failed one on come again."""
        for record in event["Records"]:
            try:
                mail = self.mail_of(record)
                if mail is not None:
                    self._send(mail)
            except (KeyfoldError, OSError) as error:
                LOG.error("%s: %s", record["eventID"], error)
                failed = record["dynamodb"]["SequenceNumber"]
                return {"batchItemFailures": [{"itemIdentifier": failed}]}
        return {"batchItemFailures": []}

    def mail_of(self, record: Mapping[str, Any]) -> Mail | None:
        """The mail about a change, if it is worth one."""
        match self._client.event(record):
            case UserChange(old=None, new=User() as user):
                return Mail(user.email, f"Welcome, {user.name}")
            case OrderChange(old=None, new=Order() as order):
                return self._to(order.user_id, f"We have your order {order.order_id}")
            case OrderChange(old=Order(status=before), new=Order() as order) if (
                order.status != before
            ):
                return self._to(
                    order.user_id, f"Your order {order.order_id} is {order.status}"
                )
            case ProductChange(
                old=Product(stock=before), new=Product(stock=0) as product
            ) if before > 0:
                return Mail(self._buyer, f"{product.name} is sold out")
        return None

    def _to(self, user_id: UserId, subject: str) -> Mail | None:
        user = self._client.user(user_id=user_id)
        return None if user is None else Mail(user.email, subject)


@cache
def _mailer() -> Mailer:
    # Items that another program wrote are none of this function's business.
    options = Options(on_unknown="skip")
    client = MyappClient(os.environ.get("MYAPP_CONNECTION", "dynamodb://"), options)
    return Mailer(client, print, os.environ.get("MYAPP_BUYER", "buyer@example.com"))


def handler(event: Mapping[str, Any], context: object) -> dict[str, Any]:
    """The function that Lambda calls: `myapp.handler.handler`. It prints its mails."""
    return _mailer().handle(event)
