"""boto3, client and resource, on tables that no model made: the API as an application uses it."""

import unittest
from decimal import Decimal

import boto3
from boto3.dynamodb.conditions import Attr, Key
from botocore.config import Config
from botocore.exceptions import ClientError

from server import Server


def session(server, **extra):
    return {
        "endpoint_url": server.endpoint,
        "region_name": "us-east-1",
        "aws_access_key_id": "AK",
        "aws_secret_access_key": "secret",
        "config": Config(retries={"total_max_attempts": 1}),
        **extra,
    }


class Boto3(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = Server()
        cls.client = boto3.client("dynamodb", **session(cls.server))
        cls.resource = boto3.resource("dynamodb", **session(cls.server))
        cls.table = cls.resource.create_table(
            TableName="Games",
            AttributeDefinitions=[
                {"AttributeName": "player", "AttributeType": "S"},
                {"AttributeName": "at", "AttributeType": "N"},
                {"AttributeName": "game", "AttributeType": "S"},
                {"AttributeName": "score", "AttributeType": "N"},
            ],
            KeySchema=[{"AttributeName": "player", "KeyType": "HASH"}, {"AttributeName": "at", "KeyType": "RANGE"}],
            LocalSecondaryIndexes=[
                {
                    "IndexName": "ByScore",
                    "KeySchema": [
                        {"AttributeName": "player", "KeyType": "HASH"},
                        {"AttributeName": "score", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "KEYS_ONLY"},
                }
            ],
            GlobalSecondaryIndexes=[
                {
                    "IndexName": "ByGame",
                    "KeySchema": [
                        {"AttributeName": "game", "KeyType": "HASH"},
                        {"AttributeName": "score", "KeyType": "RANGE"},
                    ],
                    "Projection": {"ProjectionType": "ALL"},
                }
            ],
            BillingMode="PAY_PER_REQUEST",
        )
        cls.table.wait_until_exists()
        with cls.table.batch_writer() as batch:
            for at in range(60):
                batch.put_item(
                    Item={"player": f"p{at % 3}", "at": at, "game": f"g{at % 2}", "score": Decimal(at) / 4, "tags": {"a", "b"}}
                )

    @classmethod
    def tearDownClass(cls):
        cls.table.delete()
        cls.table.wait_until_not_exists()
        cls.server.stop()

    def test_describe_counts_items_and_entries(self):
        described = self.client.describe_table(TableName="Games")["Table"]
        self.assertEqual((described["ItemCount"], described["TableStatus"]), (60, "ACTIVE"))
        self.assertEqual(described["GlobalSecondaryIndexes"][0]["ItemCount"], 60)
        self.assertIn("Games", self.client.list_tables()["TableNames"])

    def test_values_round_trip(self):
        item = {
            "player": "types",
            "at": Decimal("-1.5"),
            "binary": b"\x00\xff",
            "none": None,
            "truth": True,
            "list": [1, "two", {"three": Decimal("3.000001")}],
            "numbers": {Decimal(1), Decimal("2.5")},
            "bytes": {b"a", b"b"},
            "big": Decimal("12345678901234567890123456789012345678"),
            "empty": "",
        }
        self.table.put_item(Item=item)
        self.addCleanup(self.table.delete_item, Key={"player": "types", "at": Decimal("-1.5")})
        found = self.table.get_item(Key={"player": "types", "at": Decimal("-1.50")}, ConsistentRead=True)["Item"]
        self.assertEqual(found["binary"].value, b"\x00\xff")
        self.assertEqual({name: value for name, value in found.items() if name not in ("binary", "bytes")},
                         {name: value for name, value in item.items() if name not in ("binary", "bytes")})

    def test_paginators_join_to_the_whole(self):
        pages = self.client.get_paginator("scan").paginate(TableName="Games", PaginationConfig={"PageSize": 7})
        self.assertEqual(sum(page["Count"] for page in pages), 60)
        query = dict(IndexName="ByGame", KeyConditionExpression=Key("game").eq("g1") & Key("score").between(2, 10))
        whole = self.table.query(**query)["Items"]
        paged, start = [], {}
        while True:
            page = self.table.query(**query, Limit=4, **start)
            paged += page["Items"]
            if "LastEvaluatedKey" not in page:
                break
            start = {"ExclusiveStartKey": page["LastEvaluatedKey"]}
        self.assertEqual(paged, whole)
        self.assertEqual([item["score"] for item in whole], sorted(item["score"] for item in whole))
        self.assertTrue(len(whole) > 10)

    def test_local_index_fetches_what_it_lacks(self):
        found = self.table.query(
            IndexName="ByScore",
            KeyConditionExpression=Key("player").eq("p0"),
            ScanIndexForward=False,
            ConsistentRead=True,
            Limit=2,
            ProjectionExpression="game, score",
            ReturnConsumedCapacity="INDEXES",
        )
        self.assertEqual([item["score"] for item in found["Items"]], [Decimal("14.25"), Decimal("13.5")])
        self.assertEqual(found["ConsumedCapacity"]["LocalSecondaryIndexes"]["ByScore"]["CapacityUnits"], 1.0)
        self.assertEqual(found["ConsumedCapacity"]["Table"]["CapacityUnits"], 2.0)

    def test_filters_and_parallel_scans(self):
        filtered = self.table.scan(FilterExpression=Attr("score").gte(14) & Attr("tags").contains("a"))
        self.assertEqual((filtered["Count"], filtered["ScannedCount"]), (4, 60))
        segments = [self.table.scan(Segment=at, TotalSegments=4)["Items"] for at in range(4)]
        self.assertEqual(len({(item["player"], item["at"]) for items in segments for item in items}), 60)

    def test_conditions_and_return_values(self):
        key = {"player": "conditions", "at": 1}
        self.addCleanup(self.table.delete_item, Key=key)
        self.table.put_item(Item={**key, "n": 1}, ConditionExpression=Attr("player").not_exists())
        with self.assertRaises(self.client.exceptions.ConditionalCheckFailedException) as caught:
            self.table.put_item(
                Item=key,
                ConditionExpression=Attr("player").not_exists(),
                ReturnValuesOnConditionCheckFailure="ALL_OLD",
            )
        self.assertEqual(caught.exception.response["Item"]["n"], {"N": "1"})
        self.assertEqual(len(caught.exception.response["ResponseMetadata"]["RequestId"]), 52)
        updated = self.table.update_item(
            Key=key,
            UpdateExpression="SET n = n + :one, #l = list_append(if_not_exists(#l, :none), :more)",
            ExpressionAttributeNames={"#l": "list"},
            ExpressionAttributeValues={":one": 1, ":none": [], ":more": ["x"]},
            ReturnValues="UPDATED_NEW",
        )
        self.assertEqual(updated["Attributes"], {"n": 2, "list": ["x"]})

    def test_batches_and_transactions(self):
        keys = [{"player": "p0", "at": 0}, {"player": "p1", "at": 1}, {"player": "none", "at": 0}]
        got = self.resource.batch_get_item(RequestItems={"Games": {"Keys": keys}})
        self.assertEqual(len(got["Responses"]["Games"]), 2)
        self.assertEqual(got["UnprocessedKeys"], {})
        typed = [{"player": {"S": key["player"]}, "at": {"N": str(key["at"])}} for key in keys]
        read = self.client.transact_get_items(
            TransactItems=[{"Get": {"TableName": "Games", "Key": key}} for key in typed]
        )
        self.assertEqual(["Item" in response for response in read["Responses"]], [True, True, False])
        with self.assertRaises(self.client.exceptions.TransactionCanceledException) as caught:
            self.client.transact_write_items(
                TransactItems=[
                    {"Delete": {"TableName": "Games", "Key": typed[0]}},
                    {"ConditionCheck": {"TableName": "Games", "Key": typed[2], "ConditionExpression": "attribute_exists(player)"}},
                ]
            )
        reasons = caught.exception.response["CancellationReasons"]
        self.assertEqual([reason["Code"] for reason in reasons], ["None", "ConditionalCheckFailed"])
        self.assertIn("Item", self.table.get_item(Key=keys[0]))

    def test_errors_have_their_names(self):
        cases = [
            ("ResourceNotFoundException", lambda: self.client.get_item(TableName="Nope", Key={"a": {"S": "b"}})),
            ("ResourceInUseException", lambda: self.client.create_table(
                TableName="Games", AttributeDefinitions=[{"AttributeName": "a", "AttributeType": "S"}],
                KeySchema=[{"AttributeName": "a", "KeyType": "HASH"}], BillingMode="PAY_PER_REQUEST")),
            ("ValidationException", lambda: self.client.get_item(TableName="Games", Key={"player": {"S": "x"}})),
            ("ValidationException", lambda: self.client.query(TableName="Games", KeyConditionExpression="player = :p")),
            ("ValidationException", lambda: self.client.list_global_tables()),
        ]
        for name, call in cases:
            with self.assertRaises(ClientError) as caught:
                call()
            self.assertEqual(caught.exception.response["Error"]["Code"], name)


class Signatures(unittest.TestCase):
    """With credentials configured only their holder is answered."""

    def test_signed_requests_are_verified(self):
        server = Server("--credential", "AK:secret")
        try:
            tables = boto3.client("dynamodb", **session(server)).list_tables()["TableNames"]
            self.assertEqual(tables, ["MyApp", "Shop"])
            for change, name in (
                ({"aws_secret_access_key": "wrong"}, "InvalidSignatureException"),
                ({"aws_access_key_id": "other"}, "UnrecognizedClientException"),
            ):
                with self.assertRaises(ClientError) as caught:
                    boto3.client("dynamodb", **{**session(server), **change}).list_tables()
                self.assertEqual(caught.exception.response["Error"]["Code"], name)
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
