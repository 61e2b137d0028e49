"""boto3 against a server that behaves as the cloud does: used-up capacity, late indexes, late answers."""

import time
import unittest

import boto3
from botocore.config import Config
from botocore.exceptions import ClientError

from server import Server
from test_boto3 import session
from test_control import eventually


def make(client, **capacity):
    client.create_table(
        TableName="Tab",
        AttributeDefinitions=[
            {"AttributeName": "p", "AttributeType": "S"},
            {"AttributeName": "g", "AttributeType": "S"},
        ],
        KeySchema=[{"AttributeName": "p", "KeyType": "HASH"}],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "ByG",
                "KeySchema": [{"AttributeName": "g", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "ALL"},
                **capacity,
            }
        ],
        **(capacity or {"BillingMode": "PAY_PER_REQUEST"}),
    )


class Realism(unittest.TestCase):
    def started(self, *arguments):
        server = Server(*arguments)
        options = {**session(server), "config": Config(retries={"total_max_attempts": 1})}
        client = boto3.client("dynamodb", **options)
        self.addCleanup(lambda: self.assertEqual(server.stop(), 0))
        self.addCleanup(client.close)
        return client

    def test_used_up_capacity_is_told_with_its_reason(self):
        client = self.started("--capacity", "enforce")
        make(client, ProvisionedThroughput={"ReadCapacityUnits": 1, "WriteCapacityUnits": 1})
        item = {"p": {"S": "a"}, "d": {"S": "x" * 10_000}}
        with self.assertRaises(client.exceptions.ProvisionedThroughputExceededException) as refused:
            for _ in range(60):
                client.put_item(TableName="Tab", Item=item)
        reasons = refused.exception.response["ThrottlingReasons"]
        self.assertEqual([r["reason"] for r in reasons], ["TableWriteProvisionedThroughputExceeded"])
        self.assertTrue(reasons[0]["resource"].endswith(":table/Tab"))

    def test_an_index_follows_late_and_consistent_reads_do_not(self):
        client = self.started("--gsi-lag", "1s")
        make(client)
        client.put_item(TableName="Tab", Item={"p": {"S": "a"}, "g": {"S": "x"}})
        query = {
            "TableName": "Tab",
            "IndexName": "ByG",
            "KeyConditionExpression": "g = :g",
            "ExpressionAttributeValues": {":g": {"S": "x"}},
        }
        self.assertEqual(client.query(**query)["Count"], 0)
        got = client.get_item(TableName="Tab", Key={"p": {"S": "a"}}, ConsistentRead=True)
        self.assertIn("Item", got)
        eventually(lambda: client.query(**query)["Count"] == 1)

    def test_answers_come_late(self):
        client = self.started("--latency", "50ms")
        client.list_tables()
        begun = time.monotonic()
        for _ in range(5):
            with self.assertRaises(ClientError):
                client.get_item(TableName="None", Key={"p": {"S": "a"}})
        self.assertGreaterEqual(time.monotonic() - begun, 0.25)


if __name__ == "__main__":
    unittest.main()
