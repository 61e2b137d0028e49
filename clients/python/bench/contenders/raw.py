"""boto3 with the values of its resource, and keys by hand."""

from __future__ import annotations

from typing import Any

import boto3
from boto3.dynamodb.conditions import Key
from data import REGION, create_table, stored, summary

NAME = "BenchRaw"


class Contender:
    """Reads by the resource; writes by its client, which takes values of Python, too."""

    def __init__(self, endpoint: str) -> None:
        keys = {"aws_access_key_id": "local", "aws_secret_access_key": "local"}
        resource = boto3.resource("dynamodb", endpoint_url=endpoint, region_name=REGION, **keys)
        self.client = resource.meta.client
        create_table(self.client, NAME)
        self.table = resource.Table(NAME)

    def get(self, order_id: str) -> Any:
        found = self.table.get_item(Key={"PK": f"ORDER#{order_id}", "SK": "META"})
        return found["Item"]["quantity"]

    def query(self, user_id: str) -> list[Any]:
        condition = Key("PK").eq(f"USER#{user_id}") & Key("SK").begins_with("ORDER#")
        found = self.table.query(KeyConditionExpression=condition, ScanIndexForward=False, Limit=20)
        return [one["total"] for one in found["Items"]]

    def put(self, order: dict[str, Any]) -> None:
        order = stored(order)
        main = {"PK": f"ORDER#{order['orderId']}", "SK": "META", **order}
        sort = f"ORDER#{order['createdAt']}#{order['orderId']}"
        copy = {"PK": f"USER#{order['userId']}", "SK": sort, **summary(order)}
        guard = {"PK": f"UNIQUE#{order['reference']}", "SK": "UNIQUE"}
        new = {"TableName": NAME, "ConditionExpression": "attribute_not_exists(PK)"}
        self.client.transact_write_items(
            TransactItems=[
                {"Put": {**new, "Item": main}},
                {"Put": {"TableName": NAME, "Item": copy}},
                {"Put": {**new, "Item": guard}},
            ]
        )
